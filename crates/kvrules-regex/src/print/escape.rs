//! Characters and classes as most engines spell them; what differs is given by an [`Alphabet`].

use crate::class::{Class, fold_orbit};

/// Spelling of characters in an engine.
pub(crate) struct Alphabet {
    /// Characters that need a backslash inside of a class.
    pub(crate) special_in_class: &'static str,
    /// Opening of a code point in braces: `\x{` or `\u{`.
    pub(crate) open_code: &'static str,
    /// A class without members.
    pub(crate) never: &'static str,
}

/// Characters that need a backslash outside of a class, the same everywhere.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

impl Alphabet {
    /// Spells a character outside of a class.
    pub(crate) fn write_literal(&self, out: &mut String, char: char) {
        self.write_char(out, char, SPECIAL);
    }

    /// Spells a character in any case, as a class of its variants.
    pub(crate) fn any_case(&self, out: &mut String, char: char) {
        self.write_ranges(
            out,
            "[",
            &fold_orbit(char).into_iter().map(|char| (char, char)).collect::<Vec<_>>(),
        );
    }

    /// Spells a class, negated where that is how a person would put it: when it reaches the last code point.
    pub(crate) fn write_class(&self, out: &mut String, class: &Class) {
        let negated = class.to_negated();
        if class.is_empty() {
            out.push_str(self.never);
        } else if class.contains(char::MAX) && !negated.is_empty() {
            self.write_ranges(out, "[^", negated.ranges());
        } else {
            self.write_ranges(out, "[", class.ranges());
        }
    }

    /// Spells a class by its own members, never negated.
    pub(crate) fn write_positive_class(&self, out: &mut String, class: &Class) {
        self.write_ranges(out, "[", class.ranges());
    }

    fn write_ranges(&self, out: &mut String, open: &str, ranges: &[(char, char)]) {
        out.push_str(open);
        for (low, high) in ranges {
            self.write_char(out, *low, self.special_in_class);
            if high > low {
                // Two adjacent characters are more readable without a hyphen.
                out.push_str(if u32::from(*high) - u32::from(*low) > 1 { "-" } else { "" });
                self.write_char(out, *high, self.special_in_class);
            }
        }
        out.push(']');
    }

    fn write_char(&self, out: &mut String, char: char, special: &str) {
        match char {
            '\t' => out.push_str(r"\t"),
            '\n' => out.push_str(r"\n"),
            '\r' => out.push_str(r"\r"),
            '\x0B' => out.push_str(r"\v"),
            '\x0C' => out.push_str(r"\f"),
            _ if special.contains(char) => out.extend(['\\', char]),
            ' '..='~' => out.push(char),
            '\0'..='\x7F' => out.extend([r"\x", &format!("{:02X}", u32::from(char))]),
            // Letters are read as themselves, except the Kelvin and long s that look like others.
            _ if char.is_alphanumeric() && !matches!(char, '\u{212A}' | '\u{17F}') => out.push(char),
            _ => out.extend([self.open_code, &format!("{:X}", u32::from(char)), "}"]),
        }
    }
}
