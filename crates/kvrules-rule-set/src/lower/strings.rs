//! Tests of strings: patterns and formats.

use kvrules_cel::literal::to_string_literal;

use super::text::{Text, join_any, relation, whole};
use crate::condition::{Affix, ValueFormat};

/// A pattern that is a text with anchors costs much less as a comparison.
pub(super) fn lower_pattern(pattern: &str, value: &str) -> Text {
    let Some((starts, text, ends)) = plain_pattern(pattern) else {
        return whole(&format!("{value}.matches({})", to_string_literal(pattern)));
    };
    let place = match (starts, ends) {
        (true, true) => return relation(format!("{value} == {}", to_string_literal(&text))),
        (true, false) => Affix::Start,
        (false, true) => Affix::End,
        (false, false) => Affix::Inside,
    };
    lower_affix(place, &[text], value)
}

/// One of some texts is at a place of a string.
pub(super) fn lower_affix(place: Affix, texts: &[String], value: &str) -> Text {
    let function = match place {
        Affix::Start => "startsWith",
        Affix::End => "endsWith",
        Affix::Inside => "contains",
    };
    let has = |text: &String| whole(&format!("{value}.{function}({})", to_string_literal(text)));
    join_any(texts.iter().map(has).collect())
}

/// The text of a pattern without operators, and if it is anchored at the start and at the end.
fn plain_pattern(pattern: &str) -> Option<(bool, String, bool)> {
    let starts = pattern.starts_with('^');
    let mut rest = pattern.strip_prefix('^').unwrap_or(pattern).chars().peekable();
    let (mut text, mut ends) = (String::new(), false);
    while let Some(c) = rest.next() {
        match c {
            '$' if rest.peek().is_none() => ends = true,
            '\\' => text.push(rest.next().filter(char::is_ascii_punctuation)?),
            c if ".+*?()|[]{}^$".contains(c) => return None,
            c => text.push(c),
        }
    }
    (!text.is_empty()).then_some((starts, text, ends))
}

/// A pattern of DNS labels; the same as in the server's own validation.
// apimachinery util/validation/validation.go, dns1123LabelFmt
const DNS_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

pub(super) fn lower_format(format: ValueFormat, text: &str) -> Vec<Text> {
    let matches = |pattern: String| whole(&format!("{text}.matches({})", to_string_literal(&pattern)));
    let at_most = |count: usize| relation(format!("size({text}) <= {count}"));
    match format {
        ValueFormat::Quantity => vec![whole(&format!("isQuantity({text})"))],
        ValueFormat::Ip => vec![whole(&format!("isIP({text})"))],
        ValueFormat::Cidr => vec![whole(&format!("isCIDR({text})"))],
        ValueFormat::DnsLabel => vec![at_most(63), matches(format!("^{DNS_LABEL}$"))],
        ValueFormat::DnsSubdomain => vec![at_most(253), matches(format!("^{DNS_LABEL}(\\.{DNS_LABEL})*$"))],
    }
}
