//! Masks: what is not prose is filled, so that no phrase matches in it or across it. Byte offsets stay.

/// Stands for each byte that is not prose: the control character "substitute", which no source has.
pub(super) const FILL: char = '\x1a';

/// Text of Markdown without code, targets of links, and comments.
pub(super) fn markdown(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    fill_between(&mut bytes, text, "<!--", "-->");
    fill_between(&mut bytes, text, "](", ")");
    code_spans(&mut bytes);
    restored(bytes)
}

/// The inside of a string literal without placeholders, escapes and quoted code.
pub(super) fn literal(text: &str, is_raw: bool) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if !is_raw {
        escapes(&mut bytes);
    }
    fill_between(&mut bytes, text, "{", "}");
    code_spans(&mut bytes);
    restored(bytes)
}

/// Text of a template without its expressions, statements, comments and elements.
pub(super) fn template(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (open, close) in [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("<", ">")] {
        fill_between(&mut bytes, text, open, close);
    }
    code_spans(&mut bytes);
    restored(bytes)
}

/// A doc comment without the slashes of its lines and without the blocks of code in it.
pub(super) fn doc_comment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let marker = line.len() - content.len() + 3.min(content.len());
        out.push_str(&" ".repeat(marker));
        let prose = &line[marker..];
        let is_fence = prose.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence {
            out.extend(prose.bytes().map(|byte| if byte == b'\n' { '\n' } else { FILL }));
        } else {
            out.push_str(prose);
        }
    }
    markdown(&out)
}

fn fill_between(bytes: &mut [u8], text: &str, open: &str, close: &str) {
    let mut from = 0;
    while let Some(start) = text[from..].find(open).map(|at| from + at) {
        let inner = start + open.len();
        let Some(end) = text[inner..].find(close).map(|at| inner + at + close.len()) else { return };
        fill(&mut bytes[start..end]);
        from = end;
    }
}

/// Fills the text between backticks. An unpaired backtick is literal.
fn code_spans(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(|byte| *byte == b'`').map(|found| at + found) {
        let ticks = bytes[start..].iter().take_while(|byte| **byte == b'`').count();
        let inner = start + ticks;
        let close = bytes[inner..].windows(ticks).position(|window| window.iter().all(|byte| *byte == b'`'));
        match close {
            Some(length) => {
                fill(&mut bytes[start..inner + length + ticks]);
                at = inner + length + ticks;
            }
            None => at = inner,
        }
    }
}

/// A continued line becomes white space, a written line end a new paragraph, any other escape code.
fn escapes(bytes: &mut [u8]) {
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match bytes[at + 1] {
            b'\n' => bytes[at] = b' ',
            b'n' => bytes[at..at + 2].copy_from_slice(b".\n"),
            _ => bytes[at..at + 2].fill(FILL as u8),
        }
        at += 2;
    }
}

fn fill(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = FILL as u8;
    }
}

fn restored(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        text.replace(FILL, "_")
    }

    #[test]
    fn code_and_targets_of_links_are_filled() {
        assert_eq!(shown(&markdown("a `b c` [d](e.md) <!-- f -->g")), "a _____ [d_______ __________g");
    }

    #[test]
    fn an_unpaired_backtick_fills_nothing() {
        assert_eq!(markdown("a ` b"), "a ` b");
    }

    #[test]
    fn placeholders_and_escapes_are_filled() {
        assert_eq!(shown(&literal("a {b:?} c\\n d\\\n  e\\\"", false)), "a _____ c.\n d \n  e__");
        assert_eq!(literal("a\\n", true), "a\\n");
    }

    #[test]
    fn a_doc_comment_loses_its_slashes_and_its_code() {
        let comment = "/// a\n    /// ```\n/// b\n/// ```\n/// c\n";
        assert_eq!(shown(&doc_comment(comment)), "    a\n       ____\n   __\n   ____\n    c\n");
    }

    #[test]
    fn expressions_and_elements_of_a_template_are_filled() {
        assert_eq!(shown(&template("<b>{{ a }} is</b> {# x #}")), "__________ is____ _______");
    }
}
