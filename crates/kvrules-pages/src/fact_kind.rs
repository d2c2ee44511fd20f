//! Kinds of facts: on which pages they are, at which position, and how they are computed.

use kvrules_ir::ElaboratedRule;

use super::document::{Page, RulePage};
use super::extra_specs::SpecPage;
use super::fact::Fact;

/// A kind of fact. Every layout shows its facts without knowing the kind.
#[derive(Debug)]
pub(super) struct FactKind {
    /// The name for programs.
    pub(super) name: &'static str,
    /// Position on pages about rules; unset if it is not on them.
    pub(super) on_rules: Option<u32>,
    /// Position on pages about extra specs; unset if it is not on them.
    pub(super) on_extra_specs: Option<u32>,
    /// Returns the facts of this kind.
    pub(super) facts: fn(&Described<'_>) -> Vec<Fact>,
}

/// Subject of a page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Described<'a> {
    /// A rule: its page without facts, and its meaning with places seen from the start of paths.
    Rule(&'a RulePage, &'a ElaboratedRule),
    /// An extra spec.
    ExtraSpec(&'a SpecPage),
}

impl<'a> Described<'a> {
    /// The page without facts.
    pub(super) fn page(self) -> &'a Page {
        match self {
            Self::Rule(rule, _) => &rule.page,
            Self::ExtraSpec(spec) => &spec.page,
        }
    }

    /// The rule, if it is one.
    pub(super) fn rule(self) -> Option<&'a RulePage> {
        match self {
            Self::Rule(rule, _) => Some(rule),
            Self::ExtraSpec(_) => None,
        }
    }

    /// The meaning of the rule, if it is one.
    pub(super) fn meaning(self) -> Option<&'a ElaboratedRule> {
        match self {
            Self::Rule(_, meaning) => Some(meaning),
            Self::ExtraSpec(_) => None,
        }
    }

    /// The extra spec, if it is one.
    pub(super) fn extra_spec(self) -> Option<&'a SpecPage> {
        match self {
            Self::Rule(..) => None,
            Self::ExtraSpec(spec) => Some(spec),
        }
    }
}
