//! The formats that the server knows: what texts of each look like, and which there are for numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::Ipv6Addr;

use kvrules_cel::eval::is_url;
use kvrules_cel::formats::{is_base64, is_date_time, is_uuid};
use kvrules_cel::go_text;
use kvrules_cel::names::{label_errors, subdomain_errors};
use kvrules_cel::value::duration::parse_format_duration;
use kvrules_cel::value::time::parse_date;
use regex::Regex;
use serde_json::Value as Json;

use super::super::text_keyword;
use super::outcome::{ObjectError, ValidationOutcome};
use super::value_path::ValuePath;
use crate::field_error::ErrorType;
use crate::server::ObjectFeatures;

mod email;

/// A format that the server looks at.
///
/// ```
/// use kvrules_apiserver::object::Format;
///
/// assert_eq!(Format::from_name("datetime").map(|format| (format.name(), format.value_type())), Some(("date-time", "string")));
/// assert_eq!(Format::from_name("int32").map(|format| format.value_type()), Some("integer"));
/// assert!(Format::from_name("int-32").is_none() && Format::from_name("date time").is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Format {
    name: &'static str,
    ty: &'static str,
    predicate: Option<FormatPredicate>,
}

/// Returns true if a string has a format.
type FormatPredicate = fn(&str) -> bool;

impl Format {
    /// All of them: those of texts, then those of numbers.
    pub fn all_formats() -> impl Iterator<Item = Self> {
        FORMATS.iter().copied()
    }

    /// The format with a name; `None` if the server does not know it and ignores it. Dashes in the names of string
    /// formats have no effect.
    pub fn from_name(name: &str) -> Option<Self> {
        // kube-openapi strfmt/format.go, DefaultNameNormalizer
        fn plain(name: &str) -> impl Iterator<Item = u8> {
            name.bytes().filter(|byte| *byte != b'-')
        }
        let is_it = |format: &Self| match format.predicate {
            Some(_) => plain(format.name).eq(plain(name)),
            None => format.name == name,
        };
        // Most names are written as here, which takes no look at their bytes.
        Self::all_formats().find(|format| format.name == name).or_else(|| Self::all_formats().find(is_it))
    }

    /// Its name, with the dashes that people write.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The type of the values that it is for: `string`, `integer` or `number`.
    pub fn value_type(self) -> &'static str {
        self.ty
    }

    /// True if it is one of the formats of Kubernetes' own names.
    pub(crate) fn is_of_names(self) -> bool {
        self.name.starts_with("k8s-")
    }

    const fn of_texts(name: &'static str, predicate: FormatPredicate) -> Self {
        Self { name, ty: "string", predicate: Some(predicate) }
    }

    const fn of_numbers(name: &'static str, ty: &'static str) -> Self {
        Self { name, ty, predicate: None }
    }
}

