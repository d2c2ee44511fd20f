//! Formats of strings that the server enforces.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kvrules_cel::eval::{CALL_LIMIT, Scope, Shape, evaluate};
use kvrules_cel::value::Value as CelValue;

/// Each format that is enforced for texts, written without dashes, with a text that has it where we know one.
const FORMATS: &[(&str, &str)] = &[
    ("bsonobjectid", "507f1f77bcf86cd799439011"),
    ("uri", "https://example.com/a"),
    ("email", "a@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("cidr", "192.0.2.0/24"),
    ("mac", "02:00:5e:00:53:01"),
    ("uuid", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
    ("uuid3", "6ba7b810-9dad-31d1-80b4-00c04fd430c8"),
    ("uuid4", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
    ("uuid5", "6ba7b810-9dad-51d1-80b4-00c04fd430c8"),
    ("isbn", "0306406152"),
    ("isbn10", "0306406152"),
    ("isbn13", "9780306406157"),
    ("creditcard", "4111111111111111"),
    ("ssn", "078-05-1120"),
    ("hexcolor", "#ffffff"),
    ("rgbcolor", "rgb(0,0,0)"),
    ("byte", "YQ=="),
    ("password", "a"),
    ("date", "2024-01-31"),
    ("duration", "1h"),
    ("datetime", "2024-01-31T12:00:00Z"),
    ("k8sshortname", "a"),
    ("k8slongname", "a.b"),
];

/// A text that has no enforced format but `password`.
pub(super) const OF_NO_FORMAT: &str = "\u{1}?";

fn known(format: &str) -> Option<&'static (&'static str, &'static str)> {
    let name = format.replace('-', "");
    FORMATS.iter().find(|(known, _)| *known == name)
}

/// Whether the server holds texts to a format.
pub(super) fn is_enforced(format: &str) -> bool {
    known(format).is_some_and(|(name, _)| *name != "password")
}

/// A text of a format.
pub(super) fn sample(format: &str) -> Option<&'static str> {
    known(format).map(|(_, text)| *text)
}

/// Whether a text has a format; nothing where that is not known.
pub(super) fn has(format: &str, text: &str) -> Option<bool> {
    let Some((name, good)) = known(format) else { return Some(true) };
    if *name == "password" || text == *good {
        return Some(true);
    }
    if text == OF_NO_FORMAT {
        return Some(false);
    }
    match *name {
        "ipv4" => Some(text.parse::<Ipv4Addr>().is_ok()),
        "ipv6" => Some(text.parse::<Ipv6Addr>().is_ok()),
        "cidr" => Some(is_cidr(text)),
        "date" | "byte" | "datetime" | "uuid" => by_name(name, text),
        _ => None,
    }
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let plain = bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits == "0" || !bits.starts_with('0'));
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    plain && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

/// Asks the library of CEL, which has these formats under the same names.
fn by_name(name: &str, text: &str) -> Option<bool> {
    let expression = kvrules_cel::parse(&format!("!format.{name}().validate(self).hasValue()")).ok()?;
    let mut scope = Scope::default();
    scope.variables.insert("self", (text.into(), Shape::Known));
    match evaluate(&expression, &scope, CALL_LIMIT).result {
        Ok(CelValue::Bool(has)) => Some(has),
        _ => None,
    }
}
