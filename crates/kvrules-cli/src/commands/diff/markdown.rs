//! A comparison for a comment on a pull request.

use std::fmt::Write as _;

use kvrules::diff::{Change, ComparedPair, proof_text};

use super::{Report, describe_updates, human};

/// The whole report.
pub(super) fn render_markdown(report: &Report) -> String {
    let mut text =
        format!("**{}**\n", escape_markdown(&human::diff_summary(report)).replace("<br>", "**\n\n**"));
    for pair in report.diff.pairs.iter().filter(|pair| !pair.changes.is_empty()) {
        text.push_str(&of_pair(pair));
    }
    for (word, singles) in
        [("Only the old side has", &report.diff.removed), ("Only the new side has", &report.diff.added)]
    {
        for single in singles {
            let _ = writeln!(text, "\n{word} the {} {}.", single.kind, inline_code(&single.name));
        }
    }
    let refused = report.corpus.iter().flat_map(|corpus| &corpus.refused);
    for (number, object) in refused.enumerate() {
        if number == 0 {
            text.push_str("\n| existing object | rejected since | updates |\n|---|---|---|\n");
        }
        let reasons: Vec<String> =
            object.reasons.iter().map(|reason| escape_markdown(&reason.text)).collect();
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {} |",
            inline_code(&object.name),
            escape_markdown(&object.at.to_string()),
            reasons.join("<br>"),
            escape_markdown(&describe_updates(object))
        );
    }
    for (number, pruned) in report.corpus.iter().flat_map(|corpus| &corpus.pruned).enumerate() {
        if number == 0 {
            text.push_str("\n| existing object | lost fields |\n|---|---|\n");
        }
        let fields: Vec<String> = pruned.fields.iter().map(|field| inline_code(field)).collect();
        let at = escape_markdown(&pruned.at.to_string());
        let _ = writeln!(text, "| {} ({at}) | {} |", inline_code(&pruned.name), fields.join(", "));
    }
    text
}

fn of_pair(pair: &ComparedPair) -> String {
    let renamed = pair.renamed.as_ref().map(|name| format!(" → {}", inline_code(name))).unwrap_or_default();
    let mut text = format!("\n### {} {}{renamed}\n\n", pair.kind, inline_code(&pair.name));
    for note in &pair.notes {
        let _ = writeln!(text, "{}\n", escape_markdown(note));
    }
    text.push_str("| field or rule | | change | shown by |\n|---|---|---|---|\n");
    for located in &pair.changes {
        let change = &located.change;
        let at = if change.at.is_empty() { "the whole object".to_owned() } else { inline_code(&change.at) };
        let word = change.direction.as_str();
        let _ = writeln!(
            text,
            "| {at} | {word} | {} | {} |",
            escape_markdown(&human::describe_limits(change)),
            render_change(change)
        );
    }
    text
}

fn render_change(change: &Change) -> String {
    let mut parts = Vec::new();
    for (word, witness) in [("rejected now", &change.refused), ("valid now", &change.accepted)] {
        if let Some(witness) = witness {
            let write = escape_markdown(&human::write_name(witness));
            let request = witness.request.as_ref().map(|_| format!("{write}: "));
            let previous = witness.previous.as_ref().map(|it| {
                let before = inline_code(&human::render_object(it));
                request
                    .as_ref()
                    .map_or_else(|| format!("{write} of {before} to "), |it| format!("{it}{before} to "))
            });
            let previous = previous.or(request);
            let object = inline_code(&human::render_object(&witness.object));
            parts.push(format!("{word}: {}{object}", previous.unwrap_or_default()));
        }
    }
    parts.extend(change.proofs.iter().map(|proof| escape_markdown(&proof_text(proof))));
    parts.extend(change.notes.iter().map(|note| escape_markdown(note)));
    parts.join("<br>")
}

/// A text that means nothing to Markdown, in one line.
fn escape_markdown(text: &str) -> String {
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
fn inline_code(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('|', "&#124;");
    format!(
        "<code>{}</code>",
        escaped.replace('\n', " ").replace('`', "&#96;").replace('*', "&#42;").replace('_', "&#95;")
    )
}
