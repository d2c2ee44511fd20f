//! Values that templates generate: what `generate: expression` makes of a `from`.
//!
//! A `from` is literal text with parts such as `[a-z0-9]{8}`. Both engines look for such parts, replace the first by random
//! characters, and look again. They differ in what a part may hold, and in what it stands for.

use super::TemplateKind;

/// The most characters that one part stands for, in both engines.
const MOST: usize = 255;

/// Longer values are not generated here.
const MOST_CHARACTERS: usize = 1 << 16;

/// Number of times that the result is searched again for parts that replacing others created.
const ROUNDS: usize = 8;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
/// The symbols of `\A`, in the order of each engine.
const OPENSHIFT_SYMBOLS: &str = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`";
const KUBEVIRT_SYMBOLS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// The values that a `from` stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueGenerator {
    parts: Vec<GeneratorPart>,
    kind: TemplateKind,
}

/// A part of a generated value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeneratorPart {
    /// This text.
    Text(String),
    /// Number of characters, each one of these.
    Class {
        /// The characters, each once, in the order in which they are written.
        alphabet: String,
        /// Number of characters.
        length: usize,
    },
}

impl ValueGenerator {
    /// Reads a `from` as the engine does. The error says what is wrong with it, in a sentence without a subject.
    pub fn new(from: &str, kind: TemplateKind) -> Result<Self, String> {
        let mut parts = Vec::new();
        let (mut at, mut characters) = (0, from.len());
        while let Some((start, end, class, length)) = next_part(from, at, kind) {
            let text = from.get(at..start).unwrap_or_default();
            if !text.is_empty() {
                parts.push(GeneratorPart::Text(text.to_owned()));
            }
            let alphabet = class_characters(class, kind)?;
            let length = length_of(length)?;
            characters += length;
            if characters > MOST_CHARACTERS {
                return Err(format!("generates more than {MOST_CHARACTERS} characters"));
            }
            parts.push(GeneratorPart::Class { alphabet, length });
            at = end;
        }
        let rest = from.get(at..).unwrap_or_default();
        if !rest.is_empty() {
            parts.push(GeneratorPart::Text(rest.to_owned()));
        }
        Ok(Self { parts, kind })
    }

    /// The parts, in their order.
    pub fn parts(&self) -> &[GeneratorPart] {
        &self.parts
    }

    /// True if no part is random.
    pub fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, GeneratorPart::Text(_)))
    }

    /// True if the parts are complete: no generated character can make a new part together with others.
    pub fn is_exact(&self) -> bool {
        let has_bracket = |text: &str| text.contains(['[', ']', '{', '}']);
        self.parts.iter().all(|part| match part {
            GeneratorPart::Text(text) | GeneratorPart::Class { alphabet: text, .. } => !has_bracket(text),
        })
    }

    /// The number of values; none if there are more than fit.
    pub fn value_count(&self) -> Option<u64> {
        self.parts.iter().try_fold(1_u64, |count, part| match part {
            GeneratorPart::Text(_) => Some(count),
            GeneratorPart::Class { alphabet, length } => {
                let each = u64::try_from(alphabet.chars().count()).ok()?;
                count.checked_mul(each.checked_pow(u32::try_from(*length).ok()?)?)
            }
        })
    }

    /// One of the values: of each class the first character.
    pub fn first_value(&self) -> String {
        self.generate_value(&mut |_| 0)
    }

    /// Generates a value; `choose` returns an index below the given number, once for each random character.
    pub fn generate_value(&self, choose: &mut dyn FnMut(usize) -> usize) -> String {
        let mut value = self.concatenate(choose);
        for _ in 0..ROUNDS {
            match next_part(&value, 0, self.kind).and_then(|_| Self::new(&value, self.kind).ok()) {
                Some(again) => value = again.concatenate(choose),
                None => break,
            }
        }
        value
    }

    fn concatenate(&self, choose: &mut dyn FnMut(usize) -> usize) -> String {
        let mut value = String::new();
        for part in &self.parts {
            match part {
                GeneratorPart::Text(text) => value.push_str(text),
                GeneratorPart::Class { alphabet, length } => {
                    let alphabet: Vec<_> = alphabet.chars().collect();
                    let chosen = (0..*length).filter_map(|_| alphabet.get(choose(alphabet.len())).copied());
                    value.extend(chosen);
                }
            }
        }
        value
    }

    /// A regular expression that matches the values and nothing else, without anchors.
    pub fn to_pattern(&self) -> String {
        let mut pattern = String::new();
        for part in &self.parts {
            match part {
                GeneratorPart::Text(text) => text.chars().for_each(|c| push_escaped(&mut pattern, c)),
                GeneratorPart::Class { alphabet, length } => {
                    pattern.push('[');
                    alphabet.chars().for_each(|c| push_escaped(&mut pattern, c));
                    pattern.push_str("]{");
                    pattern.push_str(&length.to_string());
                    pattern.push('}');
                }
            }
        }
        pattern
    }
}

/// A character that stands for itself, inside a class and outside.
fn push_escaped(pattern: &mut String, c: char) {
    if c.is_ascii_punctuation() {
        pattern.push('\\');
    }
    pattern.push(c);
}

/// The first part from a byte on: where it starts and ends, what is in the brackets, and what is in the braces.
///
/// OpenShift's expressionvalue.go, generatorsExp; KubeVirt's, exprPattern.
fn next_part(text: &str, mut from: usize, kind: TemplateKind) -> Option<(usize, usize, &str, &str)> {
    loop {
        let start = from + text.get(from..)?.find('[')?;
        from = start + 1;
        let body = text.get(from..)?;
        let is_class = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '\\';
        let class = take_while(body, is_class);
        let Some(behind) = body.get(class.len()..).and_then(|rest| rest.strip_prefix("]{")) else { continue };
        let is_length = |c: char| match kind {
            TemplateKind::OpenShift => c.is_ascii_digit(),
            TemplateKind::KubeVirt => c.is_ascii_alphanumeric() || c == '_',
        };
        let length = take_while(behind, is_length);
        let closed = behind.get(length.len()..).is_some_and(|rest| rest.starts_with('}'));
        if !class.is_empty() && !length.is_empty() && closed {
            let end = from + class.len() + 2 + length.len() + 1;
            return Some((start, end, class, length));
        }
    }
}

fn take_while(text: &str, is_in: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c: char| !is_in(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Both engines: extractRangesAndLength, rangesAndLength.
fn length_of(text: &str) -> Result<usize, String> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(format!("has the length `{text}`, which is not a number"));
    }
    // A number that does not fit into `usize` exceeds the maximum as well.
    let length = text.parse().unwrap_or(usize::MAX);
    if (1..=MOST).contains(&length) {
        Ok(length)
    } else {
        Err(format!("has the length `{text}`; 1 to {MOST} are possible"))
    }
}

/// The characters of a class.
fn class_characters(class: &str, kind: TemplateKind) -> Result<String, String> {
    let written = match kind {
        TemplateKind::OpenShift => openshift_alphabet(class)?,
        TemplateKind::KubeVirt => kubevirt_alphabet(class)?,
    };
    let (mut alphabet, mut seen) = (String::new(), 0_u128);
    for c in written.chars() {
        // All characters are ASCII but for those that are written one by one.
        let bit = 1_u128.checked_shl(u32::from(c)).unwrap_or(0);
        if seen & bit == 0 && (bit != 0 || !alphabet.contains(c)) {
            alphabet.push(c);
        }
        seen |= bit;
    }
    Ok(alphabet)
}

/// KubeVirt's expressionvalue.go, getAlphabetFromRanges: in turn a named class, a range, or letters and digits up to
/// something else. So `abc-f` is a, b, c and f.
fn kubevirt_alphabet(class: &str) -> Result<String, String> {
    let (mut alphabet, mut rest, mut matched) = (String::new(), class, false);
    while let Some(first) = rest.chars().next() {
        let bytes = rest.as_bytes();
        let named = rest.get(..2).and_then(|name| named_class(name, KUBEVIRT_SYMBOLS));
        let taken = if let Some(characters) = named {
            alphabet.push_str(&characters);
            2
        } else if bytes.get(1) == Some(&b'-') && bytes.len() >= 3 {
            let last = bytes.get(2).copied().map_or(first, char::from);
            alphabet.push_str(&kubevirt_range(first, last)?);
            3
        } else if first.is_ascii_alphanumeric() {
            let letters = take_while(rest, |c| c.is_ascii_alphanumeric());
            alphabet.push_str(letters);
            letters.len()
        } else {
            // A backslash or a hyphen that is not part of a range is ignored.
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        matched = true;
        rest = rest.get(taken..).unwrap_or_default();
    }
    if matched { Ok(alphabet) } else { Err(format!("has the class `[{class}]` without characters")) }
}

fn named_class(name: &str, symbols: &str) -> Option<String> {
    match name {
        "\\w" => Some(format!("{LETTERS}{DIGITS}_")),
        "\\d" => Some(DIGITS.to_owned()),
        "\\a" => Some(format!("{LETTERS}{DIGITS}")),
        "\\A" => Some(symbols.to_owned()),
        _ => None,
    }
}

/// KubeVirt's expressionvalue.go, subAlphabet: both ends belong to it, and small letters come before capital ones.
fn kubevirt_range(first: char, last: char) -> Result<String, String> {
    let all = format!("{LETTERS}{DIGITS}");
    match (all.find(first), all.find(last)) {
        (Some(left), Some(right)) if left <= right => {
            Ok(all.get(left..=right).unwrap_or_default().to_owned())
        }
        (Some(_), Some(_)) => Err(format!(
            "has the range `{first}-{last}`, which ends before it starts: the order is a-z, A-Z, 0-9"
        )),
        _ => Err(format!("has the range `{first}-{last}`; only letters and digits have ranges")),
    }
}

/// OpenShift's expressionvalue.go, rangesAndLength, findExpressionPos and replaceWithGenerated: of whatever stands in the
/// brackets the first and the last character of each two or three count, and the last one does not belong to the range.
fn openshift_alphabet(class: &str) -> Result<String, String> {
    if !is_openshift_class(class) {
        return Err(format!(
            "has the class `[{class}]`, which neither starts with \\w, \\d, \\a or \\A nor ends with a range such as `0-9`"
        ));
    }
    let all = format!("{LETTERS}{DIGITS}{OPENSHIFT_SYMBOLS}");
    let (mut alphabet, mut rest) = (String::new(), class);
    while !rest.is_empty() {
        let Some((first, last, taken)) = openshift_piece(rest) else {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        rest = rest.get(taken..).unwrap_or_default();
        if let Some(characters) = named_class(&format!("{first}{last}"), OPENSHIFT_SYMBOLS) {
            alphabet.push_str(&characters);
            continue;
        }
        let (left, right) = (all.find(first).unwrap_or(0), all.find(last).unwrap_or(0));
        if left > right {
            return Err(format!(
                "has the range `{first}-{last}`, which ends before it starts: the order is a-z, A-Z, 0-9"
            ));
        }
        alphabet.push_str(all.get(left..right).unwrap_or_default());
    }
    if alphabet.is_empty() {
        return Err(format!(
            "has the class `[{class}]` without characters: the last character of a range does not belong to it"
        ));
    }
    Ok(alphabet)
}

/// OpenShift's expressionExp, on what stands in the brackets.
fn is_openshift_class(class: &str) -> bool {
    let starts_named = class.get(..2).is_some_and(|name| named_class(name, "").is_some());
    let tail: Vec<_> = class.chars().rev().take(3).collect();
    let ends_in_range = matches!(tail.as_slice(),
        [last, '-', first] if last.is_ascii_alphanumeric() && first.is_ascii_alphanumeric());
    starts_named || ends_in_range
}

/// OpenShift's rangeExp: a letter or digit, with a backslash before it, a hyphen and another behind it if they are there.
fn openshift_piece(text: &str) -> Option<(char, char, usize)> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let mut at = usize::from(bytes.first() == Some(&b'\\'));
    if !is_word(at) {
        return None;
    }
    at += 1;
    at += usize::from(bytes.get(at) == Some(&b'-'));
    at += usize::from(is_word(at));
    let last = bytes.get(at.checked_sub(1)?).copied().map(char::from)?;
    Some((text.chars().next()?, last, at))
}

#[cfg(test)]
mod tests;
