//! The JSON of annotations in the one layout that kvrules writes, as edits.

use std::fmt::Write as _;

use kvrules_diagnostics::{Diagnostic, Edit, FileId, Level, SourceFile, Span};
use kvrules_elaborate::annotation::{Annotation, find_annotations};
use kvrules_ir::Rule;
use kvrules_syntax::{Document, Node, NodeStyle, Notation, ProblemKind, layout::JsonLayout, parse_json};

use crate::lines::FileLines;

/// The name under which what keeps its layout appears among other findings.
pub const FORMAT: &str = "fmt";

/// Result of formatting a document.
#[derive(Debug, Default)]
pub struct FormatResult {
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
    /// The annotations that keep their layout, and why: an error where something is wrong with them.
    pub left: Vec<Diagnostic>,
}

/// Lays out the JSON of every annotation of a document, in whatever form its rules are. A scalar keeps its style: a block
/// gets lines, and a quoted one stays on one line.
pub fn format_annotations(source: &SourceFile, document: &Document<'_>) -> FormatResult {
    let mut formatting = FormatResult::default();
    for annotation in find_annotations(document).iter().filter(|found| !found.value.is_alias()) {
        match format_annotation(source, annotation) {
            Ok(edit) => {
                formatting.edits.extend(edit.filter(|edit| source.span_text(edit.span) != edit.replacement));
            }
            Err(left) => formatting.left.push(*left),
        }
    }
    formatting
}

/// The rules of an annotation as they are laid out: what formatting does not change. None if they are not whole JSON.
pub fn canonical_rules(annotation: &Annotation<'_>) -> Option<Vec<String>> {
    let json = annotation.json().filter(|json| json.problems().is_empty());
    json.and_then(|_| rules_in(annotation.value.text())).map(|json| json.to_lines())
}

fn format_annotation(
    source: &SourceFile,
    annotation: &Annotation<'_>,
) -> Result<Option<Edit>, Box<Diagnostic>> {
    let Some(json) = annotation.json() else { return format_bare(source, annotation) };
    if annotation.value.text().trim().is_empty() {
        return Ok(None);
    }
    let name = annotation.key_text();
    if annotation.value.is_templated() {
        let why = format!("the rules in `{name}` contain template tags and keep their layout");
        return Err(unformatted_diagnostic(
            Level::Warning,
            annotation.value.span(),
            why,
            "render the template and format the result",
        ));
    }
    if let Some(problem) = json.problems().first() {
        let why = match problem.kind {
            ProblemKind::DuplicateKey => format!("duplicate key `{}`", problem.detail),
            _ => format!("the rules in `{name}` are incomplete JSON"),
        };
        return Err(unformatted_diagnostic(
            Level::Error,
            problem.span,
            why + ", so they keep their layout",
            REPAIR,
        ));
    }
    let laid_out = rules_in(annotation.value.text());
    let Some(rules) = laid_out else {
        let why = format!("the value of `{name}` is not a list of rules, so it keeps its layout");
        return Err(unformatted_diagnostic(Level::Error, annotation.value.span(), why, REPAIR));
    };
    let edit = match annotation.value.style() {
        NodeStyle::Literal | NodeStyle::Folded => format_block(source, annotation.value, json, &rules),
        style => format_quoted(annotation.value, style, &rules),
    };
    edit.map(Some).ok_or_else(|| {
        let why = format!("the rules in `{name}` cannot be reformatted where they are");
        unformatted_diagnostic(
            Level::Error,
            annotation.value.span(),
            why,
            "write them as JSON in a block scalar, `|`",
        )
    })
}

const REPAIR: &str = "run `kvrules check` for the errors, and `--fix` for safe repairs";

fn unformatted_diagnostic(level: Level, span: Span, why: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic { level, ..Diagnostic::refused_input(FORMAT, span, why).with_help(help) })
}