// apiextensions validation/formats.go, supportedVersionedFormats; kube-openapi strfmt/default.go, init
const FORMATS: &[Format] = &[
    Format::of_texts("bsonobjectid", |text| matches(r"^[0-9a-fA-F]{24}$", text)),
    Format::of_texts("uri", is_url),
    Format::of_texts("email", email::is_address),
    Format::of_texts("hostname", is_hostname),
    Format::of_texts("ipv4", |text| text.contains('.') && (is_ipv4(text) || is_sloppy_ipv6(text))),
    Format::of_texts("ipv6", |text| text.parse::<Ipv6Addr>().is_ok()),
    Format::of_texts("cidr", is_cidr),
    Format::of_texts("mac", is_mac),
    Format::of_texts("uuid", is_uuid),
    Format::of_texts("uuid3", |text| {
        matches(r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$", text)
    }),
    Format::of_texts("uuid4", |text| {
        matches(r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$", text)
    }),
    Format::of_texts("uuid5", |text| {
        matches(r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$", text)
    }),
    Format::of_texts("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    Format::of_texts("isbn10", is_isbn10),
    Format::of_texts("isbn13", is_isbn13),
    Format::of_texts("creditcard", is_credit_card),
    Format::of_texts("ssn", |text| {
        text.len() == 11 && matches(r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$", text)
    }),
    Format::of_texts("hexcolor", |text| matches(r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text)),
    Format::of_texts("rgbcolor", is_rgb),
    Format::of_texts("byte", is_base64),
    Format::of_texts("password", |_| true),
    Format::of_texts("date", |text| parse_date(text).is_some()),
    Format::of_texts("duration", |text| parse_format_duration(text).is_some()),
    Format::of_texts("date-time", is_date_time),
    Format::of_texts("k8s-short-name", |text| label_errors(text).is_empty()),
    Format::of_texts("k8s-long-name", |text| subdomain_errors(text).is_empty()),
    Format::of_numbers("int32", "integer"),
    Format::of_numbers("int64", "integer"),
    Format::of_numbers("float", "number"),
    Format::of_numbers("double", "number"),
];

/// The format of a node if the server enforces it for the node's type, else empty.
// apiextensions validation/formats.go, StripUnsupportedFormatsPostProcessorForVersion
pub(super) fn in_force(schema: &Json, features: ObjectFeatures) -> &str {
    let format = text_keyword(schema, "format");
    if format.is_empty() {
        return format;
    }
    let found = Format::from_name(format).filter(|it| features.knows_name_formats || !it.is_of_names());
    if !features.types_formats {
        // apiextensions validation/formats.go before v0.36: formats of strings alone, whatever the type is
        return if found.is_some_and(|found| found.predicate.is_some()) { format } else { "" };
    }
    let is_enforced = found.is_some_and(|found| match text_keyword(schema, "type") {
        "" => found.ty == "string",
        ty => found.ty == ty,
    });
    if is_enforced { format } else { "" }
}

/// True if the server enforces a format of strings.
pub(in super::super) fn is_enforced(format: &str) -> bool {
    format != "password" && of_texts(format).is_some()
}

/// Checks that a string has the format of the node; `None` if the node has no format of strings.
// kube-openapi validate/values.go, FormatOf
pub(super) fn check_format(
    schema: &Json,
    value: &str,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> Option<ValidationOutcome> {
    let format = in_force(schema, features);
    let is_plain_address =
        format == "mac" && !features.takes_plain_addresses && !value.contains([':', '-', '.']);
    if of_texts(format)?(value) && !is_plain_address {
        return Some(ValidationOutcome::default());
    }
    let shown = go_text::quote_string(value);
    let detail = format!("must be of type {format}: {shown}");
    Some(ObjectError::with_path_message(path, ErrorType::TypeInvalid, &detail).with_value(&shown).into())
}

fn of_texts(format: &str) -> Option<FormatPredicate> {
    Format::from_name(format)?.predicate
}

thread_local! {
    /// The patterns of this file, once they were used. All compile, which a test holds.
    static COMPILED: RefCell<HashMap<&'static str, Option<Regex>>> = RefCell::default();
}

fn matches(pattern: &'static str, text: &str) -> bool {
    COMPILED.with_borrow_mut(|compiled| {
        let regex = compiled.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    })
}

// kube-openapi strfmt/default.go, IsHostname
fn is_hostname(text: &str) -> bool {
    let name = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    matches(name, text) && text.len() <= 255 && text.split('.').all(|part| part.len() <= 63)
}

/// An address of version 4, whose numbers may begin with zeros.
// k8s.io/utils/net, ParseIPSloppy
fn is_ipv4(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_byte = |part: &&str| number(part).is_some_and(|number| number <= 255);
    parts.len() == 4 && parts.iter().all(is_byte)
}

/// A decimal number, with any zeros before it.
fn number(text: &str) -> Option<u32> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.trim_start_matches('0');
    is_decimal.then(|| if digits.is_empty() { Some(0) } else { digits.parse().ok() })?
}

/// An address of version 6. If it ends in one of version 4, the numbers of that may begin with zeros.
fn is_sloppy_ipv6(text: &str) -> bool {
    match text.rsplit_once(':') {
        Some((before, last)) if last.contains('.') => {
            is_ipv4(last) && format!("{before}:0.0.0.0").parse::<Ipv6Addr>().is_ok()
        }
        _ => text.parse::<Ipv6Addr>().is_ok(),
    }
}

// k8s.io/utils/net, ParseCIDRSloppy
fn is_cidr(text: &str) -> bool {
    let Some((address, prefix)) = text.split_once('/') else { return false };
    let most = if is_ipv4(address) { Some(32) } else { is_sloppy_ipv6(address).then_some(128) };
    most.is_some_and(|most| number(prefix).is_some_and(|bits| bits <= most))
}

/// Six, eight or twenty bytes in pairs of digits, in fours with dots, or without anything between them.
// net/mac.go, ParseMAC
fn is_mac(text: &str) -> bool {
    let groups = |separator: char, width: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        let is_hex = |part: &&str| part.len() == width && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        (parts.iter().all(is_hex)).then_some(parts.len() * width / 2)
    };
    let plain = [12, 16, 40].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = groups(':', 2).or_else(|| groups('-', 2)).or_else(|| groups('.', 4));
    plain || matches!(bytes, Some(6 | 8 | 20))
}

/// The digits of a text without blanks and dashes.
fn digits(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '-' | '\t' | '\n' | '\u{c}' | '\r')).collect()
}

// govalidator, IsISBN10: the digits are weighted with their places, and `X` stands for 10.
fn is_isbn10(text: &str) -> bool {
    let text = digits(text);
    let value = |(place, digit): (usize, char)| match digit {
        'X' if place == 9 => Some(100),
        _ => digit.to_digit(10).map(|digit| digit * u32::try_from(place + 1).unwrap_or_default()),
    };
    let sum: Option<u32> = text.chars().enumerate().map(value).sum();
    text.len() == 10 && sum.is_some_and(|sum| sum % 11 == 0)
}

// govalidator, IsISBN13
fn is_isbn13(text: &str) -> bool {
    let text = digits(text);
    let value =
        |(place, digit): (usize, char)| Some(digit.to_digit(10)? * if place % 2 == 0 { 1 } else { 3 });
    let sum: Option<u32> = text.chars().enumerate().map(value).sum();
    text.len() == 13 && sum.is_some_and(|sum| sum % 10 == 0)
}

// govalidator, IsCreditCard: all but digits are dropped before the pattern and the checksum of Luhn apply.
fn is_credit_card(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_digit).collect();
    let known = r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$";
    let value = |(place, digit): (usize, char)| {
        let digit = digit.to_digit(10).unwrap_or_default();
        match place % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        }
    };
    matches(known, &text) && text.chars().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}

