//! The annotation, from the metadata of the template to that of the VirtualMachine that its rules govern.

use std::collections::BTreeSet;

use kvrules_diagnostics::{Edit, SourceFile, Span};
use kvrules_elaborate::annotation::{Annotation, AnnotationHolder, VM_ANNOTATION, find_annotations};
use kvrules_elaborate::template::{Template, TemplateKind};
use kvrules_syntax::{
    Document, Entry, Node,
    edit::{Rewriter, ScalarEdit},
};

use crate::{
    MigrationStep,
    append_rules::append_to_annotation,
    detached_value::entry_lines,
    insert::{InsertionPlace, insert_annotation, insert_stub},
    lines::FileLines,
    move_obstacle::{MoveObstacle, is_block, is_referred_to},
};

/// Moves annotations in an old form, one of each template: call again until nothing is left.
///
/// A template with several VirtualMachines governs all of them, so each gets the rules. A snippet of a template that stops
/// before its `objects`, as the examples in texts do, gets a VirtualMachine that carries only the annotation.
pub fn relocate_annotation(source: &SourceFile, document: &Document<'_>) -> MigrationStep {
    let annotations = find_annotations(document);
    // First rename the annotations that are in the right place, because moved rules may have to be merged into
    // them.
    let renamed = rename_all(source, document, &annotations);
    if !renamed.is_empty() {
        return renamed;
    }
    let (mut step, mut seen) = (MigrationStep::default(), BTreeSet::new());
    for annotation in &annotations {
        if let AnnotationHolder::Template { id } = annotation.holder
            && seen.insert(id)
        {
            step.extend_with(move_one(source, annotation, &annotations));
        }
    }
    step
}

/// Renames one annotation of each object: the next may have to join what this one becomes.
fn rename_all(source: &SourceFile, document: &Document<'_>, annotations: &[Annotation<'_>]) -> MigrationStep {
    let (mut step, mut seen) = (MigrationStep::default(), BTreeSet::new());
    let here =
        |holder| matches!(holder, AnnotationHolder::VirtualMachine { .. } | AnnotationHolder::Fragment);
    for annotation in annotations.iter().filter(|found| here(found.holder)) {
        let has_old_key = annotation.key.is_some_and(|key| key.text() != VM_ANNOTATION);
        if has_old_key && seen.insert(annotation.virtual_machines().next().map(Node::span)) {
            step.extend_with(rename_annotation(source, document, annotation, annotations));
        }
    }
    step
}

/// Renames an annotation that is already in its place: on a VirtualMachine, or by itself.
fn rename_annotation(
    source: &SourceFile,
    document: &Document<'_>,
    annotation: &Annotation<'_>,
    all: &[Annotation<'_>],
) -> MigrationStep {
    let mut step = MigrationStep::default();
    let Some(key) = annotation.key.filter(|key| key.text() != VM_ANNOTATION) else { return step };
    let map = document.root().and_then(|root| map_with(root, key));
    let has = |other: &&Annotation<'_>| {
        let theirs = other.key.filter(|other| other.text() == VM_ANNOTATION).map(Node::span);
        map.is_some_and(|map| map.entries().any(|entry| Some(entry.key.span()) == theirs))
    };
    if let (Some(map), Some(there)) = (map, all.iter().find(has)) {
        return match join_annotation(source, annotation, there, map, &mut step) {
            Ok(()) => step,
            Err(MoveObstacle { span, why, help }) => MigrationStep {
                refusals: refusal_diagnostics(span.unwrap_or(key.span()), why, help),
                ..MigrationStep::default()
            },
        };
    }
    match Rewriter::new(source).replace_scalar(key, ScalarEdit::Text(VM_ANNOTATION)) {
        Some(edit) => {
            step.edits.push(edit);
            step.change(key.span(), format!("renamed the annotation `{}` to `{VM_ANNOTATION}`", key.text()));
        }
        None => step.refuse(
            key.span(),
            "the annotation has a key that cannot be renamed",
            "write the key without an anchor or an alias",
        ),
    }
    step
}