/// A file, or an example, that is only the list of rules.
fn format_bare(source: &SourceFile, annotation: &Annotation<'_>) -> Result<Option<Edit>, Box<Diagnostic>> {
    let list = annotation.value;
    if annotation.key.is_some() || list.notation() != Notation::Json(None) {
        return Ok(None);
    }
    let text = source.span_text(list.span());
    let prefix = FileLines::new(source).before(list.span().start as usize).trim_start_matches('\u{feff}');
    match rules_in(text) {
        Some(rules) if is_indentation(prefix) && !list.is_templated() => {
            let line_break = FileLines::new(source).line_break();
            let replacement = rules.to_lines().join(&format!("{line_break}{prefix}"));
            Ok(Some(Edit { span: list.span(), replacement }))
        }
        _ => {
            let why =
                "the rules are not complete JSON on lines of their own, so they keep their layout".to_owned();
            Err(unformatted_diagnostic(Level::Error, list.span(), why, REPAIR))
        }
    }
}

/// The rules in a text, their keys in order. None if it is not a list, or not sound.
fn rules_in(text: &str) -> Option<JsonLayout> {
    let document = parse_json(FileId(0), text);
    let root = document.root().filter(|root| root.is_list() && document.problems().is_empty())?;
    root.items().map(|item| lay_out_rule(item, text)).collect::<Option<_>>().map(JsonLayout::List)
}

fn lay_out_rule(item: Node<'_>, text: &str) -> Option<JsonLayout> {
    let JsonLayout::Object(entries) = JsonLayout::from_node(item, text)? else {
        return JsonLayout::from_node(item, text);
    };
    let keys = item.entries().map(|entry| entry.key.text());
    let mut members: Vec<_> = keys.zip(entries).collect();
    members.sort_by_key(|(key, _)| Rule::place_of(key));
    Some(JsonLayout::Object(members.into_iter().map(|(_, entry)| entry).collect()))
}

/// The lines of a block scalar below its header, up to the end of the JSON. Its indentation stays.
fn format_block(
    source: &SourceFile,
    value: Node<'_>,
    json: &Document<'_>,
    rules: &JsonLayout,
) -> Option<Edit> {
    let lines = FileLines::new(source);
    // Without a mapping from the bytes of the text to those of the file, the end of the JSON is unknown.
    let root = json.root().filter(|root| root.notation() != Notation::Unclear)?.span();
    let content = value.text().get(..value.text().find('[')?)?;
    let column = content.len() - content.rfind('\n').map_or(0, |at| at + 1);
    let before = lines.before(root.start as usize);
    let prefix = before.get(..before.len().checked_sub(column)?).filter(|prefix| is_indentation(prefix))?;
    let mut start = lines.start(root.start as usize);
    for _ in content.matches('\n') {
        start = lines.start(start.checked_sub(1)?.saturating_sub(usize::from(ends_in_two(lines, start))));
    }
    let line_break = lines.break_before(start)?;
    let end = lines.end(root.end as usize);
    let rest = lines.slice(root.end as usize, end);
    let end = if rest.trim_matches([' ', '\t']).is_empty() { end } else { root.end as usize };
    let written: Vec<_> = rules.to_lines().into_iter().map(|line| format!("{prefix}{line}")).collect();
    Some(Edit { span: lines.span(start, end)?, replacement: written.join(line_break) })
}

/// True if the line before the one that starts here ends with two characters.
fn ends_in_two(lines: FileLines<'_>, start: usize) -> bool {
    lines.break_before(start) == Some("\r\n")
}

/// True if a prefix can be the start of a line of a block: spaces, and the marks of a quotation around it.
fn is_indentation(prefix: &str) -> bool {
    prefix.chars().all(|c| matches!(c, ' ' | '>'))
}

/// The rules on one line, with the quotation marks that were there.
fn format_quoted(value: Node<'_>, style: NodeStyle, rules: &JsonLayout) -> Option<Edit> {
    let line = rules.on_one_line();
    let replacement = match style {
        NodeStyle::Double => in_double_quotes(&line),
        NodeStyle::Single if !line.contains(is_invisible) => format!("'{}'", line.replace('\'', "''")),
        _ => return None,
    };
    Some(Edit { span: value.span(), replacement })
}

