//! Lines and their indentation.

/// The lines of a text, tabs as blanks, without blanks at their ends.
pub(super) fn split_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.split('\n').map(|line| expand_tabs(line).trim_end().to_owned()).collect()
}

fn expand_tabs(line: &str) -> String {
    line.chars().fold(String::new(), |mut out, c| {
        if c == '\t' {
            let column = out.chars().count();
            out.push_str(&" ".repeat(8 - column % 8));
        } else {
            out.push(c);
        }
        out
    })
}

/// True if a line is blank.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Returns the number of leading spaces of a line.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the number of lines that are blank or indented deeper than this, without the blank ones at their end.
pub(super) fn indented_end(lines: &[String], indent: usize) -> usize {
    let is_inside = |line: &&String| is_blank(line) || indent_of(line) > indent;
    let inside = lines.iter().take_while(is_inside).count();
    let inside = lines.get(..inside).unwrap_or_default();
    inside.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1)
}

/// The lines without the indentation that they share.
pub(super) fn dedent_lines(lines: &[String]) -> Vec<String> {
    let indents = lines.iter().filter(|line| !is_blank(line)).map(|line| indent_of(line));
    let shared = indents.min().unwrap_or(0);
    lines.iter().map(|line| line.get(shared..).unwrap_or_default().to_owned()).collect()
}

/// Lines as code, without blank ones around them.
pub(super) fn join_code(lines: &[String]) -> String {
    lines.join("\n").trim_matches('\n').to_owned()
}

/// True if a line is one mark of punctuation again and again.
pub(super) fn is_rule(line: &str) -> bool {
    let mark = line.chars().next();
    mark.is_some_and(|mark| mark.is_ascii_punctuation() && line.chars().all(|c| c == mark)) && line.len() >= 3
}
