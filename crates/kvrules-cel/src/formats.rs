//! Formats of texts that schemas and expressions both ask for.

use crate::value::time::parse_date;

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12, with dashes between them or not.
// kube-openapi strfmt/default.go, UUIDPattern: each dash may be absent by itself.
pub fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for length in [8, 4, 4, 4, 12] {
        let Some((digits, after)) = rest.split_at_checked(length) else { return false };
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after.strip_prefix('-').filter(|after| !after.is_empty()).unwrap_or(after);
    }
    rest.is_empty()
}

/// Base64 with padding; nothing is not.
// govalidator, IsBase64
pub fn is_base64(text: &str) -> bool {
    let body = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let is_symbol = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !text.is_empty() && text.len().is_multiple_of(4) && body.bytes().all(is_symbol)
}

/// A date and a time of day with a zone, in letters of either case; a fraction follows one character of any kind.
// kube-openapi validation/strfmt/time.go, IsDateTime
pub fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    parse_date(date).is_some() && is_time(time).unwrap_or(false)
}

fn is_time(time: &str) -> Option<bool> {
    let (hour, rest) = two_digits(time)?;
    let (minute, rest) = two_digits(rest.strip_prefix(':')?)?;
    let (second, rest) = two_digits(rest.strip_prefix(':')?)?;
    let is_zone = |zone: &str| zone == "z" || is_offset(zone).unwrap_or(false);
    let fraction = || {
        let mut chars = rest.chars();
        chars.next()?;
        let after = chars.as_str().trim_start_matches(|c: char| c.is_ascii_digit());
        Some(after.len() < chars.as_str().len() && is_zone(after))
    };
    let in_range = hour <= "23" && minute <= "59" && second <= "59";
    Some(in_range && (is_zone(rest) || fraction().unwrap_or(false)))
}

fn is_offset(zone: &str) -> Option<bool> {
    let (_, rest) = two_digits(zone.strip_prefix(['+', '-'])?)?;
    let (_, rest) = two_digits(rest.strip_prefix(':')?)?;
    Some(rest.is_empty())
}

fn two_digits(text: &str) -> Option<(&str, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some((digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_these_formats() {
        let good = [
            "123e4567-e89b-12d3-a456-426614174000",
            "123E4567E89B12D3A456426614174000",
            "123e4567e89b-12d3-a456426614174000",
        ];
        for text in good {
            assert!(is_uuid(text), "{text}");
        }
        for text in [
            "123e4567-e89b-12d3-a456-42661417400",
            "123e4567--e89b-12d3-a456-426614174000",
            "",
            "g".repeat(32).as_str(),
            "123e4567-e89b-12d3-a456-426614174000-",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
        for (text, is_it) in [
            ("YWI=", true),
            ("YWJj", true),
            ("YQ==", true),
            ("", false),
            ("YWI", false),
            ("Y===", false),
            ("YW=I", false),
            ("YW I=", false),
        ] {
            assert_eq!(is_base64(text), is_it, "{text}");
        }
        for text in [
            "2024-02-29T12:30:45Z",
            "2024-02-29t12:30:45.5+02:00",
            "2024-02-29T12:30:45,123z",
            "2024-02-29T12:30:45x1z",
        ] {
            assert!(is_date_time(text), "{text}");
        }
        for text in [
            "2024-02-29 12:30:45",
            "2023-02-29T12:30:45Z",
            "2024-02-29T24:30:45Z",
            "2024-02-29T12:30:45",
            "2024-02-29T12:30:45.Z",
            "2024-02-29T1:30:45Z",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
