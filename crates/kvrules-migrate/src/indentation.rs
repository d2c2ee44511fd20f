//! The accident of indentation: a block that stands deeper than its keys, under a key that has a value already.

use kvrules_diagnostics::{Edit, SourceFile, Span};
use kvrules_syntax::{Document, ProblemKind};

use crate::{MigrationStep, indent::indentation_of, lines::FileLines};

/// Brings a block that is indented under a key with a value of its own to where that key stands.
///
/// Our parser reads such a block as intended and reports it; other YAML parsers refuse the file.
pub fn fix_indentation(source: &SourceFile, document: &Document<'_>) -> MigrationStep {
    let mut step = MigrationStep::default();
    for problem in document.problems().iter().filter(|problem| problem.kind == ProblemKind::YamlIndentation) {
        let edits = problem.related.and_then(|value| dedent_block(source, value));
        match edits {
            // A block inside another one is moved in a later pass, after the outer one.
            Some(edits)
                if edits.iter().any(|edit| step.edits.iter().any(|other| edits_overlap(edit, other))) => {}
            Some(edits) => {
                step.edits.extend(edits);
                step.change(problem.span, "brought a block to the indentation of the keys around it");
            }
            None => step.refuse(
                problem.span,
                "a block is indented under a key that has a value on its line",
                "indent the block as the key above it is",
            ),
        }
    }
    step
}

fn edits_overlap(edit: &Edit, other: &Edit) -> bool {
    edit.span.start < other.span.end && other.span.start < edit.span.end
}

/// Takes the surplus of indentation off the block below the line of `value`.
fn dedent_block(source: &SourceFile, value: Span) -> Option<Vec<Edit>> {
    let lines = FileLines::new(source);
    let outer = key_column(lines.before(value.start as usize))?;
    let first = lines.next(value.end as usize);
    let inner = lines.in_range(first, source.text().len()).find(|(_, line)| !line.trim().is_empty());
    let depth = indentation_of(inner.map(|(_, line)| line)?)?;
    let surplus = depth.checked_sub(outer).filter(|surplus| *surplus > 0)?;
    let mut edits = Vec::new();
    for (start, line) in lines.in_range(first, source.text().len()) {
        if line.trim().is_empty() {
            continue;
        }
        if indentation_of(line)? < depth {
            break;
        }
        edits.push(Edit { span: lines.span(start, start + surplus)?, replacement: String::new() });
    }
    Some(edits)
}

/// Returns the column of a line's key, after the marks of list items that begin there.
fn key_column(line: &str) -> Option<usize> {
    let own = indentation_of(line)?;
    match line.get(own..)?.strip_prefix("- ") {
        Some(rest) => Some(own + 2 + key_column(rest)?),
        None => Some(own),
    }
}
