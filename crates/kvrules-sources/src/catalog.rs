//! Schema files: which fields the objects have that rules are about.

use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_elaborate::catalog::{Catalog, SchemaProblem};

/// Reads the fields of an object from a CustomResourceDefinition, an OpenAPI document or a JSON Schema, for
/// [`read_rules_with`](crate::read_rules_with).
///
/// `choice` says which schema of the file is meant, if there are several: a version or a kind (or `KIND/VERSION`) of
/// CustomResourceDefinitions, the name of an OpenAPI schema. The answer is the catalog, or all that is wrong.
///
/// ```
/// use kvrules::{FileId, SourceFile};
///
/// let schema = "type: object\nproperties:\n  size: {type: integer}\n";
/// let catalog = kvrules::read_catalog(&SourceFile::new(FileId(0), "box.yaml", schema), None)?;
///
/// let text = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "size", "rule": "integer", "message": "small", "path": "jsonpath::.size", "max": 8}]
/// "#;
/// let reading = kvrules::read_rules_with(&SourceFile::new(FileId(0), "rules.yaml", text), &catalog);
/// assert_eq!(reading.sets[0].rules.len(), 1);
/// # Ok::<(), Vec<kvrules::Diagnostic>>(())
/// ```
pub fn read_catalog(source: &SourceFile, choice: Option<&str>) -> Result<Catalog, Vec<Diagnostic>> {
    Catalog::from_schema(source, choice).map_err(|problems| problems.into_iter().map(to_diagnostic).collect())
}

fn to_diagnostic(problem: SchemaProblem) -> Diagnostic {
    let SchemaProblem { span, message, help } = problem;
    Diagnostic { help, ..Diagnostic::refused_input("schema", span, message) }
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use kvrules_eval::{Outcome, explain_rule};
    use serde_json::{Value, json};

    use super::*;

    const SCHEMA: &str = "{type: object, required: [depth], properties: {depth: {type: integer}, pump: {type: object, \
                          default: {}, properties: {watts: {type: integer, default: 40}}}}}";

    /// The verdict on an object and the values that were found, of a rule that `watts` are at most 30.
    fn evaluated(object: &Value) -> (Outcome, usize) {
        let catalog = read_catalog(&SourceFile::new(FileId(0), "pond.yaml", SCHEMA), None).unwrap();
        let rules = "vm.kubevirt.io/validations: '[{\"name\": \"w\", \"rule\": \"integer\", \"message\": \"m\", \
                     \"path\": \"jsonpath::.pump.watts\", \"valid\": \"jsonpath::.depth\", \"max\": 30}]'\n";
        let reading = crate::read_rules_with(&SourceFile::new(FileId(0), "rules.yaml", rules), &catalog);
        let explanation = explain_rule(&reading.sets[0].rules[0], object).unwrap();
        (explanation.verdict.outcome, explanation.values.len())
    }

    #[test]
    fn rules_about_another_object_are_judged_from_its_root() {
        assert_eq!(evaluated(&json!({"depth": 1, "pump": {"watts": 20}})).0, Outcome::Satisfied);
        assert_eq!(evaluated(&json!({"depth": 1, "pump": {"watts": 31}})), (Outcome::Violated, 1));
        // Neither `pump` nor `watts` is given, and the default is 40.
        assert_eq!(evaluated(&json!({"depth": 1})), (Outcome::Violated, 1));
    }
}
