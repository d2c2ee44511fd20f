//! A comparison for a comment on a pull request.

use std::fmt::Write as _;

use kvrules::diff::{Change, ComparedPair};

use super::{Report, human, updates};

/// The whole report.
pub(super) fn text(report: &Report) -> String {
    let mut text = format!("**{}**\n", escaped(&human::summary(report)).replace("<br>", "**\n\n**"));
    for pair in report.diff.pairs.iter().filter(|pair| !pair.changes.is_empty()) {
        text.push_str(&of_pair(pair));
    }
    for (word, singles) in
        [("Only the old side has", &report.diff.removed), ("Only the new side has", &report.diff.added)]
    {
        for single in singles {
            let _ = writeln!(text, "\n{word} the {} {}.", single.kind, code(&single.name));
        }
    }
    let refused = report.corpus.iter().flat_map(|corpus| &corpus.refused);
    for (number, object) in refused.enumerate() {
        if number == 0 {
            text.push_str("\n| existing object | rejected since | updates |\n|---|---|---|\n");
        }
        let reasons: Vec<String> = object.reasons.iter().map(|reason| escaped(&reason.text)).collect();
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {} |",
            code(&object.name),
            escaped(&object.at.to_string()),
            reasons.join("<br>"),
            escaped(&updates(object))
        );
    }
    text
}

fn of_pair(pair: &ComparedPair) -> String {
    let renamed = pair.renamed.as_ref().map(|name| format!(" → {}", code(name))).unwrap_or_default();
    let mut text = format!("\n### {} {}{renamed}\n\n", pair.kind, code(&pair.name));
    text.push_str("| field or rule | | change | shown by |\n|---|---|---|---|\n");
    for located in &pair.changes {
        let change = &located.change;
        let at = if change.at.is_empty() { "the whole object".to_owned() } else { code(&change.at) };
        let word = change.direction.as_str();
        let _ = writeln!(
            text,
            "| {at} | {word} | {} | {} |",
            escaped(&human::limits(change)),
            render_change(change)
        );
    }
    text
}

fn render_change(change: &Change) -> String {
    let mut parts = Vec::new();
    for (word, witness) in [("rejected now", &change.refused), ("valid now", &change.accepted)] {
        if let Some(witness) = witness {
            let update = human::update(witness);
            let previous = witness
                .previous
                .as_ref()
                .map(|it| format!("{update} of {} to ", code(&human::render_object(it))));
            let object = code(&human::render_object(&witness.object));
            parts.push(format!("{word}: {}{object}", previous.unwrap_or_default()));
        }
    }
    parts.extend(change.notes.iter().map(|note| escaped(note)));
    parts.join("<br>")
}

/// A text that means nothing to Markdown, in one line.
fn escaped(text: &str) -> String {
    let mut made = String::new();
    for char in text.chars() {
        match char {
            '\n' => made.push_str("<br>"),
            '\r' => {}
            '<' => made.push_str("&lt;"),
            '>' => made.push_str("&gt;"),
            '&' => made.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '@' | '!' | '$' | '{' | '}' => {
                made.push('\\');
                made.push(char);
            }
            other => made.push(other),
        }
    }
    made
}

/// A text in a fixed font that is safe in a cell.
fn code(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('|', "&#124;");
    format!(
        "<code>{}</code>",
        escaped.replace('\n', " ").replace('`', "&#96;").replace('*', "&#42;").replace('_', "&#95;")
    )
}
