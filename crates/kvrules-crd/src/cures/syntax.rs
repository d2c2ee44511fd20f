//! Cures for expressions that do not parse.

use std::ops::Range;

use kvrules_cel::parse;
use kvrules_cel::types::{DeclarationShape, escape_property};

use super::{Cure, FaultyExpression};
use crate::tokens::{OPERATORS, token_range};

pub(super) fn cure(faulty: FaultyExpression<'_>) -> Option<Cure> {
    let (source, offset, words) = (faulty.source, faulty.issue.offset, faulty.issue.message.as_str());
    if words.contains("invalid argument to has() macro") {
        return has_argument(faulty);
    }
    if words.starts_with("Syntax error: token recognition error") {
        return raw_text(source, offset).or_else(|| open_quotation(source, offset));
    }
    if !words.starts_with("Syntax error") {
        return None;
    }
    let before = source.get(..offset).unwrap_or_default();
    let after = source.get(offset..).unwrap_or_default();
    if after.starts_with('/') && before.trim_end().ends_with('(') {
        return Some(Cure::advice("a pattern is a text: `matches('…')`"));
    }
    if after.starts_with('~') || before.ends_with('~') || after.starts_with("=~") {
        return Some(Cure::advice("write `text.matches('pattern')`"));
    }
    if before.trim_start().starts_with("if ") || before.trim_start().starts_with("if(") {
        return Some(Cure::advice("write `condition ? value : other`"));
    }
    if after.starts_with("=>") || before.ends_with('=') && after.starts_with('>') {
        return Some(Cure::advice("a loop has its variable as the first argument: `list.all(item, item …)`"));
    }
    let star = source.get(..offset + 1).and_then(|text| text.rfind('['));
    if star.is_some_and(|at| source.get(at..).is_some_and(|rest| rest.starts_with("[*]"))) {
        return Some(Cure::advice("write `.all(item, …)` for every item, or `.exists(item, …)` for one"));
    }
    if after.starts_with("${") || after.starts_with("$(") || after.starts_with("{{") {
        return Some(Cure::advice(
            "a parameter is replaced before a server reads the expression; quote it if it is a text",
        ));
    }
    operator(source, offset)
}

/// The operator of CEL for one of another language, or advice for an expression that ends in an operator.
fn operator(source: &str, offset: usize) -> Option<Cure> {
    if source.get(offset..).is_none_or(|rest| rest.trim().is_empty()) {
        let end = source.trim_end();
        let operator = OPERATORS.into_iter().find(|operator| end.ends_with(operator))?;
        return Some(Cure::advice(format!("finish the expression, or remove `{operator}` at its end")));
    }
    let token = token_range(source, offset);
    let (range, instead) = match source.get(token.clone())? {
        "and" | "AND" => (token, "&&"),
        "or" | "OR" => (token, "||"),
        "not" | "NOT" => (token, "!"),
        _ => {
            let range = sign_range(source, &token);
            let instead = match source.get(range.clone())? {
                "&" => "&&",
                "|" => "||",
                "=" | "===" => "==",
                "!==" | "<>" => "!=",
                "=<" => "<=",
                "=>" => ">=",
                _ => return None,
            };
            (range, instead)
        }
    };
    Some(Cure::replacement(range, instead.to_owned()))
}

/// The signs of comparison and logic around a token.
fn sign_range(source: &str, token: &Range<usize>) -> Range<usize> {
    let is_sign = |char: char| "=<>!&|".contains(char);
    let before = source.get(..token.start).unwrap_or_default().trim_end_matches(is_sign).len();
    let after = source.get(token.end..).unwrap_or_default();
    let range = before..source.len() - after.trim_start_matches(is_sign).len();
    let is_all = source.get(range.clone()).is_some_and(|signs| signs.chars().all(is_sign));
    if is_all { range } else { token.clone() }
}

