//! Deprecation of the field of a rule.

use crate::fact::{Fact, NoticeLevel};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "deprecation", on_rules: Some(10), on_extra_specs: None, facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let deprecation = described.rule().and_then(|rule| rule.deprecation.as_ref());
    let fact = |text| Fact::of_text("Deprecated", text).with_notice(Some(NoticeLevel::Warning));
    deprecation.map(|deprecation| fact(&deprecation.text)).into_iter().collect()
}
