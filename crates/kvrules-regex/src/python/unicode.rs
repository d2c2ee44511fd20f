//! Python's `\d`, `\s`, `\w` and its idea of case, in the Unicode version of Python 3.11 (14.0).
//!
//! `\w` is what `str.isalnum` takes and `_`: letters and numbers, no marks. `\s` has the four separators U+001C to
//! U+001F in addition to Unicode's white space. Checked against Python 3.11 for every code point.

use std::sync::OnceLock;

use regex_syntax::hir::{Class as HirClass, HirKind};

use super::ast::CaseFolding;
use crate::class::{Class, fold_orbit};

/// Unicode's white space with the four separators.
pub(crate) const SPACE: &[(char, char)] = &[
    ('\t', '\r'),
    ('\x1C', ' '),
    ('\u{85}', '\u{85}'),
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
];

/// The class of `d`, `s` or `w`.
pub(crate) fn named_class(letter: char, ascii: bool) -> Class {
    match (letter, ascii) {
        ('d', true) => Class::new([('0', '9')]),
        ('s', true) => Class::new([('\t', '\r'), (' ', ' ')]),
        (_, true) => Class::new([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        ('d', false) => digit_class().clone(),
        ('s', false) => Class::new(SPACE.iter().copied()),
        (_, false) => word_class().clone(),
    }
}

/// `\d`: the decimal digits of every script.
pub(crate) fn digit_class() -> &'static Class {
    static DIGITS: OnceLock<Class> = OnceLock::new();
    DIGITS.get_or_init(|| build_table(r"[\p{Nd}&&\p{age=14.0}]"))
}

/// `\w`.
pub(crate) fn word_class() -> &'static Class {
    static WORDS: OnceLock<Class> = OnceLock::new();
    WORDS.get_or_init(|| build_table(r"[[\p{L}\p{N}_]&&\p{age=14.0}]"))
}

/// The value of a decimal digit of any script.
///
/// Digits are in runs of ten that begin with zero; Unicode promises that, and adjacent runs are whole ones.
pub fn digit_value(char: char) -> Option<u8> {
    if char.is_ascii() {
        return char.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
    }
    let ranges = digit_class().ranges();
    let at = ranges.partition_point(|(low, _)| *low <= char).checked_sub(1)?;
    let (low, high) = ranges.get(at)?;
    let offset = (*low..=*high).contains(&char).then(|| u32::from(char) - u32::from(*low))?;
    u8::try_from(offset % 10).ok()
}

/// True if a character belongs to words.
pub(crate) fn is_word(char: char, ascii: bool) -> bool {
    if ascii || char.is_ascii() {
        return char.is_ascii_alphanumeric() || char == '_';
    }
    let ranges = word_class().ranges();
    let at = ranges.partition_point(|(low, _)| *low <= char);
    at.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(low, high)| (*low..=*high).contains(&char))
}

/// Every character that is this one except for case, itself included.
pub(crate) fn case_variants(char: char, fold: CaseFolding) -> Vec<char> {
    match fold {
        CaseFolding::Ascii if char.is_ascii_alphabetic() => {
            vec![char.to_ascii_uppercase(), char.to_ascii_lowercase()]
        }
        CaseFolding::Ascii => vec![char],
        // Python treats the dotted and the dotless i as equal, unlike simple case folding.
        CaseFolding::Unicode if DOTTED.contains(&char) => DOTTED.to_vec(),
        CaseFolding::Unicode => fold_orbit(char),
    }
}

/// The class with every case variant of its members.
pub(crate) fn fold_class(class: &Class, fold: CaseFolding) -> Class {
    match fold {
        CaseFolding::Ascii => {
            let ascii = class.ranges().iter().flat_map(|(low, high)| *low..=(*high).min('\x7F'));
            let variants = ascii.flat_map(|char| case_variants(char, fold)).map(|char| (char, char));
            Class::new(class.ranges().iter().copied().chain(variants))
        }
        CaseFolding::Unicode => {
            let simple = Class::from_set(&crate::class::fold_case(crate::class::to_set(
                class.ranges().iter().copied(),
            )));
            if !DOTTED.iter().any(|char| class.contains(*char)) {
                return simple;
            }
            Class::new(simple.ranges().iter().copied().chain(DOTTED.map(|char| (char, char))))
        }
    }
}

const DOTTED: [char; 4] = ['I', 'i', '\u{130}', '\u{131}'];

/// True if the text is an identifier of Python.
pub(crate) fn is_identifier(text: &str) -> bool {
    if text.is_ascii() {
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
        return text.starts_with(|char: char| is_word(char) && !char.is_ascii_digit())
            && text.chars().all(is_word);
    }
    let (start, rest) = identifier_classes();
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first == '_' || start.contains(first))
        && chars.all(|char| char == '_' || rest.contains(char))
}

fn identifier_classes() -> &'static (Class, Class) {
    static CLASSES: OnceLock<(Class, Class)> = OnceLock::new();
    CLASSES.get_or_init(|| (build_table(r"[\p{XID_Start}]"), build_table(r"[\p{XID_Continue}]")))
}

fn build_table(pattern: &str) -> Class {
    let hir = regex_syntax::parse(pattern).ok();
    match hir.as_ref().map(regex_syntax::hir::Hir::kind) {
        Some(HirKind::Class(HirClass::Unicode(class))) => Class::from_set(class),
        _ => Class::new([]),
    }
}