/// The cure for `has(m['k'])`, `has(oldSelf)` and the like.
fn has_argument(faulty: FaultyExpression<'_>) -> Option<Cure> {
    let (source, offset) = (faulty.source, faulty.issue.offset);
    let start = source.get(..=offset).unwrap_or(source).rfind("has(")?;
    let inner = source.get(start + 4..)?;
    let mut depth = 0_usize;
    let len = inner.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return true,
            ')' => depth -= 1,
            _ => {}
        }
        false
    })?;
    let argument = inner.get(..len)?.trim();
    let whole = start..start + 4 + len + 1;
    if let Some((map, key)) = argument.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        let is_negated = source.get(..start).is_some_and(|before| before.trim_end().ends_with('!'));
        let text = field_test(faulty, map, key).unwrap_or_else(|| format!("{key} in {map}"));
        let is_number = key.chars().all(|c| c.is_ascii_digit());
        let text = if is_number { format!("size({map}) > {key}") } else { text };
        let text = if is_negated { format!("({text})") } else { text };
        return Some(Cure::replacement(whole, text));
    }
    let advice = match argument {
        "oldSelf" => "set `optionalOldSelf: true`, and write `oldSelf.hasValue()`",
        "oldObject" => "write `oldObject != null`",
        "self" | "object" => "it is always there: name a field, such as `has(self.spec)`",
        _ => "`has` takes a field, such as `has(self.name)`",
    };
    Some(Cure::advice(advice))
}

/// `has(self.spec.name)` for a field of an object, which differs from a map.
fn field_test(faulty: FaultyExpression<'_>, of: &str, key: &str) -> Option<String> {
    let parsed = parse(of).ok()?;
    let declared = super::fields::declaration_of(&parsed.root, faulty.view.own?)?;
    let DeclarationShape::Object(fields) = &declared.shape else { return None };
    let name = escape_property(key.trim_matches(['\'', '"']))?;
    fields.contains_key(&name).then(|| format!("has({of}.{name})"))
}

/// A backslash without an escape: a raw text takes it as it is.
fn raw_text(source: &str, offset: usize) -> Option<Cure> {
    let rest = source.get(offset..)?;
    let quote = rest.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    let end = rest.char_indices().skip(1).find(|(_, c)| *c == quote).map(|(at, _)| at)?;
    let text = rest.get(..=end)?;
    text.contains('\\').then(|| {
        Cure::replacement(offset..offset, "r".to_owned())
            .in_words(format!("a backslash starts an escape: write `\\\\`, or a raw text: `r{text}`"))
    })
}

fn open_quotation(source: &str, offset: usize) -> Option<Cure> {
    let rest = source.get(offset..)?;
    let quote = rest.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    let is_open = !rest.get(1..)?.contains(quote);
    is_open.then(|| Cure::advice(format!("close the text with `{quote}`")))
}

#[cfg(test)]
mod tests {
    use super::operator;

    #[test]
    fn a_sign_of_another_language_is_answered_with_that_of_cel() {
        for (source, offset, advice) in [
            ("a > 3 &&", 8, "finish the expression, or remove `&&` at its end"),
            ("a > 3 && ", 9, "finish the expression, or remove `&&` at its end"),
            ("a + ", 4, "finish the expression, or remove `+` at its end"),
            ("a = 3", 2, "write `==`"),
            ("a === 3", 4, "write `==`"),
            ("a !== 3", 4, "write `!=`"),
            ("a <> 3", 3, "write `!=`"),
            ("a =< 3", 2, "write `<=`"),
            ("a & b", 2, "write `&&`"),
            ("a and b", 2, "write `&&`"),
            ("not a", 0, "write `!`"),
        ] {
            assert_eq!(operator(source, offset).map(|cure| cure.help).as_deref(), Some(advice), "{source}");
        }
        for (source, offset) in [("a > (3", 6), ("", 0), ("a && && b", 5), ("a ) b", 2)] {
            assert_eq!(operator(source, offset), None, "{source}");
        }
    }
}
