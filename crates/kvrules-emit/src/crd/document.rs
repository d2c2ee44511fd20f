//! Definitions as files.

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_ir::{ElaboratedSet, Subject};
use serde_json::{Value, json};

use super::compile::{Addition, Choices, Compiled, NoSuchField, What, compile};
use super::cost;
use super::definition::{Definition, Source, place_of};
use super::merge::{apply, edits};
use super::outline;
use crate::cel::head;
use crate::{EmitError, RuleFidelity, yaml};

/// A definition with the rules of a set.
pub(crate) struct Document {
    /// The file.
    pub(crate) text: String,
    /// For each rule, how exactly the definition says it.
    pub(crate) fidelity: Vec<RuleFidelity>,
}

/// A definition drawn from the rules alone.
pub(crate) fn standalone(
    set: &ElaboratedSet,
    subject: &Subject,
    choices: Choices,
) -> Result<Document, EmitError> {
    let mut schema = outline::outline_schema(set, subject);
    // The schema is ours, so the bounds are too.
    let choices = Choices { may_bound: true, ..choices };
    let Compiled { additions, fidelity } =
        compile(set, &schema, choices).map_err(|NoSuchField { node, name }| EmitError {
            message: format!("the schema has no `{name}` at `{node}`"),
        })?;
    for addition in &additions {
        addition.add_to(&mut schema.value);
    }
    let definition = definition(subject, &schema.value)?;
    let text = yaml::written(&definition)?;
    let comments = comments(set, subject, &fidelity, &additions);
    Ok(Document { text: comments + &text, fidelity })
}

/// A definition that exists, in its file.
pub(crate) struct Existing<'a> {
    file: &'a SourceFile,
    source: &'a Source<'a>,
    definition: Definition<'a>,
}

impl<'a> Existing<'a> {
    /// The definition of the objects that the rules are about.
    pub(crate) fn read(
        file: &'a SourceFile,
        source: &'a Source<'a>,
        subject: &Subject,
    ) -> Result<Self, EmitError> {
        Ok(Self { file, source, definition: source.definition(subject)? })
    }
}

/// A definition that exists, with the rules added to its schema and every other byte as it was.
pub(crate) fn merged(
    set: &ElaboratedSet,
    subject: &Subject,
    existing: &Existing<'_>,
    choices: Choices,
) -> Result<Document, EmitError> {
    let Existing { file, source, definition: Definition { node, schema } } = existing;
    let node = *node;
    let compiled = compile(set, schema, choices);
    let Compiled { additions, fidelity } = compiled.map_err(|NoSuchField { node: path, name }| {
        let message = format!("the schema has no `{name}` at `{path}`, which a rule reads");
        source.error(place_of(node, &path), &message)
    })?;
    let (mut missing, mut wanted): (Vec<Addition>, Value) = (Vec::new(), schema.value.clone());
    for addition in additions {
        if !addition.is_in(&wanted) {
            addition.add_to(&mut wanted);
            missing.push(addition);
        }
    }
    let edits = edits(file.text(), node, &missing)
        .map_err(|obstacle| source.error(obstacle.span, obstacle.message))?;
    let text = apply(file.text(), edits);
    // What was written is read again: no edit may change anything that it does not mean to.
    let again = SourceFile::new(FileId(0), file.name(), text.as_str());
    if Source::new(&again).selected_schema(subject).as_ref() != Some(&wanted) {
        let message = "the rules cannot be merged into this definition";
        return Err(source.error(node.span(), message));
    }
    Ok(Document { text, fidelity })
}

/// The definition around a schema. Its names are those that the kind suggests.
fn definition(subject: &Subject, schema: &Value) -> Result<Value, EmitError> {
    let (Some(kind), Some(group)) = (&subject.kind, &subject.group) else {
        let message = "a definition needs the kind and the group of the objects, which the rules do not name";
        return Err(EmitError { message: message.to_owned() });
    };
    let singular = kind.to_lowercase();
    let plural = plural(&singular);
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

fn plural(singular: &str) -> String {
    let es = ["s", "x", "ch", "sh"];
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if es.iter().any(|ending| singular.ends_with(ending)) => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}

/// Comments: whose rules these are, what they cost, and which of them are not said exactly.
fn comments(
    set: &ElaboratedSet,
    subject: &Subject,
    fidelity: &[RuleFidelity],
    additions: &[Addition],
) -> String {
    let entry = |addition: &Addition| match &addition.what {
        What::Validation(entry) => Some(entry.oldest()),
        What::Keyword(..) => None,
    };
    let oldest = additions.iter().filter_map(entry).max().unwrap_or("1.16");
    let mut comments = head(set, oldest, fidelity);
    for Addition { node, what } in additions {
        comments.push_str(&comment(&match what {
            What::Validation(entry) => {
                format!("{}: at `{node}`, costs {} of the limit", entry.name, cost::share(entry.cost))
            }
            What::Keyword(keyword, _, rule) => format!("{rule}: `{keyword}` at `{node}`, costs nothing"),
        }));
    }
    let noun = subject.kind_noun();
    comments.push_str(&comment(&format!(
        "A definition for test clusters: it checks only the fields of a {noun} that the rules mention."
    )));
    comments.push_str(&comment(
        "To add the rules to the definition of a cluster, pass that definition with `--schema`.",
    ));
    comments
}

/// A comment on one line.
fn comment(text: &str) -> String {
    format!("# {}\n", text.split(|c: char| c.is_whitespace() || c.is_control()).collect::<Vec<_>>().join(" "))
}
