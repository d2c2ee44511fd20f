//! Decodes the annotation. Its paths decode themselves, so a wrong one is reported before a wrong type further up.

use super::key::{RuleKey, find_key};
use super::{BoundArgument, Rule, TextArgument};
use crate::decode::found_type_name;
use crate::error::{DecodeError, ErrorLocation, GoError};
use crate::json::{self, Cursor};
use crate::path::{Path, is_path};

struct Decoder<'t> {
    cursor: Cursor<'t>,
    place: ErrorLocation,
    noted: Option<GoError>,
}

// encoding/json decode.go, Unmarshal: the whole text is checked first, and the first saved error is the result.
pub(super) fn decode_rules(text: &str) -> Result<Vec<Rule>, DecodeError> {
    json::check_json(text).map_err(DecodeError::new)?;
    let mut decoder = Decoder { cursor: Cursor::new(text), place: ErrorLocation::default(), noted: None };
    let rules = decoder.list("[]validation.Rule", Decoder::rule);
    let rules = rules.and_then(|rules| decoder.noted.map_or(Ok(rules), Err));
    rules.map_err(|error| DecodeError::new(error.to_string()))
}

type Decoded<T> = Result<T, GoError>;

impl<'t> Decoder<'t> {
    /// Notes a value of the wrong type and steps over it.
    // encoding/json decode.go, decodeState.saveError: only the first error is kept, and decoding goes on.
    fn skip(&mut self, wanted: &str) {
        let error = GoError::mismatch(found_type_name(self.cursor.value()), wanted);
        self.noted.get_or_insert(error.at_location(&self.place));
    }

    fn is_null(&mut self) -> bool {
        let null = self.cursor.first() == b'n';
        if null {
            self.cursor.scalar();
        }
        null
    }

