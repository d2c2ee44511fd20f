//! Texts of formats, for objects that are made.

/// A text of each format that texts are checked against, written without dashes.
const SAMPLES: &[(&str, &str)] = &[
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
    ("date", "2024-01-31"),
    ("duration", "1h"),
    ("datetime", "2024-01-31T12:00:00Z"),
    ("k8sshortname", "a"),
    ("k8slongname", "a.b"),
];

/// A text of a format.
///
/// ```
/// assert_eq!(kvrules_generate::sample_format("date-time"), Some("2024-01-31T12:00:00Z"));
/// ```
pub fn sample_format(format: &str) -> Option<&'static str> {
    let name = format.replace('-', "");
    SAMPLES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use kvrules_apiserver::object::{ValueSchema, is_enforced_format};
    use serde_json::json;

    use super::*;

    #[test]
    fn every_sample_has_its_format() {
        for (format, text) in SAMPLES {
            let node = ValueSchema::new(&json!({"type": "string", "format": format}));
            assert!(is_enforced_format(format) && node.allows_value(&json!(text)), "{format}");
        }
    }
}
