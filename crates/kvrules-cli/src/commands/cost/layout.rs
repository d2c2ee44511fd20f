//! Parts that all reports of costs have: titles, the place and the expression of a rule, and the frame of a report for programs.

use kvrules::SourceFile;
use kvrules::crd::{EXPRESSION_LIMIT, ExpressionField, SCHEMA_LIMIT};
use kvrules::render::{json_text, one_line};
use serde_json::{Map, Value, json};

use crate::terminal::ColorPainter;

/// The definitions of files, each with its file.
pub(super) fn each_definition<'a, D: 'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [D])>,
) -> impl Iterator<Item = (&'a SourceFile, &'a D)> {
    files.flat_map(|(source, definitions)| definitions.iter().map(move |definition| (source, definition)))
}

/// The line over the rules of a version.
pub(super) fn title_line(
    source: &SourceFile,
    start: u32,
    (definition, version): (&str, &str),
    paint: ColorPainter,
) -> String {
    let title = format!("{definition} {version}");
    let (title, name) = (paint.bold(&one_line(title.trim())), one_line(source.name()));
    format!("{title}  {name}:{}\n", source.position_at(start).line)
}

/// The way to the values that an expression is about, with its field unless that is the rule.
pub(super) fn expression_name(name: &str, field: ExpressionField) -> String {
    let name = if name.is_empty() { "(root)" } else { name };
    let field = if field == ExpressionField::Rule { "" } else { " (message)" };
    format!("{name}{field}")
}

/// The line and the name of an expression.
pub(super) fn place_cell(source: &SourceFile, start: u32, name: &str, field: ExpressionField) -> String {
    format!("{}: {}", source.position_at(start).line, one_line(&expression_name(name, field)))
}

/// An expression in one line.
pub(super) fn join_lines(expression: &str) -> String {
    expression.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An expression in one line of at most so many characters.
pub(super) fn expression_cell(expression: &str, most: usize) -> String {
    let line = join_lines(expression);
    let shown = match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    };
    one_line(&shown).into_owned()
}

/// A report for programs, with more fields than all reports have.
pub(super) fn render_report<'a, D: 'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [D])>,
    more: Map<String, Value>,
    to_json: impl Fn(&SourceFile, &D) -> Value,
) -> String {
    let files = files.map(|(source, definitions)| {
        let definitions = definitions.iter().map(|definition| to_json(source, definition));
        json!({"file": source.name(), "definitions": definitions.collect::<Vec<_>>()})
    });
    let limits = [("expressionLimit", EXPRESSION_LIMIT), ("schemaLimit", SCHEMA_LIMIT)];
    let mut report: Map<String, Value> =
        limits.into_iter().map(|(name, limit)| (name.to_owned(), limit.into())).collect();
    report.extend(more);
    report.insert("files".to_owned(), files.collect());
    format!("{}\n", json_text(&format!("{:#}", Value::Object(report))))
}