    // encoding/json decode.go, decodeState.array decodes over the items of an earlier list of the same key. Every item
    // of these lists sets all that it has, so a fresh list gives the same.
    fn list<T>(&mut self, ty: &str, item: impl Fn(&mut Self) -> Decoded<T>) -> Decoded<Vec<T>> {
        let mut items = Vec::new();
        if self.is_null() {
            return Ok(items);
        }
        if self.cursor.first() != b'[' {
            self.skip(ty);
            return Ok(items);
        }
        self.cursor.step();
        while !self.cursor.closes(b']') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    // encoding/json decode.go, decodeState.object: an unknown key is skipped, whatever it holds.
    fn rule(&mut self) -> Decoded<Rule> {
        let mut rule = Rule::default();
        if self.is_null() {
            return Ok(rule);
        }
        if self.cursor.first() != b'{' {
            self.skip("validation.Rule");
            return Ok(rule);
        }
        self.cursor.step();
        while !self.cursor.closes(b'}') {
            let Some((name, key)) = find_key(&self.cursor.key()) else {
                self.cursor.value();
                continue;
            };
            // The name is that of the field's tag, however the key was written.
            self.place = ErrorLocation { owner: "Rule", keys: vec![name] };
            self.member(&mut rule, key)?;
            self.place = ErrorLocation::default();
        }
        Ok(rule)
    }

    fn member(&mut self, rule: &mut Rule, key: RuleKey) -> Decoded<()> {
        match key {
            RuleKey::Rule => self.text(&mut rule.kind, "validation.RuleType"),
            RuleKey::Name => self.text(&mut rule.name, "string"),
            RuleKey::Message => self.text(&mut rule.message, "string"),
            RuleKey::Regex => self.text(&mut rule.regex, "string"),
            RuleKey::JustWarning => self.boolean(&mut rule.just_warning),
            // Not behind a pointer, so `null` is decoded too, and is no path (E022).
            RuleKey::Path => rule.path = self.own(path)?,
            RuleKey::Valid => rule.valid = self.optional(path)?,
            RuleKey::Values => {
                rule.values = self.list("[]path.StringOrPath", |decoder| decoder.own(string_or_path))?;
            }
            RuleKey::Min => rule.min = self.optional(bound)?,
            RuleKey::Max => rule.max = self.optional(bound)?,
            RuleKey::MinLength => rule.min_length = self.optional(bound)?,
            RuleKey::MaxLength => rule.max_length = self.optional(bound)?,
        }
        Ok(())
    }

    // encoding/json decode.go, decodeState.literalStore: `null` has no effect on a string or a boolean, so the value of
    // an earlier key of that name stays.
    fn text(&mut self, slot: &mut String, ty: &str) {
        if self.is_null() {
            return;
        }
        if self.cursor.first() == b'"' {
            *slot = json::decode_string(self.cursor.scalar()).into_owned();
        } else {
            self.skip(ty);
        }
    }

    fn boolean(&mut self, slot: &mut bool) {
        match self.cursor.first() {
            b't' | b'f' => *slot = self.cursor.scalar() == "true",
            b'n' => {
                self.cursor.scalar();
            }
            _ => self.skip("bool"),
        }
    }

    /// A value that decodes itself from its text.
    // encoding/json decode.go, decodeState.indirect finds the UnmarshalJSON; an error of it ends decoding at once.
    fn own<T>(&mut self, decode: impl Fn(&'t str) -> Decoded<T>) -> Decoded<T> {
        decode(self.cursor.value()).map_err(|error| error.at_location(&self.place))
    }

    // The field is a pointer, at which decodeState.indirect stops for `null`: UnmarshalJSON is not called.
    fn optional<T>(&mut self, decode: impl Fn(&'t str) -> Decoded<T>) -> Decoded<Option<T>> {
        if self.is_null() { Ok(None) } else { self.own(decode).map(Some) }
    }
}

/// The text of a string; `null` is the empty one (E024).
// ssp-operator validation/path/path.go, Path.UnmarshalJSON decodes into a new string, which `null` leaves empty.
fn text(json: &str) -> Decoded<String> {
    match found_type_name(json) {
        "string" => Ok(json::decode_string(json).into_owned()),
        _ if json == "null" => Ok(String::new()),
        found => Err(GoError::mismatch(found, "string")),
    }
}

// ssp-operator validation/path/path.go, Path.UnmarshalJSON.
fn path(json: &str) -> Decoded<Path> {
    Path::parse(&text(json)?).map_err(GoError::Other)
}

// ssp-operator validation/path/variants.go, StringOrPath.UnmarshalJSON.
fn string_or_path(json: &str) -> Decoded<TextArgument> {
    let text = text(json)?;
    if is_path(&text) {
        return Path::parse(&text).map(TextArgument::Path).map_err(GoError::Other);
    }
    Ok(TextArgument::Literal(text))
}

/// A number is tried first, then a path; so a number that no float can hold is reported as a wrong text (E043).
// ssp-operator validation/path/variants.go, IntOrPath.UnmarshalJSON: the number's error is dropped, the path's is wrapped.
fn bound(json: &str) -> Decoded<BoundArgument> {
    let number = (found_type_name(json) == "number").then(|| json.parse::<f64>().ok()).flatten();
    if let Some(number) = number.filter(|number| number.is_finite()) {
        return Ok(BoundArgument::Number(round_half_away(number)));
    }
    let path = path(json).map(BoundArgument::Path);
    path.map_err(|error| GoError::Other(format!("cannot unmarshall IntOrPath from JSON: {error}")))
}

/// The nearest integer, halves away from zero. Out of range it is what an amd64 processor gives: the least integer
/// of all, whatever the sign (E041).
// ssp-operator validation/path/conv.go, toInt64: math.Round and a conversion, which Go leaves open out of range.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked, and the rest is as Go converts")]
pub(crate) fn round_half_away(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let rounded = number.round();
    if (-LIMIT..LIMIT).contains(&rounded) { rounded as i64 } else { i64::MIN }
}
