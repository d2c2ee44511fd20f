//! Keywords: which there are, and which say anything of values.

use kvrules_apiserver::object::Format;
use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{KEYWORDS, KeywordDialect, KeywordRole, SchemaKeyword, find_keyword};

/// Returns the name of a keyword that decides which values are accepted, if it is one. The server sets `default` first.
pub(crate) fn find_constraint(keyword: &str) -> Option<&'static str> {
    let is_read = |keyword: &&SchemaKeyword| {
        keyword.name == "default" || keyword.is_constraint() && keyword.dialect != KeywordDialect::Kubernetes
    };
    find_keyword(keyword).filter(is_read).map(|keyword| keyword.name)
}

/// True if a keyword is one of those that are known.
pub(crate) fn is_known(keyword: &str) -> bool {
    keyword.starts_with("x-") || find_keyword(keyword).is_some()
}

/// True if the server enforces a format of strings.
pub(crate) fn is_enforced(format: &str) -> bool {
    Format::from_name(format).is_some_and(|format| format.value_type() == "string")
}

/// Returns the difference between the server's check of a format and the specification of JSON Schema; `None` if there
/// is none, or if the specification does not define the format.
pub(crate) fn format_loss(format: &str) -> Option<(Exactness, &'static str)> {
    FORMAT_LOSSES.iter().find(|(name, ..)| *name == format).map(|(_, effect, message)| (*effect, *message))
}

const FORMAT_LOSSES: &[(&str, Exactness, &str)] = &[
    (
        "uri",
        Exactness::Incomparable,
        "the server's `uri` also accepts paths such as `/a`, and rejects some hosts (addresses of future versions, escaped letters)",
    ),
    (
        "email",
        Exactness::Incomparable,
        "the server's `email` also accepts a name (`Ann <a@b.example>`), and rejects addresses such as `a@[IPv6:::1]`",
    ),
    (
        "hostname",
        Exactness::Incomparable,
        "the server's `hostname` also accepts letters of other alphabets, and rejects names such as `a.b1`",
    ),
    ("ipv4", Exactness::Wider, "the server's `ipv4` also accepts leading zeros and `::ffff:192.0.2.1`"),
    ("uuid", Exactness::Wider, "the server's `uuid` also accepts missing dashes"),
    (
        "date-time",
        Exactness::Incomparable,
        "the server's `date-time` also accepts offsets such as `+99:99`, and rejects leap seconds",
    ),
    (
        "duration",
        Exactness::Incomparable,
        "the server's `duration` accepts durations such as `1h30m` and `3 days`, and rejects most of ISO 8601, such as `P1Y`",
    ),
];

/// Keywords of Kubernetes that a structural schema can have, and that are passed on.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().filter(|keyword| keyword.role == KeywordRole::Extension).map(|keyword| keyword.name)
}
