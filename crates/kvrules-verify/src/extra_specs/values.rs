//! Values at the edges of what a definition takes, and values of every other sort.

use std::collections::BTreeSet;

use kvrules_extra_specs::{Definition, EnumMember, ValueType};
use kvrules_regex::python::PythonRegex;

use super::keys::LONGEST;
use crate::synthesise::texts_of;

/// Numbers, words for yes and no, lists, sizes, and texts with characters that engines read differently.
const USUAL: [&str; 48] = [
    "",
    " ",
    "\n",
    "0",
    "1",
    "-1",
    "+1",
    "01",
    "-0",
    "1_0",
    "1__0",
    "_1",
    "١",
    "1٣",
    " 7 ",
    "7\n",
    "\u{a0}7",
    "\u{1c}1",
    "1.0",
    "0x1",
    "1e3",
    "true",
    "True",
    " yes",
    "\u{1c}on",
    "Y",
    "tru",
    "OFF\t",
    "ｏｎ",
    "٣",
    "0-3",
    "0-3,^1",
    "^0",
    "1GB",
    "1gb",
    "large",
    "any",
    "a:1",
    "a:1,b:2",
    "a,b",
    "required",
    "é",
    "a",
    "word_1",
    "sloppy value",
    "9999999999999999999999",
    "-9999999999999999999999",
    "😀",
];

/// The values, those first that others are made from. Where the names of `others` take keys of the definition, theirs too.
pub(super) fn candidate_values(definition: &Definition, others: &[&Definition]) -> Vec<String> {
    let mut values: Vec<String> = USUAL.map(str::to_owned).to_vec();
    for one in std::iter::once(definition).chain(others.iter().copied()) {
        match &one.value.r#type {
            ValueType::Integer { min, max } => {
                [min, max].into_iter().flatten().for_each(|bound| add_numbers(*bound, &mut values));
            }
            ValueType::Boolean => {}
            ValueType::String { members, pattern } => {
                members.iter().flatten().for_each(|member| add_member_texts(member, &mut values));
                if let Some(pattern) = pattern {
                    add_pattern_texts(pattern, &mut values);
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    values.retain(|value| value.chars().count() <= LONGEST && seen.insert(value.clone()));
    values
}

/// Numbers around a bound, and the bound in every spelling.
fn add_numbers(bound: i128, values: &mut Vec<String>) {
    values.extend((-2..=2).map(|step| bound.saturating_add(step).to_string()));
    let (sign, digits) = (if bound < 0 { "-" } else { "" }, bound.unsigned_abs().to_string());
    let parted = digits.chars().map(String::from).collect::<Vec<_>>().join("_");
    let plus = if bound < 0 { String::new() } else { format!("+{digits}") };
    values.extend([
        format!("{sign}{digits}0"),
        format!("{sign}0{digits}"),
        format!("{sign}0_{digits}"),
        plus,
    ]);
    values.extend([
        format!("{sign}{parted}"),
        format!(" {bound}"),
        format!("{bound}\n"),
        format!("{bound}é"),
    ]);
    let arabic: String =
        digits.bytes().filter_map(|byte| char::from_u32(0x660 + u32::from(byte - b'0'))).collect();
    values.extend([format!("{sign}{arabic}"), format!("{sign}{arabic}٠")]);
}

/// A word of a list, and texts that could be taken for it.
fn add_member_texts(member: &EnumMember, values: &mut Vec<String>) {
    let word = member.value();
    values.extend([
        word.to_owned(),
        format!("{word}x"),
        format!(" {word}"),
        word.to_uppercase(),
        word.to_lowercase(),
    ]);
}

/// Texts that a pattern describes and texts near them, and each with characters that are in a class for Python alone.
fn add_pattern_texts(pattern: &str, values: &mut Vec<String>) {
    let Some(regex) = PythonRegex::new(pattern).ok().and_then(|regex| regex.to_regex().ok()) else { return };
    let texts = texts_of(&regex);
    for text in &texts {
        if text.contains(|char: char| char.is_ascii_digit()) {
            values.push(text.chars().map(|char| if char.is_ascii_digit() { '٣' } else { char }).collect());
        }
        values.extend([text.replace(' ', "\u{1c}"), text.replace(' ', "\u{2003}")]);
    }
    values.extend(texts);
}
