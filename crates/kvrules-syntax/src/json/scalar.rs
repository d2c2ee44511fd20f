//! Numbers, words and parameters.

use crate::{ProblemKind, SyntaxKind, json::parser::Parser, parameters::parameter_at};

impl Parser<'_> {
    /// A number, or what begins like one.
    pub(super) fn number(&mut self) {
        let start = self.at;
        let text = self.token();
        let range = start..start + text.len();
        self.at = range.end;
        if is_json_number(&text) {
            self.scalar(SyntaxKind::Number, range);
        } else if let Some(value) = intended_number(&text) {
            self.problem(ProblemKind::JsonNumber, range.clone(), &text);
            self.number_node(range, &value);
        } else {
            self.problem(ProblemKind::JsonUnquoted, range.clone(), &text);
            self.scalar(SyntaxKind::String, range);
        }
    }

    fn number_node(&mut self, range: std::ops::Range<usize>, value: &str) {
        // If the number had to be corrected, its source is not valid JSON, so the node is a hole.
        let keep = self.text().get(range.clone()).unwrap_or_default().trim_start_matches('+').len();
        let kept = range.end - keep..range.end;
        let readable = self.text().get(kept.clone()) == Some(value);
        self.scalar(
            if readable { SyntaxKind::Number } else { SyntaxKind::Hole },
            if readable { kept } else { range },
        );
    }

    /// `true`, `false`, `null`, or a word that is none of them.
    pub(super) fn word(&mut self) {
        let start = self.at;
        let text = self.token();
        let range = start..start + text.len();
        self.at = range.end;
        let (kind, problem) = match text.as_str() {
            "true" => (SyntaxKind::True, None),
            "false" => (SyntaxKind::False, None),
            "null" => (SyntaxKind::Null, None),
            "True" | "TRUE" => (SyntaxKind::True, Some(ProblemKind::JsonWord)),
            "False" | "FALSE" => (SyntaxKind::False, Some(ProblemKind::JsonWord)),
            "None" | "Null" | "NULL" | "nil" | "undefined" => (SyntaxKind::Null, Some(ProblemKind::JsonWord)),
            "NaN" | "Infinity" => (SyntaxKind::Hole, Some(ProblemKind::JsonWord)),
            _ => (SyntaxKind::String, Some(ProblemKind::JsonUnquoted)),
        };
        if let Some(problem) = problem {
            self.problem(problem, range.clone(), &text);
        }
        self.scalar(kind, range);
    }

    /// `${NAME}` or `${{NAME}}` without quotation marks, which becomes a value when the template is processed.
    pub(super) fn parameter(&mut self) {
        match parameter_at(self.text(), self.at) {
            Some(found) => {
                let range = found.range;
                self.at = range.end;
                self.scalar(SyntaxKind::Parameter, range);
            }
            None => self.unexpected(),
        }
    }

    /// A key without quotation marks.
    pub(super) fn bare_key(&mut self) {
        let start = self.at;
        let text = self.token();
        self.at = start + text.len().max(1);
        self.problem(ProblemKind::JsonUnquoted, start..self.at, &text);
        self.scalar(SyntaxKind::String, start..self.at);
    }

    /// The text up to where a bare token ends.
    fn token(&self) -> String {
        let rest = self.rest();
        let ends =
            |c: char| c.is_whitespace() || matches!(c, ',' | ':' | ']' | '}' | '[' | '{' | '"' | '=' | '#');
        rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default().to_owned()
    }
}

/// The number grammar of RFC 8259.
fn is_json_number(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = fraction.get(len..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !unsigned.is_empty() && digits(unsigned) == unsigned.len();
    }
    rest.is_empty()
}

/// The JSON spelling of a number as other languages write it.
fn intended_number(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let number = if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        i128::from_str_radix(hex, 16).ok()?.to_string()
    } else {
        let stripped = rest.trim_start_matches('0');
        let plain = if stripped.starts_with(|c: char| c.is_ascii_digit()) {
            stripped.to_owned()
        } else {
            format!("0{stripped}")
        };
        plain.strip_suffix('.').map(str::to_owned).unwrap_or(plain)
    };
    let number = format!("{sign}{number}");
    is_json_number(&number).then_some(number)
}
