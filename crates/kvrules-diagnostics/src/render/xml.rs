//! Texts in XML 1.0: elements are written by hand, what is in them with care.

use std::fmt::Write as _;

use super::escape::is_harmful;

/// A text between tags.
///
/// ```
/// use kvrules_diagnostics::render::xml;
/// assert_eq!(xml::escape_text("a < b"), "a &lt; b");
/// ```
pub fn escape_text(text: &str) -> String {
    escape_chars(text, |character| !matches!(character, '\n' | '\t') && is_harmful(character))
}

/// A text between the quotation marks of an attribute, where readers turn line breaks into blanks.
///
/// ```
/// use kvrules_diagnostics::render::xml;
/// assert_eq!(xml::escape_attribute("\"a\"\nb"), "&quot;a&quot;&#10;b");
/// ```
pub fn escape_attribute(text: &str) -> String {
    escape_chars(text, is_harmful)
}

/// A test case of a JUnit report, which passes if `inner` is empty. `attributes` are written already.
///
/// ```
/// use kvrules_diagnostics::render::xml;
/// let passed = xml::junit_testcase("a.yaml", "rule <1>", "", "");
/// assert_eq!(passed, "    <testcase classname=\"a.yaml\" name=\"rule &lt;1&gt;\"/>\n");
/// ```
pub fn junit_testcase(class: &str, name: &str, attributes: &str, inner: &str) -> String {
    let (class, name) = (escape_attribute(class), escape_attribute(name));
    let open = format!("    <testcase classname=\"{class}\" name=\"{name}\"{attributes}");
    if inner.is_empty() { open + "/>\n" } else { format!("{open}>\n{inner}    </testcase>\n") }
}

/// Numbers of test cases in a JUnit suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JunitCount {
    /// All of them.
    pub tests: usize,
    /// Those that fail.
    pub failures: usize,
    /// Those that could not be run.
    pub errors: usize,
    /// Those that were left out.
    pub skipped: usize,
}

/// The beginning of the JUnit report of a command. `attributes` are written already.
pub fn junit_start(command: &str, attributes: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kvrules {command}\"{attributes}>\n"
    )
}

/// The beginning of a JUnit suite, without numbers if they are known only at its end.
pub fn junit_suite_start(name: &str, count: Option<JunitCount>) -> String {
    let count = count.map(|JunitCount { tests, failures, errors, skipped }| {
        format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    });
    format!("  <testsuite name=\"{}\"{}>\n", escape_attribute(name), count.unwrap_or_default())
}

/// The end of a JUnit suite.
pub const JUNIT_SUITE_END: &str = "  </testsuite>\n";

/// The end of a JUnit report.
pub const JUNIT_END: &str = "</testsuites>\n";

/// An element of a JUnit test case that does not pass: `failure` or `error`.
pub fn junit_failure(element: &str, kind: &str, message: &str, body: &str) -> String {
    let (message, body) = (escape_attribute(message), escape_text(body));
    format!("      <{element} message=\"{message}\" type=\"{kind}\">{body}</{element}>\n")
}

/// The output of a JUnit test case, whether it passes or not.
pub fn junit_output(text: &str) -> String {
    format!("      <system-out>{}</system-out>\n", escape_text(text))
}

/// XML 1.0 has no way to write most control characters, so they are spelled out as Rust and JavaScript do. The others that a
/// terminal acts upon are written as numbers, which mean the same.
fn escape_chars(text: &str, by_number: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        // Writing to a `String` does not fail.
        let _ = match character {
            '&' => escaped.write_str("&amp;"),
            '<' => escaped.write_str("&lt;"),
            '>' => escaped.write_str("&gt;"),
            '"' => escaped.write_str("&quot;"),
            _ if is_legal(character) && by_number(character) => {
                write!(escaped, "&#{};", u32::from(character))
            }
            _ if is_legal(character) => escaped.write_char(character),
            _ => write!(escaped, "\\u{{{:x}}}", u32::from(character)),
        };
    }
    escaped
}

/// True if XML 1.0 lets a character stand in a document.
fn is_legal(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape_text("a<b> & \"c\" ]]>"), "a&lt;b&gt; &amp; &quot;c&quot; ]]&gt;");
    }

    #[test]
    fn line_breaks_survive_where_a_reader_would_change_them() {
        assert_eq!(escape_text("a\r\nb\t"), "a&#13;\nb\t");
        assert_eq!(escape_attribute("a\r\nb\t"), "a&#13;&#10;b&#9;");
    }

    #[test]
    fn characters_that_xml_does_not_have_are_spelled_out() {
        assert_eq!(
            escape_text("\0\u{1b}[m\u{7f}\u{ffff}é\u{1f600}"),
            "\\u{0}\\u{1b}[m&#127;\\u{ffff}é\u{1f600}"
        );
    }
}