/// An annotation joins the one next to it, which has the new name already.
fn join_annotation(
    source: &SourceFile,
    annotation: &Annotation<'_>,
    there: &Annotation<'_>,
    map: Node<'_>,
    step: &mut MigrationStep,
) -> Result<(), MoveObstacle> {
    let obstacle = || MoveObstacle {
        span: None,
        why: "the annotation cannot be removed from its location".to_owned(),
        help: INLINE,
    };
    let key = annotation.key.ok_or_else(obstacle)?;
    let entry = map.entries().find(|entry| entry.key.span() == key.span()).ok_or_else(obstacle)?;
    append_to_annotation(source, annotation, there, step)?;
    step.edits.push(out_of(source, map, entry).ok_or_else(obstacle)?);
    let rules = count_rules(annotation);
    step.change(key.span(), format!("moved {rules} in `{}` to `{VM_ANNOTATION}`", key.text()));
    Ok(())
}

/// `3 rules`.
fn count_rules(annotation: &Annotation<'_>) -> String {
    match annotation.rules().count() {
        1 => "1 rule".to_owned(),
        number => format!("{number} rules"),
    }
}

/// The map that contains a key.
fn map_with<'d>(node: Node<'d>, key: Node<'_>) -> Option<Node<'d>> {
    if node.is_alias() {
        return None;
    }
    if node.entries().any(|entry| entry.key.span() == key.span()) {
        return Some(node);
    }
    let inner = node.entries().map(|entry| entry.value).chain(node.items());
    inner.filter(|inner| inner.is_map() || inner.is_list()).find_map(|inner| map_with(inner, key))
}

fn move_one(source: &SourceFile, annotation: &Annotation<'_>, all: &[Annotation<'_>]) -> MigrationStep {
    let mut step = MigrationStep::default();
    let (Some(key), Some(template)) = (annotation.key, annotation.template) else { return step };
    if annotation.value.as_str().is_none() || annotation.value.is_alias() {
        step.refuse(
            annotation.value.span(),
            format!("the annotation `{}` is not a string of its own", key.text()),
            "write the rules as JSON in a block scalar, `|`",
        );
        return step;
    }
    if let Err(MoveObstacle { span, why, help }) =
        move_annotation(source, annotation, template, all, &mut step)
    {
        return MigrationStep {
            refusals: refusal_diagnostics(span.unwrap_or(key.span()), why, help),
            ..MigrationStep::default()
        };
    }
    step
}

fn refusal_diagnostics(span: Span, why: String, help: &str) -> Vec<kvrules_diagnostics::Diagnostic> {
    let mut step = MigrationStep::default();
    step.refuse(span, why, help);
    step.refusals
}

