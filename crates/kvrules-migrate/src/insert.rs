//! Inserts the annotation into the annotations of a VirtualMachine, which may not exist yet.

use kvrules_diagnostics::{Edit, SourceFile, Span};
use kvrules_elaborate::annotation::VM_ANNOTATION;
use kvrules_syntax::{
    Entry, Node, NodeStyle, SyntaxKind,
    edit::{Rewriter, ScalarEdit, quote_json},
};

use crate::{
    detached_value::{DetachedValue, detach_value, entry_lines},
    indent::block_prefix,
    lines::FileLines,
    move_obstacle::{MoveObstacle, is_block, is_referred_to},
};

/// Target of the annotation, by what is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InsertionPlace<'d> {
    /// Among the annotations of the object.
    Annotations(Entry<'d>),
    /// Into metadata without annotations.
    Metadata(Entry<'d>),
    /// Into an object without metadata.
    Object(Node<'d>),
}

/// Default indentation of the keys of an inner mapping.
const UNIT: &str = "  ";

impl<'d> InsertionPlace<'d> {
    /// The place in an object.
    pub(crate) fn of(source: &SourceFile, object: Node<'d>) -> Result<Self, MoveObstacle> {
        let own = |map: Node<'d>, key: &str| map.entries().filter(|entry| entry.key.text() == key).last();
        let merged = |map: Node<'d>, key: &str| {
            let help = "write it out for this VirtualMachine";
            // A new entry would hide the one that is merged in.
            let entry = map.entry(key).filter(|_| own(map, key).is_none());
            entry.map_or(Ok(()), |entry| {
                Err(MoveObstacle::at(
                    map.span(),
                    format!("`{}` is merged in from elsewhere", entry.key.text()),
                    help,
                ))
            })
        };
        merged(object, "metadata")?;
        let Some(metadata) = own(object, "metadata") else { return Ok(Self::Object(object)) };
        merged(metadata.value, "annotations")?;
        let shared = |entry: Entry<'d>| {
            let help = "write it out for this VirtualMachine";
            MoveObstacle::at(
                entry.value.span(),
                format!("`{}` is shared with another object", entry.key.text()),
                help,
            )
        };
        let is_shared = |entry: Entry<'d>| entry.value.is_alias() || is_referred_to(source, entry);
        if object.is_alias() || is_shared(metadata) {
            return Err(shared(metadata));
        }
        match own(metadata.value, "annotations") {
            Some(annotations) if is_shared(annotations) => Err(shared(annotations)),
            Some(annotations) => Ok(Self::Annotations(annotations)),
            None => Ok(Self::Metadata(metadata)),
        }
    }

    /// The keys that are missing around the annotation.
    fn missing(self) -> &'static [&'static str] {
        match self {
            Self::Annotations(_) => &[],
            Self::Metadata(_) => &["annotations"],
            Self::Object(_) => &["metadata", "annotations"],
        }
    }
}

/// Puts a copy of an entry's value there, under the new key.
pub(crate) fn insert_annotation(
    source: &SourceFile,
    place: InsertionPlace<'_>,
    entry: Entry<'_>,
) -> Result<Vec<Edit>, MoveObstacle> {
    let obstacle = || {
        MoveObstacle::at(
            entry.key.span(),
            "the annotation cannot be inserted at the VirtualMachine",
            "give it block style `metadata` with `annotations`",
        )
    };
    let holder = match place {
        InsertionPlace::Annotations(entry) | InsertionPlace::Metadata(entry) => entry.value,
        InsertionPlace::Object(node) => node,
    };
    if is_block(source, holder) && holder.entries().next().is_some() {
        return in_block(source, place, holder, entry).map(|edit| vec![edit]).ok_or_else(obstacle);
    }
    if let (InsertionPlace::Annotations(of) | InsertionPlace::Metadata(of), true) =
        (place, is_nothing(source, holder))
    {
        return insert_under(source, of, place, entry).ok_or_else(obstacle);
    }
    in_flow(source, place, holder, entry).map(|edit| vec![edit]).ok_or_else(obstacle)
}

