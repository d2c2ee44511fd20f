//! Definitions as files.

use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_diagnostics::render::needs_escape;
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_ir::{ElaboratedSet, Subject};
use serde_json::{Value, json};

use super::compile::{
    AdditionKind, CompileChoices, CompiledSet, SchemaAddition, UnknownFieldError, compile_rule_set,
};
use super::cost;
use super::definition::{DefinitionSource, VersionSchema, place_of};
use super::merge::{apply_edits, merge_edits};
use super::outline;
use crate::cel::header_comment;
use crate::{EmitError, RuleFidelity, yaml};

/// A definition with the rules of a set.
pub(crate) struct DefinitionDocument {
    /// The file.
    pub(crate) text: String,
    /// The fidelity of each rule.
    pub(crate) fidelity: Vec<RuleFidelity>,
}

/// A definition drawn from the rules alone.
pub(crate) fn build_standalone(
    set: &ElaboratedSet,
    subject: &Subject,
    choices: CompileChoices,
) -> Result<DefinitionDocument, EmitError> {
    let mut schema = outline::outline_schema(set, subject);
    // The schema is generated, so bounds may be added to it.
    let choices = CompileChoices { may_bound: true, ..choices };
    let CompiledSet { additions, fidelity } =
        compile_rule_set(set, &schema, choices).map_err(|UnknownFieldError { node, name }| EmitError {
            message: format!("the schema has no `{name}` at `{node}`"),
        })?;
    for addition in &additions {
        addition.add_to(&mut schema.value);
    }
    let definition = wrap_definition(subject, &schema.value)?;
    let text = yaml::to_yaml(&definition)?;
    let comments = header_comments(set, subject, &fidelity, &additions);
    Ok(DefinitionDocument { text: comments + &text, fidelity })
}

/// A definition that exists, in its file.
pub(crate) struct ExistingDefinition<'a> {
    file: &'a SourceFile,
    source: &'a DefinitionSource<'a>,
    definition: VersionSchema<'a>,
}

impl<'a> ExistingDefinition<'a> {
    /// The definition of the objects that the rules are about.
    pub(crate) fn read(
        file: &'a SourceFile,
        source: &'a DefinitionSource<'a>,
        subject: &Subject,
    ) -> Result<Self, EmitError> {
        Ok(Self { file, source, definition: source.definition(subject)? })
    }
}

/// A definition that exists, with the rules added to its schema and every other byte as it was.
pub(crate) fn merge_into_existing(
    set: &ElaboratedSet,
    subject: &Subject,
    existing: &ExistingDefinition<'_>,
    choices: CompileChoices,
) -> Result<DefinitionDocument, EmitError> {
    let ExistingDefinition { file, source, definition: VersionSchema { node, schema } } = existing;
    let node = *node;
    let compiled = compile_rule_set(set, schema, choices);
    let CompiledSet { additions, fidelity } =
        compiled.map_err(|UnknownFieldError { node: path, name }| {
            let message = format!("the schema has no `{name}` at `{path}`, which a rule reads");
            source.error(place_of(node, &path), &message)
        })?;
    let (mut missing, mut wanted): (Vec<SchemaAddition>, Value) = (Vec::new(), schema.value.clone());
    for addition in additions {
        if !addition.is_in(&wanted) {
            addition.add_to(&mut wanted);
            missing.push(addition);
        }
    }
    let edits = merge_edits(file.text(), node, &missing)
        .map_err(|obstacle| source.error(obstacle.span, obstacle.message))?;
    let text = apply_edits(file.text(), edits);
    // Read the result again to make sure that the edits changed nothing else.
    let again = SourceFile::new(FileId(0), file.name(), text.as_str());
    if DefinitionSource::new(&again).selected_schema(subject).as_ref() != Some(&wanted) {
        let message = "the rules cannot be merged into this definition";
        return Err(source.error(node.span(), message));
    }
    Ok(DefinitionDocument { text, fidelity })
}

/// The definition around a schema. Its names are those that the kind suggests.
fn wrap_definition(subject: &Subject, schema: &Value) -> Result<Value, EmitError> {
    let (Some(kind), Some(group)) = (&subject.kind, &subject.group) else {
        let message = "a definition needs the kind and the group of the objects, which the rules do not name";
        return Err(EmitError { message: message.to_owned() });
    };
    let singular = kind.to_lowercase();
    let plural = plural_name(&singular);
    Ok(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": { "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular },
            "versions": [{
                "name": subject.version.as_deref().unwrap_or("v1"),
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    }))
}

fn plural_name(singular: &str) -> String {
    let es = ["s", "x", "ch", "sh"];
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if es.iter().any(|ending| singular.ends_with(ending)) => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}

/// Comments: whose rules these are, what they cost, and which of them are not said exactly.
fn header_comments(
    set: &ElaboratedSet,
    subject: &Subject,
    fidelity: &[RuleFidelity],
    additions: &[SchemaAddition],
) -> String {
    let entry = |addition: &SchemaAddition| match &addition.what {
        AdditionKind::Validation(entry) => Some(entry.oldest()),
        AdditionKind::Keyword(..) => None,
    };
    let oldest = additions.iter().filter_map(entry).max().unwrap_or(KubernetesVersion::OLDEST);
    let mut comments = header_comment(set, oldest, fidelity);
    for SchemaAddition { node, what } in additions {
        comments.push_str(&to_comment(&match what {
            AdditionKind::Validation(entry) => {
                format!("{}: at `{node}`, costs {} of the limit", entry.name, cost::cost_share(entry.cost))
            }
            AdditionKind::Keyword(keyword, _, rule) => {
                format!("{rule}: `{keyword}` at `{node}`, costs nothing")
            }
        }));
    }
    let noun = subject.kind_noun();
    comments.push_str(&to_comment(&format!(
        "A definition for test clusters: it checks only the fields of a {noun} that the rules mention."
    )));
    comments.push_str(&to_comment(
        "To add the rules to the definition of a cluster, pass that definition with `--schema`.",
    ));
    comments
}

/// A comment on one line.
fn to_comment(text: &str) -> String {
    format!(
        "# {}\n",
        text.split(|c: char| c.is_whitespace() || needs_escape(c)).collect::<Vec<_>>().join(" ")
    )
}
