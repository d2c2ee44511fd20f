//! A minimal reader of Rust source for the project's checks: code without comments and literals, matching braces,
//! and functions. A real parser would add a dependency that takes a minute to build.

use std::ops::Range;

use crate::workspace::line_of;

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

/// The text with comments and the insides of literals turned into spaces. Line ends and byte offsets stay.
pub(crate) fn code_only(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    for range in comments_and_literals(text) {
        for byte in &mut out[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The comments and literals of a text in their order, delimiters included.
pub(crate) fn comments_and_literals(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = skipped_end(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        ranges.push(at..end.min(bytes.len()));
        at = end;
    }
    ranges
}

/// Returns the end of the comment or literal that begins at `at`; `at` itself if there is none.
fn skipped_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    match rest[0] {
        b'/' if rest.starts_with(b"//") => at + find(rest, b"\n").unwrap_or(rest.len()),
        b'/' if rest.starts_with(b"/*") => at + block_comment_length(rest),
        b'"' => at + quoted_length(rest, b'"'),
        b'\'' => at + char_length(rest),
        b'r' | b'b' | b'c' if at == 0 || !is_word(bytes[at - 1]) => at + raw_string_length(rest),
        _ => at,
    }
}

fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A quote opens either a character or a lifetime: it is a character when a quote closes it right after one.
fn char_length(rest: &[u8]) -> usize {
    match rest.get(1) {
        Some(b'\\') => quoted_length(rest, b'\''),
        Some(&first) => {
            let width = match first {
                0..0xC0 => 1,
                0xC0..0xE0 => 2,
                0xE0..0xF0 => 3,
                _ => 4,
            };
            if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
        }
        None => 0,
    }
}

/// `r"…"`, `r#"…"#`, `br"…"`, `cr"…"`; zero for a raw identifier and for any other word.
fn raw_string_length(rest: &[u8]) -> usize {
    let prefix = if rest[0] == b'r' { 1 } else { 2 };
    if rest.get(prefix - 1) != Some(&b'r') {
        return 0;
    }
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&b'"') {
        return 0;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    find(&rest[open + 1..], &close).map_or(rest.len(), |at| open + 1 + at + close.len())
}

/// Every function with a body, in the order of their first lines.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let after = code[at + 2..].trim_start();
        let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // Without a name it is the type of a function.
        let Some(body) = body_after(code, at).filter(|_| !name.is_empty()) else { continue };
        let line = line_of(code, at);
        found.push(Function { name, line, lines: line_of(code, body.end - 1) - line + 1 });
    }
    found
}

/// The parts of a file that only tests see.
pub(crate) fn test_ranges(code: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for attribute in ["#[cfg(test)]", "#[cfg(all(test"] {
        for (at, _) in code.match_indices(attribute) {
            let end = body_after(code, at + attribute.len()).map_or(at, |body| body.end);
            ranges.push(at..end);
        }
    }
    ranges
}

/// The code with what only tests see turned into spaces.
pub(crate) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    for range in test_ranges(code) {
        for byte in out[range].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The braces, ends included, that the item at `from` opens; nothing when a semicolon ends it first.
pub(crate) fn body_after(code: &str, from: usize) -> Option<Range<usize>> {
    let mut depth = 0_i32;
    for (offset, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b';' if depth <= 0 => return None,
            b'{' if depth <= 0 => return Some(offset..closing_brace(code, offset)),
            _ => {}
        }
    }
    None
}

/// One past the brace that closes the one at `open`, or the end of the text when it is never closed.
fn closing_brace(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (offset, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

/// Returns the offsets of `word` as a whole word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + word.len());
        !before.is_some_and(|byte| is_word(*byte)) && !after.is_some_and(|byte| is_word(*byte))
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<(String, usize, usize)> {
        functions(&code_only(text)).into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn a_function_is_measured_from_its_name_to_its_closing_brace() {
        assert_eq!(
            lengths("//! x\nfn a() {\n    1;\n}\nfn b() {}\n"),
            [("a".into(), 2, 3), ("b".into(), 5, 1)]
        );
    }

    #[test]
    fn braces_in_literals_and_comments_do_not_count() {
        let text = "fn a<'x>(s: &'x str) {\n let _ = ('{', '\\'', b'{', \"}\\\"}\", r#\"}\"}\"#, br\"}\");\n // }\n /* } /* } */ } */\n}\n";
        assert_eq!(lengths(text), [("a".into(), 1, 5)]);
    }

    #[test]
    fn a_string_over_several_lines_keeps_the_line_numbers() {
        assert_eq!(lengths("const A: &str = \"{\n\n{\";\nfn b() {\n}\n"), [("b".into(), 4, 2)]);
    }

    #[test]
    fn a_declaration_and_a_function_type_have_no_body() {
        let text =
            "trait T { fn a(&self) -> [u8; 2]; }\ntype F = fn(u8) -> u8;\nfn r#in(f: fn() -> [u8; 3]) {\n}\n";
        assert_eq!(lengths(text), [("r".into(), 3, 2)]);
    }

    #[test]
    fn a_function_inside_another_is_measured_too() {
        assert_eq!(lengths("fn a() {\n fn b() {\n }\n}\n"), [("a".into(), 1, 4), ("b".into(), 2, 2)]);
    }

    #[test]
    fn a_character_of_several_bytes_is_one_and_a_label_is_none() {
        assert_eq!(code_only("'é' 'a: loop '→' '\\u{e9}' x"), format!("{:5}'a: loop {:15}x", "", ""));
    }

    #[test]
    fn test_modules_are_left_out() {
        let code = code_only(
            "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod tests;\n",
        );
        let names: Vec<String> = functions(&without_tests(&code)).into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["a", "c"]);
    }
}