/// A string of JSON, which is one of double-quoted YAML too.
fn in_double_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_invisible(c) => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Characters that YAML reads as breaks or does not take as they are.
fn is_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use kvrules_syntax::{edit::apply_edits, parse_stream};

    use super::*;

    fn formatted(text: &str) -> (String, usize) {
        let source = SourceFile::new(FileId(0), "a.yaml", text);
        let (mut edits, mut left) = (Vec::new(), 0);
        for document in parse_stream(FileId(0), text).documents {
            let formatting = format_annotations(&source, &document);
            edits.extend(formatting.edits);
            left += formatting.left.len();
        }
        (apply_edits(text, &edits).unwrap_or_default(), left)
    }

    /// Formats, and holds the result to be a fixed point.
    fn settled(text: &str) -> String {
        let (once, left) = formatted(text);
        assert_eq!((formatted(&once).0.as_str(), left), (once.as_str(), 0));
        once
    }

    const KEY: &str = "vm.kubevirt.io/validations";

    #[test]
    fn line_breaks_that_a_block_keeps_stay_behind_the_rules() {
        for after in ["", "\n", "\n\n", "\nb: c\n", "\n\n# end\n"] {
            let text = format!("validations: |+ # c\n  [\n  {{\n  }}\n  ]\n{after}");
            let wanted = format!("validations: |+ # c\n  [\n    {{}}\n  ]\n{after}");
            assert_eq!(formatted(&text), (wanted, 0), "{after:?}");
        }
    }

    #[test]
    fn a_block_gets_lines_and_keeps_its_indentation_header_and_breaks() {
        let old =
            format!("{KEY}: |4- # mine\r\n\r\n      [{{\"rule\":\"a\",\"name\":\"b\"}} ]  \r\n\r\nb: 1\r\n");
        let new = format!(
            "{KEY}: |4- # mine\r\n    [\r\n      {{\r\n        \"name\": \"b\",\r\n        \"rule\": \"a\"\r\n      }}\r\n    ]\r\n\r\nb: 1\r\n"
        );
        assert_eq!(settled(&old), new);
    }

    #[test]
    fn a_folded_block_and_one_without_an_end_are_laid_out() {
        let old = format!("{KEY}: >\n [{{\n \"x\":1,\n\n   \"path\": 2}}]");
        assert_eq!(
            settled(&old),
            format!("{KEY}: >\n [\n   {{\n     \"path\": 2,\n     \"x\": 1\n   }}\n ]")
        );
    }

    #[test]
    fn quoted_scalars_stay_on_one_line_with_their_escapes() {
        let old = format!(
            "{KEY}: \"[{{\\\"values\\\":[\\\"\\\\u00e9\\\",\\\"\\u2028\\\"],\\n\\\"name\\\":\\\"\\\\\\\\d\\\"}}]\" # mine\n"
        );
        let new = format!(
            "{KEY}: \"[{{\\\"name\\\": \\\"\\\\\\\\d\\\", \\\"values\\\": [\\\"\\\\u00e9\\\", \\\"\\u2028\\\"]}}]\" # mine\n"
        );
        assert_eq!(settled(&old), new);
        let old = format!("{{\"{KEY}\":'[{{\"rule\":\"it''s\"}}]'}}\n");
        assert_eq!(settled(&old), format!("{{\"{KEY}\":'[{{\"rule\": \"it''s\"}}]'}}\n"));
    }

    #[test]
    fn what_is_no_whole_json_is_left_alone_and_told() {
        for value in ["[{\"a\": 1,}]", "[{\"a\": 1, \"a\": 2}]", "{\"a\": 1}", "[\"a\"] // b"] {
            let text = format!("{KEY}: |\n  {value}\n");
            assert_eq!(formatted(&text), (text, 1));
        }
        let empty = format!("{KEY}: ''\n");
        assert_eq!(formatted(&empty), (empty, 0));
    }

    #[test]
    fn a_file_of_rules_alone_is_laid_out() {
        assert_eq!(
            settled("[{\"rule\":\"integer\",\"name\":1e3}]\n"),
            "[\n  {\n    \"name\": 1e3,\n    \"rule\": \"integer\"\n  }\n]\n"
        );
    }
}
