//! The cause of an error of a policy, if objects that a server has can have it: fields that it fills in are not left out, and what it
//! validates by itself is valid.

use kvrules_ir::Term;
use kvrules_lift::{FailingRequest, PolicySubject};
use serde_json::Value;

use super::named_parts::NamedParts;
use crate::failure_cause::{
    FailureCause, Reading, describe_unknown_type, type_in_words, values_of_two_types,
};
use crate::policy::presence::{depends_on_object, is_free_text, may_be_absent, path_text};

/// The cause of an error.
pub(super) enum ErrorCause {
    /// `object` or `oldObject` is null.
    NullRoot(String),
    /// A field or a key is missing, as expressions name it.
    MissingField(String),
    /// A map lacks a key that is computed.
    MissingKey(String),
    /// The condition, and what to do.
    Other(String, &'static str),
    /// A function cannot read a text: the condition, and what to do.
    Unreadable(String, &'static str),
}

/// Finds the cause of an error. `None` if a server has no such objects, or parameters are the cause, which are written for the policy.
pub(super) fn find_cause(
    failing: &FailingRequest,
    parts: &NamedParts,
    subject: &PolicySubject,
) -> Option<ErrorCause> {
    let search = CauseSearch { failing, parts, subject };
    let cause = FailureCause::of_error(&failing.error)?;
    let other = |condition: String| ErrorCause::Other(condition, cause.remedy());
    match &cause {
        FailureCause::MissingKey(key) => search.missing_key(key),
        FailureCause::MissingItem(number) => {
            let is_certain = all_some(parts.lists_with_item(number), depends_on_object);
            is_certain.then(|| cause.condition().map(other)).flatten()
        }
        FailureCause::OtherType(function) => {
            Some(ErrorCause::Other(search.other_type(*function)?, type_remedy(*function, cause.remedy())))
        }
        FailureCause::NoValue => {
            let is_certain =
                !["params", "namespaceObject", "request"].iter().any(|it| parts.mentions_root(it));
            is_certain.then(|| cause.condition().map(other)).flatten()
        }
        FailureCause::ZeroDivisor => {
            let divisors = ["/", "%"].into_iter().flat_map(|it| parts.arguments_of(it));
            let computed = divisors.filter_map(<[Term]>::last).filter(|it| !matches!(it, Term::Constant(_)));
            all_some(computed, depends_on_object).then(|| cause.condition().map(other)).flatten()
        }
        FailureCause::Unreadable(reading) => {
            Some(ErrorCause::Unreadable(search.unreadable(*reading)?, cause.remedy()))
        }
    }
}

/// True if there are values, and all of them have a property.
fn all_some<'t>(terms: impl Iterator<Item = &'t Term>, has: impl Fn(&Term) -> bool) -> bool {
    let mut terms = terms.peekable();
    terms.peek().is_some() && terms.all(has)
}

/// The remedy for a type that does not fit; expressions of policies name no `self`.
fn type_remedy(function: Option<&str>, remedy: &'static str) -> &'static str {
    if function.is_some() { remedy } else { "test its type first, such as with `type(…) == int`" }
}

struct CauseSearch<'a> {
    failing: &'a FailingRequest,
    parts: &'a NamedParts,
    subject: &'a PolicySubject,
}

impl CauseSearch<'_> {
    /// The part that is missing, if every field of this name that the formulas read may be missing.
    fn missing_key(&self, key: &str) -> Option<ErrorCause> {
        let mut shown = None;
        for (field, of) in self.parts.fields_named(key) {
            if let Term::Root(root) = of
                && let Some(value) = self.object_of(root)
                && value.is_null()
            {
                return Some(ErrorCause::NullRoot(root.clone()));
            }
            if !may_be_absent(of, key, self.subject) {
                return None;
            }
            shown.get_or_insert_with(|| path_text(field));
        }
        shown.map(ErrorCause::MissingField).or_else(|| self.missing_computed_key(key))
    }

    fn missing_computed_key(&self, key: &str) -> Option<ErrorCause> {
        let mut maps = self.parts.maps_with_computed_keys().peekable();
        let shown = path_text(maps.peek()?);
        maps.all(|map| may_be_absent(map, key, self.subject)).then_some(ErrorCause::MissingKey(shown))
    }

    /// The object of a request that a name stands for.
    fn object_of(&self, root: &str) -> Option<&Value> {
        match root {
            "object" => Some(&self.failing.request.object),
            "oldObject" => Some(&self.failing.request.old_object),
            _ => None,
        }
    }

    /// The type that does not fit: of an integer or string of the objects.
    fn other_type(&self, function: Option<&str>) -> Option<String> {
        let roots = ["object", "oldObject"].into_iter().filter(|root| self.parts.mentions_root(root));
        let values = roots
            .filter_map(|root| Some(values_of_two_types(self.object_of(root)?, &self.subject.object, root)));
        let is_named = |path: &str| {
            let name = path.rsplit('.').next().unwrap_or_default().trim_end_matches("[]");
            self.parts.has_field(name)
        };
        let values: Vec<_> = values.flatten().filter(|(path, _)| is_named(path)).collect();
        let (path, value) = values.first()?;
        let is_one = values.iter().all(|(other, of)| other == path && of.is_string() == value.is_string());
        Some(if is_one {
            format!("where `{path}` is {}", type_in_words(value))
        } else {
            format!("where {}", describe_unknown_type(function))
        })
    }

    /// The text that a function cannot read, if the server does not read it itself.
    fn unreadable(&self, reading: Reading) -> Option<String> {
        let texts = || self.parts.arguments_of(reading.function).filter_map(<[Term]>::first);
        let computed = || texts().filter(|it| !matches!(it, Term::Constant(_)));
        if !all_some(computed(), |text| is_free_text(text, self.subject)) {
            return None;
        }
        Some(match computed().next() {
            Some(field @ Term::Field(..)) => format!("where `{}` is not {}", path_text(field), reading.what),
            _ => format!("where the argument of `{}` is not {}", reading.function, reading.what),
        })
    }
}
