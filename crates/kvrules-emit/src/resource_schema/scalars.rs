//! Types, and the keywords about numbers and texts.

use kvrules_apiserver::definition::map_keyword;
use kvrules_apiserver::object::is_enforced_format;
use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Map, Value, json};

use super::objects::add_conjunct;
use super::{Converter, FORMAT, FRACTION, is_true};

/// Keywords with the same meaning in both languages.
const SAME: [&str; 4] = ["enum", "minLength", "maxLength", "multipleOf"];

/// Copies what describes a value and does not restrict it.
pub(super) fn copy_descriptions(node: &Map<String, Value>, made: &mut Map<String, Value>) {
    for keyword in ["title", "description", "default"] {
        if let Some(value) = map_keyword(node, keyword) {
            made.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(example) = map_keyword(node, "example") {
        made.insert("examples".to_owned(), json!([example]));
    }
}

/// Adds the types of a value.
pub(super) fn add_type(node: &Map<String, Value>, made: &mut Map<String, Value>) {
    if is_true(node, INT_OR_STRING) {
        made.insert("type".to_owned(), json!(["integer", "string"]));
    } else if let Some(kind) = map_keyword(node, "type").filter(|kind| kind.as_str() != Some("")) {
        made.insert("type".to_owned(), kind.clone());
    }
}

impl Converter {
    pub(super) fn add_scalar_keywords(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        for keyword in SAME.into_iter().filter(|_| self.makes_schema) {
            // An empty list allows everything.
            if let Some(value) = map_keyword(node, keyword).filter(|value| **value != json!([])) {
                made.insert(keyword.to_owned(), value.clone());
            }
        }
        self.add_bounds(node, made);
        self.add_pattern(node, made);
        self.add_format(node, made);
    }

    fn add_bounds(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let range = NumberRange::of_type(node);
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            let Some(value) = map_keyword(node, bound) else { continue };
            let keyword = if is_true(node, exclusive) { exclusive } else { bound };
            made.insert(keyword.to_owned(), value.clone());
        }
        // kube-openapi validate/values.go, MultipleOfNativeType, MaximumNativeType, MinimumNativeType
        let limits = ["multipleOf", "minimum", "maximum"];
        let given = limits.iter().filter_map(|name| Some((*name, map_keyword(node, name)?.as_f64()?)));
        let given: Vec<(&str, f64)> = given.collect();
        match range {
            // kube-openapi validate/values.go, IsValueValidAgainstRange: no number passes beside a limit that does not fit the type.
            Some(range) if given.iter().any(|(_, limit)| !range.fits(*limit)) => {
                add_conjunct(made, json!({ "not": { "type": "number" } }));
            }
            Some(range) => range.add_bounds(&given, made),
            None => {
                if is_true(node, INT_OR_STRING) {
                    NumberRange::INT64.add_bounds(&given, made);
                }
                for (keyword, _) in given.iter().filter(|(_, limit)| limit.fract() != 0.0) {
                    self.note_loss(keyword, Exactness::Incomparable, FRACTION);
                }
            }
        }
    }

    fn add_pattern(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let Some(pattern) =
            map_keyword(node, "pattern").and_then(Value::as_str).filter(|text| !text.is_empty())
        else {
            return;
        };
        match kvrules_regex::parse(pattern) {
            Ok(regex) => {
                if self.makes_schema {
                    made.insert("pattern".to_owned(), regex.to_ecma().as_str().into());
                }
            }
            Err(error) => {
                let cause = format!("invalid pattern `{pattern}`: {error}");
                self.note_loss("pattern", Exactness::Unsupported, &cause);
            }
        }
    }

    fn add_format(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let Some(format) =
            map_keyword(node, "format").and_then(Value::as_str).filter(|text| !text.is_empty())
        else {
            return;
        };
        made.insert("format".to_owned(), format.into());
        let is_number =
            matches!(map_keyword(node, "type").and_then(Value::as_str), Some("integer" | "number"));
        // kube-openapi validate/type.go, (*typeValidator).Validate: `password` is known, although no text violates it.
        let is_known = is_enforced_format(format) || format == "password";
        if is_known && !is_number {
            self.note_loss("format", Exactness::Incomparable, FORMAT);
        }
    }
}

/// The numbers that a server can hold in a field of type `integer`.
#[derive(Clone, Copy)]
struct NumberRange {
    least: i64,
    most: i64,
}

impl NumberRange {
    const INT64: Self = Self { least: i64::MIN, most: i64::MAX };

    fn of_type(node: &Map<String, Value>) -> Option<Self> {
        let text = |keyword: &str| map_keyword(node, keyword).and_then(Value::as_str);
        match (text("type"), text("format")) {
            (Some("integer"), Some("int32")) => Some(Self { least: i32::MIN.into(), most: i32::MAX.into() }),
            (Some("integer"), _) => Some(Self::INT64),
            _ => None,
        }
    }

    fn fits(self, limit: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "the server compares floats")]
        let is_within = (self.least as f64) <= limit
            && if self.most == i64::MAX { limit < 2_f64.powi(63) } else { limit <= self.most as f64 };
        limit.fract() == 0.0 && is_within
    }

    /// Adds the ends of the range that no limit of the schema is within.
    fn add_bounds(self, given: &[(&str, f64)], made: &mut Map<String, Value>) {
        for (keyword, end) in [("minimum", self.least), ("maximum", self.most)] {
            if !given.iter().any(|(name, _)| *name == keyword) {
                made.insert(keyword.to_owned(), end.into());
            }
        }
    }
}
