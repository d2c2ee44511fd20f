//! Checks the extra specs of a flavor: reports everything, each finding with the key it is about.

mod finding;
mod hint;
mod image;

pub use finding::Finding;
use image::{check_property, is_image_property};
pub(crate) use image::{is_evident_property, may_be_property};

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kvrules_diagnostics::Level;

use crate::definition::{Definition, Status, ValueType};
use crate::lints;
use crate::mode::ValidationMode;
use crate::nova::{NovaOutcome, NovaType};
use crate::python::parse_int;
use crate::registry::{DefinitionMatch, DefinitionRegistry, MatchKind};

/// Holds flavors to the definitions of a registry.
///
/// ```
/// use kvrules_extra_specs::{Checker, DefinitionRegistry, ValidationMode, lints, shipped_document};
///
/// let registry = DefinitionRegistry::new([shipped_document().expand_definitions()]);
/// let checker = Checker::new(&registry, ValidationMode::Strict);
/// let findings = checker.check_specs([("hw:cpu_policy", "deddddicated"), ("traits:HW_CPU_X86_AVX2", "required")]);
/// assert_eq!(findings[0].help.as_deref(), Some("did you mean `dedicated`?"));
/// assert_eq!(findings[1].lint, &lints::ACCIDENTAL_MATCH);
/// ```
#[derive(Debug)]
pub struct Checker<'r> {
    registry: &'r DefinitionRegistry,
    validation: ValidationMode,
    /// Guesses for undefined keys. The same slip occurs in many flavors.
    key_hints: Mutex<HashMap<String, Option<String>>>,
}

/// More slips than this are not remembered.
const MAX_REMEMBERED: usize = 10_000;

impl<'r> Checker<'r> {
    /// A checker that is as strict as that.
    pub fn new(registry: &'r DefinitionRegistry, validation: ValidationMode) -> Self {
        Self { registry, validation, key_hints: Mutex::new(HashMap::new()) }
    }

    /// Checks the extra specs of one flavor; returns the findings in their order.
    pub fn check_specs<'s>(&self, specs: impl IntoIterator<Item = (&'s str, &'s str)>) -> Vec<Finding> {
        specs.into_iter().flat_map(|(key, value)| self.check_one(key, value)).collect()
    }

    /// Checks one pair; returns the findings.
    pub fn check_one(&self, key: &str, value: &str) -> Vec<Finding> {
        if self.validation == ValidationMode::Off {
            return Vec::new();
        }
        match self.registry.find_definition(key) {
            Some(found) => Self::check_found(&found, key, value),
            None => vec![self.unknown(key, value)],
        }
    }

    /// Checks a property of an image, by the extra spec of the same meaning; returns the finding.
    pub fn check_property(&self, key: &str, value: &str) -> Option<Finding> {
        let is_off = self.validation == ValidationMode::Off;
        if is_off { None } else { check_property(self.registry, key, value) }
    }

    fn check_found(found: &DefinitionMatch<'_>, key: &str, value: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        findings.extend(accidental_match(found, key, value));
        findings.extend(status_finding(found.definition, key, value));
        match found.entry.value.check(value) {
            NovaOutcome::Accepted => findings.extend(spelling_finding(found, key, value)),
            NovaOutcome::Refused(refusal) => {
                // Nova's message of a value does not name the key, and ours begins with it.
                let text = refusal.text.trim_start_matches("Validation failed; ").trim_end_matches('.');
                let message = format!("invalid value of `{key}`: {text}");
                let finding = Finding::new(&lints::EXTRA_SPEC_VALUE, key, value, message);
                let help = hint::value_hint(found, value);
                findings.push(Finding { nova: Some(refusal.text), help, ..finding });
            }
            _ => {
                let message = format!("unknown whether `{key}` allows this value");
                findings.push(Finding::new(&lints::EXTRA_SPEC_VALUE, key, value, message));
            }
        }
        findings
    }

    /// A key that no definition takes.
    fn unknown(&self, key: &str, value: &str) -> Finding {
        let level = match self.validation {
            ValidationMode::Strict => Level::Error,
            ValidationMode::Permissive | ValidationMode::Off => Level::Warning,
        };
        let namespace = key.split_once(':').map(|(namespace, _)| namespace);
        let known = namespace.is_some_and(|namespace| !self.registry.namespaces_of(namespace).is_empty());
        let nova = crate::nova::NovaRefusal::unknown_name(key).text;
        // The message of nova api/validation/extra_specs/base.py, ExtraSpecValidator.validate, for its own template.
        let (lint, message, nova) = if let Some(template) = self.registry.by_template(key) {
            let message = format!("`{key}` is a template of a key, not a key: replace `{{…}}` with a value");
            let nova = crate::nova::NovaRefusal::name_format(&template.name, key).text;
            (&lints::UNKNOWN_EXTRA_SPEC, message, Some(nova))
        } else if known {
            let message = format!("`{key}` does not appear to be a valid extra spec");
            (&lints::UNKNOWN_EXTRA_SPEC, message, Some(nova))
        } else if let Some(namespace) = namespace {
            let message = format!("`{key}` is not defined; unknown namespace `{namespace}`");
            (&lints::UNKNOWN_NAMESPACE, message, None)
        } else {
            let message = image_property_message(self.registry, key);
            (&lints::UNKNOWN_NAMESPACE, message.unwrap_or_else(|| format!("`{key}` is not defined")), None)
        };
        let finding = Finding::new(lint, key, value, message);
        let help = match self.registry.find_image_property(key) {
            Some((spec, _)) => Some(format!("did you mean `{spec}`?")),
            None if is_image_property(key) => Some("set it in the image".to_owned()),
            None => self.key_hint(key),
        };
        Finding { level, nova, help, ..finding }
    }

    fn key_hint(&self, key: &str) -> Option<String> {
        let mut known = self.key_hints.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(help) = known.get(key) {
            return help.clone();
        }
        let help = hint::key_hint(self.registry, key);
        // Keys are input, so the cache has a limit: made-up keys must not fill the memory.
        if known.len() < MAX_REMEMBERED {
            known.insert(key.to_owned(), help.clone());
        }
        help
    }
}

