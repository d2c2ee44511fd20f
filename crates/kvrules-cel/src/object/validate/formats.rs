//! The formats that the server knows: what texts of each look like, and which there are for numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use regex::Regex;
use serde_json::Value as Json;

use super::super::text;
use super::outcome::{Mistake, Outcome};
use crate::eval::is_url;
use crate::field_error::ErrorType;
use crate::names::{label, subdomain};
use crate::value::time::{parse_date, parse_duration};

/// A format that the server looks at.
///
/// ```
/// use kvrules_cel::object::Format;
///
/// assert_eq!(Format::named("datetime").map(|format| (format.name(), format.ty())), Some(("date-time", "string")));
/// assert_eq!(Format::named("int32").map(|format| format.ty()), Some("integer"));
/// assert!(Format::named("int-32").is_none() && Format::named("date time").is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Format {
    name: &'static str,
    ty: &'static str,
    judge: Option<Judge>,
}

/// Whether a text has a format.
type Judge = fn(&str) -> bool;

impl Format {
    /// All of them: those of texts, then those of numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().copied()
    }

    /// The format of a name; none where the server knows none and goes on without it. In the names of formats of
    /// texts dashes do not count.
    pub fn named(name: &str) -> Option<Self> {
        fn plain(name: &str) -> impl Iterator<Item = u8> {
            name.bytes().filter(|byte| *byte != b'-')
        }
        let is_it = |format: &Self| match format.judge {
            Some(_) => plain(format.name).eq(plain(name)),
            None => format.name == name,
        };
        Self::all().find(is_it)
    }

    /// Its name, with the dashes that people write.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The type of the values that it is for: `string`, `integer` or `number`.
    pub fn ty(self) -> &'static str {
        self.ty
    }

    const fn of_texts(name: &'static str, judge: Judge) -> Self {
        Self { name, ty: "string", judge: Some(judge) }
    }

    const fn of_numbers(name: &'static str, ty: &'static str) -> Self {
        Self { name, ty, judge: None }
    }
}