// govalidator, IsRGBcolor
fn is_rgb(text: &str) -> bool {
    matches(
        r"(?x)^rgb\([\t\n\f\r\x20]* (0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5]) [\t\n\f\r\x20]*,
          [\t\n\f\r\x20]* (0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5]) [\t\n\f\r\x20]*,
          [\t\n\f\r\x20]* (0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5]) [\t\n\f\r\x20]*\)$",
        text,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A format, whether a text has it, and the text; read off the source of the server and of Go.
    fn values() -> Vec<(&'static str, bool, String)> {
        let row = |line: &'static str| {
            let mut cells = line.split('\t');
            let (format, has) = (cells.next().unwrap(), cells.next().unwrap() == "yes");
            (format, has, serde_json::from_str(cells.next().unwrap()).unwrap())
        };
        include_str!("formats/values.tsv").lines().map(row).collect()
    }

    #[test]
    fn each_format_takes_what_the_server_takes() {
        let values = values();
        assert!(values.len() >= 100, "{}", values.len());
        let differs: Vec<_> =
            values.iter().filter(|(format, has, text)| of_texts(format).unwrap()(text) != *has).collect();
        assert!(differs.is_empty(), "{differs:#?}");
        for format in Format::all_formats().filter(|format| format.value_type() == "string") {
            assert!(values.iter().any(|(name, has, _)| *name == format.name() && *has), "{}", format.name());
        }
    }

    #[test]
    fn a_format_of_another_type_is_not_enforced() {
        let enforced = [
            (r#"{"format": "ipv4"}"#, "ipv4"),
            (r#"{"format": "date-time", "type": "string"}"#, "date-time"),
            (r#"{"format": "int32", "type": "integer"}"#, "int32"),
            (r#"{"format": "float", "type": "number"}"#, "float"),
            (r#"{"format": "int32"}"#, ""),
            (r#"{"format": "int32", "type": "string"}"#, ""),
            (r#"{"format": "int32", "type": "number"}"#, ""),
            (r#"{"format": "ipv4", "type": "integer"}"#, ""),
            (r#"{"format": "ipv4", "type": "boolean"}"#, ""),
            (r#"{"format": "ipv4", "type": "array"}"#, ""),
            (r#"{"format": "float32", "type": "number"}"#, ""),
            (r#"{"format": "ipv4", "x-kubernetes-int-or-string": true}"#, "ipv4"),
        ];
        for (schema, expected) in enforced {
            let newest = crate::server::ServerFeatures::default().objects;
            assert_eq!(in_force(&serde_json::from_str(schema).unwrap(), newest), expected, "{schema}");
        }
    }

    #[test]
    fn every_pattern_compiles() {
        for (format, _, text) in values() {
            let _ = of_texts(format).unwrap()(&text);
        }
        assert!(COMPILED.with_borrow(|compiled| compiled.values().all(Option::is_some)));
    }
}