/// True if a value is absent or an empty mapping, so that a block may replace it.
fn is_nothing(source: &SourceFile, value: Node<'_>) -> bool {
    let empty = value.kind() == SyntaxKind::Null || (value.is_map() && value.entries().next().is_none());
    empty && !matches!(value.notation(), kvrules_syntax::Notation::Json(_)) && !in_brackets(source, value)
}

/// The place of a value that is nothing, or an empty mapping: a parser may count the comment behind it in.
fn empty_value_span(source: &SourceFile, value: Node<'_>) -> Span {
    let span = value.span();
    let closing = source.span_text(span).find('}').filter(|_| value.is_map());
    let end =
        closing.and_then(|at| u32::try_from(at + 1).ok()).map_or(span.end, |length| span.start + length);
    Span { end, ..span }
}

/// True if a place on a line is inside of brackets that open on that line.
fn in_brackets(source: &SourceFile, value: Node<'_>) -> bool {
    FileLines::new(source).before(value.span().start as usize).contains(['{', '['])
}

/// Among the entries of a block mapping.
fn in_block(
    source: &SourceFile,
    place: InsertionPlace<'_>,
    holder: Node<'_>,
    entry: Entry<'_>,
) -> Option<Edit> {
    let lines = FileLines::new(source);
    let first = holder.entries().next()?;
    let indentation = block_prefix(lines.before(first.key.span().start as usize))?;
    let new = nested_lines(place.missing(), &indentation, &value_lines(source, entry)?);
    lines.insert(line_for(source, holder, first), &new)
}

/// Behind the last entry where that is one line, else behind the first such entry, else before all of them.
fn line_for(source: &SourceFile, holder: Node<'_>, first: Entry<'_>) -> usize {
    let lines = FileLines::new(source);
    let simple = |entry: &Entry<'_>| {
        let (start, end) = entry_lines(source, *entry);
        let flat = !entry.value.is_map() && !entry.value.is_list();
        flat && !matches!(entry.value.style(), NodeStyle::Literal | NodeStyle::Folded)
            && lines.next(start) == end
    };
    let last = holder.entries().last().filter(simple);
    match last.or_else(|| holder.entries().find(simple)) {
        Some(entry) => entry_lines(source, entry).1,
        None => lines.start(first.key.span().start as usize),
    }
}

/// Below a key whose value is nothing yet, or `{}`.
fn insert_under(
    source: &SourceFile,
    of: Entry<'_>,
    place: InsertionPlace<'_>,
    entry: Entry<'_>,
) -> Option<Vec<Edit>> {
    let lines = FileLines::new(source);
    let indentation = block_prefix(lines.before(of.key.span().start as usize))? + UNIT;
    let new = nested_lines(place.missing(), &indentation, &value_lines(source, entry)?);
    let mut edits = vec![lines.insert(lines.next(of.key.span().end as usize), &new)?];
    let span = empty_value_span(source, of.value);
    if !span.to_range().is_empty() {
        let before = source.text().get(..span.start as usize)?;
        let start = before.trim_end_matches(' ').len();
        edits.push(Edit { span: lines.span(start, span.end as usize)?, replacement: String::new() });
    }
    Some(edits)
}

/// In brackets: the value becomes one line.
fn in_flow(
    source: &SourceFile,
    place: InsertionPlace<'_>,
    holder: Node<'_>,
    entry: Entry<'_>,
) -> Option<Edit> {
    let rewriter = Rewriter::new(source);
    let (outer, inner) = match place.missing() {
        [] => (VM_ANNOTATION, None),
        [key] => (*key, Some(flow_mapping(&[], entry.value.text()))),
        [key, rest @ ..] => (*key, Some(flow_mapping(rest, entry.value.text()))),
    };
    let value = inner.as_deref().map_or(ScalarEdit::Text(entry.value.text()), ScalarEdit::Literal);
    match holder.entries().last() {
        Some(last) => rewriter.insert_after(holder, last, outer, value),
        None if holder.is_map() => {
            let text = flow_mapping(place.missing(), entry.value.text());
            Some(Edit { span: empty_value_span(source, holder), replacement: text })
        }
        None => None,
    }
}