const FORMATS: &[Format] = &[
    Format::of_texts("bsonobjectid", |text| matches(r"^[0-9a-fA-F]{24}$", text)),
    Format::of_texts("uri", is_url),
    Format::of_texts("email", is_email),
    Format::of_texts("hostname", is_hostname),
    Format::of_texts("ipv4", |text| {
        text.parse::<Ipv4Addr>().is_ok() || text.contains('.') && text.parse::<Ipv6Addr>().is_ok()
    }),
    Format::of_texts("ipv6", |text| text.parse::<Ipv6Addr>().is_ok()),
    Format::of_texts("cidr", is_cidr),
    Format::of_texts("mac", is_mac),
    Format::of_texts("uuid", |text| {
        matches(r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$", text)
    }),
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
    Format::of_texts("ssn", |text| matches(r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$", text)),
    Format::of_texts("hexcolor", |text| matches(r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text)),
    Format::of_texts("rgbcolor", is_rgb),
    Format::of_texts("byte", |text| {
        matches(r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$", text)
    }),
    Format::of_texts("password", |_| true),
    Format::of_texts("date", |text| parse_date(text).is_some()),
    Format::of_texts("duration", is_duration),
    Format::of_texts("date-time", is_date_time),
    Format::of_texts("k8s-short-name", |text| label(text).is_empty()),
    Format::of_texts("k8s-long-name", |text| subdomain(text).is_empty()),
    Format::of_numbers("int32", "integer"),
    Format::of_numbers("int64", "integer"),
    Format::of_numbers("float", "number"),
    Format::of_numbers("double", "number"),
];

/// The format of a node, if it is one that the server looks at; else empty.
pub(super) fn in_force(schema: &Json) -> &str {
    let format = text(schema, "format");
    if Format::named(format).is_some() { format } else { "" }
}

/// Whether texts are held to a format.
pub(in super::super) fn is_enforced(format: &str) -> bool {
    format != "password" && of_texts(format).is_some()
}

/// Whether a text has the format of the node; nothing where there is none for texts.
pub(super) fn check(schema: &Json, value: &str, path: &str) -> Option<Outcome> {
    let format = text(schema, "format");
    if of_texts(format)?(value) {
        return Some(Outcome::default());
    }
    let told = format!("must be of type {format}: {value:?}");
    Some(Mistake::says(path, ErrorType::TypeInvalid, &told).showing(&format!("{value:?}")).into())
}

fn of_texts(format: &str) -> Option<Judge> {
    Format::named(format)?.judge
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

fn is_hostname(text: &str) -> bool {
    let name = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z]){2,63})$";
    matches(name, text) && text.len() <= 255 && text.split('.').all(|part| part.len() <= 63)
}

/// An address as mail programs write it, with a name before it or without.
fn is_email(text: &str) -> bool {
    let text = text.trim();
    let address = match text.strip_suffix('>') {
        Some(before) => before.rsplit_once('<').map_or("", |(_, address)| address),
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let is_atom = |text: &str| {
        let special = |c: char| c.is_whitespace() || c.is_control() || "()<>[]:;@\\,\"".contains(c);
        !text.is_empty() && text.split('.').all(|part| !part.is_empty() && !part.contains(special))
    };
    let is_quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    (is_atom(local) || is_quoted) && (is_atom(domain) || domain.starts_with('[') && domain.ends_with(']'))
}

fn is_cidr(text: &str) -> bool {
    let Some((address, prefix)) = text.split_once('/') else { return false };
    let is_digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let bits = prefix.parse::<u32>().ok().filter(|_| is_digits);
    match (address.parse::<IpAddr>(), bits) {
        (Ok(IpAddr::V4(_)), Some(bits)) => bits <= 32,
        (Ok(IpAddr::V6(_)), Some(bits)) => bits <= 128,
        _ => false,
    }
}

/// Six, eight or twenty bytes in pairs of digits, or in fours with dots.
fn is_mac(text: &str) -> bool {
    let groups = |separator: char, width: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        let is_hex = |part: &&str| part.len() == width && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        (parts.iter().all(is_hex)).then_some(parts.len() * width / 2)
    };
    let bytes = groups(':', 2).or_else(|| groups('-', 2)).or_else(|| groups('.', 4));
    matches!(bytes, Some(6 | 8 | 20))
}

/// The digits of a text without blanks and dashes.
fn digits(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '-')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = digits(text);
    let value = |(place, digit): (usize, char)| match digit {
        'X' if place == 9 => Some(100),
        _ => digit.to_digit(10).map(|digit| digit * u32::try_from(place + 1).unwrap_or_default()),
    };
    let sum: Option<u32> = text.chars().enumerate().map(value).sum();
    text.len() == 10 && sum.is_some_and(|sum| sum % 11 == 0)
}

fn is_isbn13(text: &str) -> bool {
    let text = digits(text);
    let value =
        |(place, digit): (usize, char)| Some(digit.to_digit(10)? * if place % 2 == 0 { 1 } else { 3 });
    let sum: Option<u32> = text.chars().enumerate().map(value).sum();
    text.len() == 13 && sum.is_some_and(|sum| sum % 10 == 0)
}

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

fn is_rgb(text: &str) -> bool {
    matches(
        r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$",
        text,
    )
}

/// A duration as Go writes it, or numbers with units in words.
fn is_duration(text: &str) -> bool {
    let words = r"(?i)(\d+)\s*(ns|nanosecond|us|µs|μs|microsecond|ms|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week)";
    parse_duration(text).is_some() || matches(words, text)
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let Some((date, rest)) = lower.split_once('t') else { return false };
    let time = rest.split('t').next().unwrap_or_default();
    let shape = r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    let part = |from: usize| time.get(from..from + 2).unwrap_or("99");
    parse_date(date).is_some()
        && matches(shape, time)
        && part(0) <= "23"
        && part(3) <= "59"
        && part(6) <= "59"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that have each format, and one that has not.
    const EXAMPLES: &[(&str, &[&str], &str)] = &[
        ("bsonobjectid", &["507f1f77bcf86cd799439011"], "507f"),
        ("uri", &["https://a.example/b?c", "/path"], "a b"),
        ("email", &["a.b@c.example", "Ann <a@b.example>"], "a@"),
        ("hostname", &["a.example.com"], "a..b"),
        ("ipv4", &["192.0.2.1"], "::1"),
        ("ipv6", &["2001:db8::1"], "192.0.2.1"),
        ("cidr", &["192.0.2.0/24", "2001:db8::/32"], "192.0.2.0/33"),
        ("mac", &["01:23:45:67:89:ab", "0123.4567.89ab"], "01:23"),
        ("uuid", &["123e4567-e89b-12d3-a456-426614174000"], "123e4567"),
        ("uuid3", &["123e4567-e89b-32d3-a456-426614174000"], "123e4567-e89b-12d3-a456-426614174000"),
        ("uuid4", &["123e4567-e89b-42d3-a456-426614174000"], "123e4567-e89b-42d3-c456-426614174000"),
        ("uuid5", &["123e4567-e89b-52d3-a456-426614174000"], "123e4567-e89b-42d3-a456-426614174000"),
        ("isbn", &["0-306-40615-2", "978-0-306-40615-7"], "0-306-40615-3"),
        ("isbn10", &["0306406152"], "0306406153"),
        ("isbn13", &["9780306406157"], "9780306406158"),
        ("creditcard", &["4111 1111 1111 1111"], "4111 1111 1111 1112"),
        ("ssn", &["111-22-3333"], "111-22"),
        ("hexcolor", &["#fff", "00ff00"], "#ff"),
        ("rgbcolor", &["rgb(0, 128, 255)"], "rgb(0, 128, 256)"),
        ("byte", &["YWI="], ""),
        ("date", &["2024-02-29"], "2023-02-29"),
        ("duration", &["1h30m", "3 days"], "soon"),
        ("datetime", &["2024-02-29T12:30:45Z", "2024-02-29t12:30:45.5+02:00"], "2024-02-29 12:30:45"),
        ("k8sshortname", &["a-b"], "a.b"),
        ("k8slongname", &["a.b"], "A"),
    ];

    #[test]
    fn each_format_takes_what_it_should_and_refuses_the_rest() {
        for (format, good, bad) in EXAMPLES {
            let judge = of_texts(format).unwrap();
            assert!(good.iter().all(|text| judge(text)), "{format}: {good:?}");
            assert!(!judge(bad), "{format}: {bad}");
        }
        let texts = Format::all().filter(|format| format.ty() == "string");
        assert_eq!(EXAMPLES.len() + 1, texts.count(), "all but `password`, which is any text");
    }

    #[test]
    fn every_pattern_compiles() {
        let texts = || EXAMPLES.iter().flat_map(|(_, good, _)| *good);
        let taken =
            Format::all().filter_map(|it| it.judge).map(|judge| texts().filter(|text| judge(text)).count());
        assert!(taken.min() > Some(0));
        assert!(COMPILED.with_borrow(|compiled| compiled.values().all(Option::is_some)));
    }
}
