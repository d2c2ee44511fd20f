//! The rule of a definition or of a policy at a place of a file.

use kvrules_crd::{
    ExpressionAt, ResourceKind, definition_versions, expression_at, locate_resources, locate_rules,
};
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::Value;

use crate::crd::RunResources;
use crate::input::with_documents;

/// A rule at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleAt {
    /// All of it.
    pub span: Span,
    /// The expression.
    pub expression: String,
    /// The resource that has it.
    pub holder: RuleHolder,
}

/// The resource of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleHolder {
    /// A version of a definition.
    Definition {
        /// The definition.
        definition: Value,
        /// The name of the version.
        version: String,
    },
    /// A policy.
    Policy {
        /// Location of its kind.
        kind: Span,
        /// The field, such as `spec.validations[0].expression`.
        field: String,
    },
}

/// Returns the rule at an offset of a file; `None` if there is none, or if its resource cannot be read.
///
/// ```
/// use kvrules::{FileId, SourceFile, rule_at};
///
/// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec:\n  validations:\n  \
///     - {expression: object.spec.n < 5, message: few}\n";
/// let source = SourceFile::new(FileId(0), "policy.yaml", text);
/// let rule = rule_at(&source, u32::try_from(text.find("few").unwrap()).unwrap()).unwrap();
/// assert_eq!(rule.expression, "object.spec.n < 5");
/// ```
pub fn rule_at(source: &SourceFile, offset: u32) -> Option<RuleAt> {
    let covers = |node: Node<'_>| {
        let span = node.span();
        !node.is_alias() && span.start <= offset && offset <= span.end
    };
    with_documents(source, |file| {
        let resources = file.documents.iter().flat_map(|document| locate_resources(document));
        let resource = resources.into_iter().find(|resource| covers(resource.node))?;
        match resource.kind? {
            ResourceKind::Definition => {
                let version = definition_versions(resource.node).find(|version| covers(*version))?;
                let found = locate_rules(version).into_iter().find(|rule| covers(rule.rule))?;
                let definition = ValueReader::for_kubernetes().read_value(resource.node).ok()?;
                let version = version.get("name")?.text().to_owned();
                Some(RuleAt {
                    span: found.rule.span(),
                    expression: found.rule.get("rule")?.text().trim().to_owned(),
                    holder: RuleHolder::Definition { definition, version },
                })
            }
            ResourceKind::Policy => {
                let kind = resource.node.get("kind")?.span();
                let spec = resource.node.get("spec")?;
                ["matchConditions", "validations"].into_iter().find_map(|list| {
                    let items = spec.get(list)?.items().enumerate();
                    let (index, item) = items.into_iter().find(|(_, item)| covers(*item))?;
                    Some(RuleAt {
                        span: item.span(),
                        expression: item.get("expression")?.text().trim().to_owned(),
                        holder: RuleHolder::Policy {
                            kind,
                            field: format!("spec.{list}[{index}].expression"),
                        },
                    })
                })
            }
            ResourceKind::Binding => None,
        }
    })
}

/// Does something with the expression in CEL at an offset of a file; `None` if there is none.
///
/// ```
/// use kvrules::crd::RunResources;
/// use kvrules::{FileId, SourceFile, with_expression_at};
///
/// let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: \
///     {type: object, properties: {depth: {type: integer}}, x-kubernetes-validations: [{rule: self.de}]}}}]}\n";
/// let source = SourceFile::new(FileId(0), "crd.yaml", text);
/// let offset = u32::try_from(text.find("self.de").unwrap() + 7).unwrap();
/// let names = with_expression_at(&source, offset, &RunResources::default(), |expression| {
///     expression.offered_names("1.36".parse().unwrap())
/// });
/// let names = names.unwrap();
/// assert_eq!((names[0].name.as_str(), names[0].detail.as_str()), ("depth", "integer"));
/// ```
pub fn with_expression_at<T>(
    source: &SourceFile,
    offset: u32,
    run: &RunResources,
    examine: impl FnOnce(&ExpressionAt<'_>) -> T,
) -> Option<T> {
    with_documents(source, |file| {
        let mut found = file
            .documents
            .iter()
            .filter_map(|document| expression_at(source, document, offset, run.resources()));
        found.next().map(|expression| examine(&expression))
    })
}