/// A mapping in brackets with the annotation in it, below these keys.
fn flow_mapping(keys: &[&str], text: &str) -> String {
    let inner = match keys {
        [] => return format!("{{\"{VM_ANNOTATION}\": {}}}", quote_json(text)),
        [key, rest @ ..] => (key, flow_mapping(rest, text)),
    };
    format!("{{\"{}\": {}}}", inner.0, inner.1)
}

/// The value of an entry as lines: as it is written, or written again where that is in brackets.
fn value_lines(source: &SourceFile, entry: Entry<'_>) -> Option<DetachedValue> {
    let is_json = matches!(entry.key.notation(), kvrules_syntax::Notation::Json(_));
    let one_line = !source.span_text(entry.value.span()).contains(['\n', '\r']);
    let is_block = matches!(entry.value.style(), NodeStyle::Literal | NodeStyle::Folded);
    if in_brackets(source, entry.key) || is_json {
        let quotes = matches!(entry.value.style(), NodeStyle::Double | NodeStyle::Single) && one_line;
        let head = if quotes {
            source.span_text(entry.value.span()).to_owned()
        } else {
            quote_json(entry.value.text())
        };
        return Some(DetachedValue { head, below: Vec::new() });
    }
    let loose = detach_value(source, entry);
    let simple = is_block || one_line || matches!(entry.value.style(), NodeStyle::Double | NodeStyle::Single);
    loose
        .filter(|_| simple)
        .or_else(|| Some(DetachedValue { head: quote_json(entry.value.text()), below: Vec::new() }))
}

/// The lines of the annotation below keys that are missing.
fn nested_lines(missing: &[&str], indentation: &str, value: &DetachedValue) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = indentation.to_owned();
    for key in missing {
        lines.push(format!("{at}{key}:"));
        at.push_str(UNIT);
    }
    lines.extend(value.lines(&at, VM_ANNOTATION));
    lines
}

/// A VirtualMachine for the snippet of a template that stops before its objects.
pub(crate) fn insert_stub(
    source: &SourceFile,
    template: Node<'_>,
    entry: Entry<'_>,
) -> Result<Edit, MoveObstacle> {
    let obstacle = || {
        MoveObstacle::at(
            entry.key.span(),
            "the template has no `objects` to move the rules to",
            "add `objects` with the VirtualMachine",
        )
    };
    if !is_block(source, template) {
        return Err(obstacle());
    }
    let lines = FileLines::new(source);
    let first = template.entries().next().ok_or_else(obstacle)?;
    let at = block_prefix(lines.before(first.key.span().start as usize)).ok_or_else(obstacle)?;
    let mut new = vec![
        format!("{at}objects:"),
        format!("{at}- apiVersion: kubevirt.io/v1"),
        format!("{at}  kind: VirtualMachine"),
    ];
    let value = value_lines(source, entry).ok_or_else(obstacle)?;
    new.extend(nested_lines(&["metadata", "annotations"], &format!("{at}  "), &value));
    let last = template.entries().last().ok_or_else(obstacle)?;
    let end = end_of(source, last);
    lines.insert(end, &new).ok_or_else(obstacle)
}

/// Behind the last line of an entry, whatever is in it.
fn end_of(source: &SourceFile, entry: Entry<'_>) -> usize {
    let mut entry = entry;
    while let Some(inner) = entry.value.entries().last().filter(|_| !entry.value.is_alias()) {
        entry = inner;
    }
    let (_, end) = entry_lines(source, entry);
    end.max(extent_of_items(source, entry))
}

fn extent_of_items(source: &SourceFile, entry: Entry<'_>) -> usize {
    let last = entry.value.items().last().filter(|_| !entry.value.is_alias());
    last.map_or(0, |item| FileLines::new(source).next((item.span().end as usize).saturating_sub(1)))
}