fn move_annotation(
    source: &SourceFile,
    annotation: &Annotation<'_>,
    around: Template<'_>,
    all: &[Annotation<'_>],
    step: &mut MigrationStep,
) -> Result<(), MoveObstacle> {
    let template = around.node();
    let Some(entry) = entry_of(annotation, template) else {
        return Err(MoveObstacle {
            span: None,
            why: "the annotation is merged in from elsewhere".to_owned(),
            help: INLINE,
        });
    };
    is_alone(source, template, entry)?;
    let machines: Vec<_> = annotation.virtual_machines().collect();
    let target = match machines.as_slice() {
        [] if around.kind() == TemplateKind::KubeVirt => {
            return Err(MoveObstacle {
                span: None,
                why: NO_MACHINE.to_owned(),
                help: NO_KUBEVIRT_MACHINE_HELP,
            });
        }
        [] if template.get("objects").is_none() => {
            step.edits.push(insert_stub(source, template, entry)?);
            "a VirtualMachine that was added to hold them".to_owned()
        }
        [] => return Err(MoveObstacle { span: None, why: NO_MACHINE.to_owned(), help: NO_MACHINE_HELP }),
        [_] => "its VirtualMachine".to_owned(),
        several => format!("its {} VirtualMachines", several.len()),
    };
    for machine in machines {
        let there = all.iter().find(|other| {
            other.virtual_machines().any(|found| found.span() == machine.span())
                && other.key_text() == VM_ANNOTATION
                && matches!(other.holder, AnnotationHolder::VirtualMachine { .. })
        });
        match there {
            Some(there) => append_to_annotation(source, annotation, there, step)?,
            None => {
                step.edits.extend(insert_annotation(source, InsertionPlace::of(source, machine)?, entry)?);
            }
        }
    }
    step.edits.extend(taken_out(source, template, entry)?);
    let rules = count_rules(annotation);
    step.change(entry.key.span(), format!("moved {rules} in `{}` to {target}", annotation.key_text()));
    Ok(())
}

/// Refuses what other parts of the file refer to, for moving it would change them too.
fn is_alone(source: &SourceFile, template: Node<'_>, entry: Entry<'_>) -> Result<(), MoveObstacle> {
    let metadata = template.entry("metadata");
    let annotations = metadata.and_then(|metadata| metadata.value.entry("annotations"));
    let around = [metadata, annotations].into_iter().flatten();
    if around.clone().any(|around| around.value.is_alias()) {
        return Err(MoveObstacle::at(
            entry.key.span(),
            "the annotation is written elsewhere and referred to here",
            INLINE,
        ));
    }
    let referred = around.chain([entry]).find(|part| is_referred_to(source, *part));
    referred.map_or(Ok(()), |part| {
        let why = format!("other parts of the file refer to this `{}` by its anchor", part.key.text());
        Err(MoveObstacle::at(part.key.span(), why, "write out what they refer to"))
    })
}

const INLINE: &str = "write it out where it is used";
const NO_MACHINE: &str = "the template has no VirtualMachine that the rules could move to";
const NO_KUBEVIRT_MACHINE_HELP: &str =
    "add the VirtualMachine as `spec.virtualMachine`, or remove the annotation";
const NO_MACHINE_HELP: &str = "add the VirtualMachine to `objects`, or remove the annotation";

/// The annotation's own entry among the template's annotations.
fn entry_of<'d>(annotation: &Annotation<'d>, template: Node<'d>) -> Option<Entry<'d>> {
    let annotations = template.get("metadata")?.get("annotations")?;
    let key = annotation.key?.span();
    annotations.entries().find(|entry| entry.key.span() == key)
}

/// Takes the entry off the template; a mapping that loses its only entry goes as well, unless a comment would go with it.
fn taken_out(
    source: &SourceFile,
    template: Node<'_>,
    entry: Entry<'_>,
) -> Result<Vec<kvrules_diagnostics::Edit>, MoveObstacle> {
    let obstacle =
        || MoveObstacle::at(entry.key.span(), "the annotation cannot be removed from its location", INLINE);
    let metadata = template.entry("metadata").ok_or_else(obstacle)?;
    let annotations = metadata.value.entry("annotations").ok_or_else(obstacle)?;
    let is_block = is_block(source, annotations.value);
    if !is_block || annotations.value.entries().nth(1).is_some() {
        return Ok(vec![out_of(source, annotations.value, entry).ok_or_else(obstacle)?]);
    }
    remove_only_entry(source, metadata, annotations, entry).ok_or_else(obstacle)
}

/// Takes an entry out of a mapping that keeps others, or is in brackets.
fn out_of(source: &SourceFile, map: Node<'_>, entry: Entry<'_>) -> Option<Edit> {
    let lines = FileLines::new(source);
    if is_block(source, map) {
        let (start, end) = entry_lines(source, entry);
        if lines.before(entry.key.span().start as usize).trim_matches([' ', '>']).is_empty() {
            return lines.remove(start, end);
        }
    } else if map.entries().nth(1).is_none() {
        // The mapping becomes empty, so the white space between its brackets is removed as well.
        let (start, end) = (map.span().start as usize, map.span().end as usize);
        let close = entry.value.span().end as usize;
        let close = close + lines.slice(close, end).find('}')?;
        let lead = lines.slice(start + 1, entry.key.span().start as usize);
        let tail = lines.slice(entry.value.span().end as usize, close);
        if lead.trim().is_empty() && tail.trim().is_empty() {
            return Some(Edit { span: lines.span(start + 1, close)?, replacement: String::new() });
        }
    }
    Rewriter::new(source).remove_entry(map, entry)
}

/// Takes out the only entry of a block mapping.
fn remove_only_entry(
    source: &SourceFile,
    metadata: Entry<'_>,
    annotations: Entry<'_>,
    entry: Entry<'_>,
) -> Option<Vec<kvrules_diagnostics::Edit>> {
    let lines = FileLines::new(source);
    let (start, end) = entry_lines(source, entry);
    let key = annotations.key.span();
    let head = lines.slice(key.end as usize, lines.start(entry.key.span().start as usize));
    let bare = head.trim() == ":";
    let is_first = !lines.before(key.start as usize).trim_matches([' ', '>']).is_empty();
    if bare && !is_first && metadata.value.entries().nth(1).is_some() {
        return Some(vec![lines.remove(lines.start(key.start as usize), end)?]);
    }
    // Keep an empty mapping, with the comments around it.
    let colon = head.find(':')? + 1 + key.end as usize;
    let empty = kvrules_diagnostics::Edit { span: lines.span(colon, colon)?, replacement: " {}".to_owned() };
    Some(vec![empty, lines.remove(start, end)?])
}
