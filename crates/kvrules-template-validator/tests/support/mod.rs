//! Reads recorded cases. A VirtualMachine is taken as it is written, since its numbers' spelling counts. Some texts
//! differ between the two JSON engines of Go; the older one's are recorded, and they are ours too.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use serde_json::Value;

pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) family: String,
    rules: String,
    vm: String,
    expected: Value,
    /// True if values come in random order.
    random: bool,
}

pub(crate) fn cases(text: &str) -> impl Iterator<Item = Case> {
    text.lines().filter(|line| !line.is_empty()).map(case)
}

fn case(line: &str) -> Case {
    let row: Value = serde_json::from_str(line).expect("a row is JSON");
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    Case {
        id: text("id"),
        family: text("family"),
        rules: text("rules"),
        vm: member(line, "vm").to_owned(),
        expected: row["expected"].clone(),
        random: row.get("nondeterministic").is_some_and(|flag| *flag == true),
    }
}

/// The text of a member of a row.
fn member<'l>(line: &'l str, key: &str) -> &'l str {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    let (mut begin, mut name) = (0, None);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                depth += 1;
                if depth == 1 {
                    begin = at + 1;
                }
            }
            b':' if depth == 1 && name.is_none() => {
                name = Some(line[begin..at].trim().trim_matches('"'));
                begin = at + 1;
            }
            b'}' | b']' if depth > 1 => depth -= 1,
            b',' | b'}' if depth == 1 => {
                if name.take() == Some(key) {
                    return line[begin..at].trim();
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
    panic!("no {key} in {line}");
}

/// Returns the difference from the expected answer, if any.
pub(crate) fn differences(case: &Case) -> Option<String> {
    let answer = kvrules_template_validator::evaluate_annotation(&case.rules, &case.vm);
    let actual = serde_json::to_value(answer).expect("an answer is JSON");
    let expected = &case.expected;
    if case.random {
        return (actual["succeeded"] != expected["succeeded"]).then(|| format!("{expected} {actual}"));
    }
    (actual != *expected).then(|| {
        format!("\n  rules {}\n  vm {}\n  expected {expected}\n  actual   {actual}", case.rules, case.vm)
    })
}