/// The message about a property of images in a flavor.
fn image_property_message(registry: &DefinitionRegistry, key: &str) -> Option<String> {
    if let Some((spec, _)) = registry.find_image_property(key) {
        return Some(format!("`{key}` is not an extra spec: it is the image property of `{spec}`"));
    }
    is_image_property(key).then(|| format!("`{key}` is an image property, not an extra spec"))
}

/// A key that a parameter makes fit although it looks like a slip: `traits:…` is `trait{group}:…` with the group `s`.
// nova api/validation/extra_specs/traits.py and resources.py: `([a-zA-Z0-9_-]{1,64})?` as the group takes any letters.
fn accidental_match(found: &DefinitionMatch<'_>, key: &str, value: &str) -> Option<Finding> {
    if found.how == MatchKind::Exact {
        return None;
    }
    let namespace = found.definition.namespace()?;
    let (plain, name) = namespace.0.strip_suffix('}')?.split_once('{')?;
    let (written, local) = key.split_once(':')?;
    let taken = written.strip_prefix(plain)?;
    // Instances of a group usually differ by digits, or by a suffix after `_` or `-`.
    if plain.is_empty() || !taken.starts_with(char::is_alphabetic) {
        return None;
    }
    let message = format!("`{plain}{taken}` matches `{plain}` with the {name} `{taken}`");
    let finding = Finding::new(&lints::ACCIDENTAL_MATCH, key, value, message);
    let help = format!(
        "did you mean `{plain}:{local}`? a {name} is clearer after a digit, `_` or `-`: `{plain}_{taken}`"
    );
    Some(Finding { help: Some(help), ..finding })
}

fn status_finding(definition: &Definition, key: &str, value: &str) -> Option<Finding> {
    match &definition.status {
        Status::Supported => None,
        Status::Experimental => {
            let message = format!("`{key}` is experimental and may change");
            Some(Finding::new(&lints::EXPERIMENTAL_EXTRA_SPEC, key, value, message))
        }
        Status::Deprecated { since, reason, replacement } => {
            let since = since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
            let message = format!("`{key}` is deprecated{since}{}", reason.trim_end_matches('.'));
            let finding = Finding::new(&lints::DEPRECATED_EXTRA_SPEC, key, value, message);
            let help = replacement.as_ref().map(|replacement| format!("use `{replacement}`"));
            Some(Finding { help, ..finding })
        }
    }
}

/// A value that is accepted and read as something else than it looks.
fn spelling_finding(found: &DefinitionMatch<'_>, key: &str, value: &str) -> Option<Finding> {
    let read = match (&found.definition.value.r#type, found.entry.value.definition.r#type) {
        (ValueType::Integer { .. }, NovaType::Int) => parse_int(value)?.to_string(),
        (ValueType::Boolean, _) => value.trim().to_ascii_lowercase(),
        _ => return None,
    };
    let plain = value.strip_prefix('+').unwrap_or(value);
    if read == plain || (found.definition.value.r#type == ValueType::Boolean && read.len() == value.len()) {
        return None;
    }
    let message = format!("the value of `{key}` is read as `{read}`");
    let finding = Finding::new(&lints::UNUSUAL_SPELLING, key, value, message);
    Some(Finding { help: Some(format!("write `{read}`")), ..finding })
}
