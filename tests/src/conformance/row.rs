//! A line of a file of cases. Its members stay as they are spelled until a format asks for one, because what some of
//! them are spelled like, or how deeply they nest, is what the case is about.

use std::collections::BTreeMap;

use serde_json::{Value, value::RawValue};

/// The members of a row, as they are written.
pub struct CaseRow<'l> {
    members: BTreeMap<String, &'l RawValue>,
}

impl<'l> CaseRow<'l> {
    /// Reads a line, or says what is wrong with it. JSON other than an object is a row without members.
    pub fn parse(line: &'l [u8]) -> Result<Self, String> {
        if let Ok(members) = serde_json::from_slice(line) {
            return Ok(Self { members });
        }
        match serde_json::from_slice::<&RawValue>(line) {
            Ok(_) => Ok(Self { members: BTreeMap::new() }),
            Err(error) => Err(parse_error(&error)),
        }
    }

    /// A member as it is written.
    pub fn raw_member(&self, key: &str) -> Option<&'l str> {
        self.members.get(key).map(|member| member.get())
    }

    /// A member that is a string.
    pub fn string_member(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.raw_member(key)?).ok()
    }

    /// A member as a value.
    pub fn value_member(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.raw_member(key)?).ok()
    }

    /// The names of the members, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }
}

/// Returns the reason why a line is not JSON. The parser was given one line, so its line number is of no use.
fn parse_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("the line is not JSON: {text} (column {})", error.column())
}
