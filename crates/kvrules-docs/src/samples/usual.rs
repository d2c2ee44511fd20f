//! Values that people write in fields of a name.

use serde_json::{Value as Json, json};

/// Strings by the last words of a name, in lower case. The first entry that fits comes first.
const STRINGS: &[(&str, &[&str])] = &[
    ("image", &["registry.example.com/app:1.0"]),
    ("imagepullpolicy", &["IfNotPresent"]),
    ("namespace", &["default"]),
    ("hostname", &["app.example.com", "app"]),
    ("host", &["app.example.com"]),
    ("domain", &["example.com"]),
    ("fqdn", &["app.example.com"]),
    ("hostnames", &["app.example.com"]),
    ("server", &["https://app.example.com", "app.example.com"]),
    ("url", &["https://app.example.com"]),
    ("uri", &["https://app.example.com"]),
    ("endpoint", &["https://app.example.com", "app.example.com:443"]),
    ("email", &["ops@example.com"]),
    ("path", &["/data", "data"]),
    ("version", &["1.2.3", "v1.2.3", "v1", "1.2"]),
    ("ip", &["192.0.2.10"]),
    ("address", &["192.0.2.10", "app.example.com"]),
    ("cidr", &["10.0.0.0/16"]),
    ("subnet", &["10.0.0.0/16", "subnet-1"]),
    ("region", &["eu-west-1"]),
    ("zone", &["eu-west-1a"]),
    ("memory", &["1Gi"]),
    ("storage", &["10Gi"]),
    ("size", &["10Gi"]),
    ("cpu", &["500m"]),
    ("timeout", &["30s"]),
    ("interval", &["30s"]),
    ("duration", &["30s", "1h"]),
    ("period", &["30s"]),
    ("ttl", &["1h"]),
    ("delay", &["10s"]),
    ("schedule", &["0 3 * * *"]),
    ("secret", &["app-secret"]),
    ("username", &["admin"]),
    ("user", &["admin"]),
    ("digest", &["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]),
    ("protocol", &["TCP", "HTTP", "https"]),
    ("class", &["standard"]),
    ("description", &["An example."]),
    ("message", &["An example."]),
    ("reason", &["Example"]),
    ("container", &["app"]),
    ("command", &["/bin/app"]),
    ("args", &["--verbose"]),
    ("time", &["2024-01-31T12:00:00Z", "1h"]),
    ("timestamp", &["2024-01-31T12:00:00Z"]),
    ("group", &["example.com"]),
    ("apiversion", &["v1", "apps/v1"]),
    ("kind", &["Service", "Deployment"]),
    ("port", &["http", "8080"]),
    ("percent", &["50%"]),
    ("arn", &["arn:aws:iam::123456789012:role/example"]),
    ("key", &["example-key", "example.com/key"]),
    ("regex", &["^example$"]),
    ("pattern", &["^example$"]),
    ("role", &["admin"]),
    ("method", &["GET"]),
    ("header", &["X-Example"]),
    ("topic", &["events"]),
    ("bucket", &["example-bucket"]),
    ("database", &["app"]),
    ("id", &["example-1", "12345678", "123456789012"]),
];

/// Strings for any field.
const ANY_STRINGS: &[&str] = &[
    "example",
    "other",
    "Example",
    "example-1",
    "example.com",
    "1",
    "10Gi",
    "30s",
    "10.0.0.0/16",
    "https://app.example.com",
    "/example",
];

/// A second value next to the first.
const OTHER_STRINGS: &[&str] = &["other", "Other", "example-2", "other.example.com", "2", "20Gi", "60s"];

/// Integers by the last words of a name.
const INTEGERS: &[(&str, &[i64])] = &[
    ("replicas", &[3]),
    ("port", &[8080]),
    ("nodeport", &[30080]),
    ("weight", &[10]),
    ("percent", &[50]),
    ("percentage", &[50]),
    ("seconds", &[30]),
    ("minutes", &[5]),
    ("timeout", &[30]),
    ("user", &[1000]),
    ("group", &[1000]),
    ("priority", &[100]),
    ("code", &[200]),
    ("size", &[10]),
    ("mode", &[420]),
    ("generation", &[1]),
    ("bytes", &[1_048_576]),
    ("limit", &[10]),
    ("cpu", &[2]),
    ("cores", &[2]),
];

const ANY_INTEGERS: &[i64] = &[1, 2, 3, 0, 10, 100];

/// Returns strings for a field of a name, the best first.
pub(super) fn usual_strings(name: &str) -> impl Iterator<Item = &'static str> {
    let own = by_ending(STRINGS, name).iter().copied();
    let name_like = name.to_ascii_lowercase().ends_with("name").then_some("example");
    name_like.into_iter().chain(own).chain(ANY_STRINGS.iter().copied())
}

/// Returns integers for a field of a name, the best first.
pub(super) fn usual_integers(name: &str) -> impl Iterator<Item = i64> {
    by_ending(INTEGERS, name).iter().chain(ANY_INTEGERS).copied()
}

/// Returns values that differ from the usual ones.
pub(super) fn other_values() -> impl Iterator<Item = Json> {
    OTHER_STRINGS.iter().map(|text| json!(text)).chain([json!(2), json!(1), json!(0), json!(false)])
}

/// The values of the longest word with which a name ends; of a plural as of one.
fn by_ending<T>(table: &'static [(&str, &[T])], name: &str) -> &'static [T] {
    let name = name.to_ascii_lowercase();
    let singular = name.trim_end_matches('s').to_owned();
    let fitting = table.iter().filter(|(word, _)| name.ends_with(word) || singular.ends_with(word));
    fitting.max_by_key(|(word, _)| word.len()).map_or(&[], |(_, values)| values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_the_first_value() {
        for (name, value) in [
            ("image", "registry.example.com/app:1.0"),
            ("containerImage", "registry.example.com/app:1.0"),
            ("secretName", "example"),
            ("sourceCIDR", "10.0.0.0/16"),
            ("hostnames", "app.example.com"),
            ("whatever", "example"),
        ] {
            assert_eq!(usual_strings(name).next(), Some(value), "{name}");
        }
        assert_eq!(usual_integers("minReplicas").next(), Some(3));
        assert_eq!(usual_integers("x").next(), Some(1));
    }
}
