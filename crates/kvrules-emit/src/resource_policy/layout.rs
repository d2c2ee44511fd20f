//! Validations over several lines.

/// Lines are broken here where they can be.
const WIDTH: usize = 100;

/// One part holds.
pub(super) fn any_of(parts: &[String]) -> String {
    let line = parts.join(" || ");
    if line.chars().count() <= WIDTH && !line.contains('\n') { line } else { parts.join(" ||\n") }
}

/// The text holds for each element.
pub(super) fn loop_text(range: &str, variable: &str, text: &str) -> String {
    let line = format!("{range}.all({variable}, {text})");
    if line.chars().count() <= WIDTH && !line.contains('\n') {
        return line;
    }
    format!("{range}.all({variable},\n{}\n)", indented(text))
}

/// The rule holds, or the value is unchanged. An update excuses no error, so this is not a disjunction.
pub(super) fn unless_unchanged(rule: &str, unchanged: &str) -> String {
    let line = format!("({rule} ? true : {unchanged})");
    if line.chars().count() <= WIDTH && !line.contains('\n') {
        return line;
    }
    format!("({rule}\n  ? true\n  : {unchanged})")
}

/// A text that ends in a comment goes on in the next line.
pub(super) fn ended_line(text: &str) -> String {
    let last = text.lines().next_back().unwrap_or_default();
    if last.contains("//") { format!("{text}\n") } else { text.to_owned() }
}

/// Each line further in, unless a text of several lines would change.
fn indented(text: &str) -> String {
    if text.contains("'''") || text.contains("\"\"\"") {
        return text.to_owned();
    }
    let lines = text.lines().map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    lines.collect::<Vec<_>>().join("\n")
}
