//! Rules to begin with: the words that fit the type of a field, each with a value.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::path::RulePath;
use crate::reader::describe_unknown_step;
use crate::shape::{ValueType, locate_path, schema_at};
use crate::subject::RuleSubject;
use crate::words::WORDS;
use crate::words::offers::{OfferedField, in_yaml};

/// The words that a field may have.
#[derive(Clone, Debug)]
pub struct FieldOffer {
    /// The path.
    pub path: RulePath,
    /// The type with its article, such as `an integer`.
    pub value_type: &'static str,
    /// The description in the schema; empty if it has none.
    pub description: String,
    /// The words, the most useful first.
    pub words: Vec<OfferedWord>,
}

/// A word with a value for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedWord {
    /// The key.
    pub name: &'static str,
    /// The value in YAML.
    pub value: String,
    /// The requirement.
    pub summary: &'static str,
    /// True if a rule with it names the field as its `path`.
    pub needs_path: bool,
}

/// The reason why a path leads to no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// The problem.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

/// Returns the words that fit the field at a path.
///
/// # Errors
///
/// The path is not one, or the subject has no such field.
///
/// ```
/// use std::collections::BTreeSet;
/// use kvrules_rule_set::{RuleSubject, offer_words};
///
/// let subject = RuleSubject::built_in("apps/v1", "Deployment", &BTreeSet::new()).unwrap();
/// let offer = offer_words(&subject, "spec.replicas").unwrap();
/// assert_eq!((offer.words[0].name, offer.words[0].value.as_str()), ("integer", "{min: 1, max: 10}"));
/// let unknown = offer_words(&subject, "spec.replica").unwrap_err();
/// assert_eq!(unknown.help.as_deref(), Some("did you mean `replicas`?"));
/// ```
pub fn offer_words(subject: &RuleSubject, path: &str) -> Result<FieldOffer, UnknownField> {
    let root = subject.whole_schema();
    let unknown = |message: String, help: Option<String>| UnknownField { message, help };
    let located = crate::path::parse_located(path).map_err(|error| unknown(error.message, None))?;
    if located.path.0.is_empty() {
        return Err(unknown("empty path".to_owned(), Some("name a field, such as `spec`".to_owned())));
    }
    if let Err(index) = locate_path(&root, &located.path) {
        let step = describe_unknown_step(subject, &RulePath::default(), &located.path, index);
        return Err(unknown(step.message, step.help));
    }
    let schema = schema_at(&root, &located.path).unwrap_or(&Json::Null);
    let field = OfferedField { path: &located.path, schema, root: &root };
    let word = |word: &&'static crate::words::Word| {
        let (name, summary, needs_path) = (word.name, word.summary, word.needs_path());
        // A document has no stored form.
        if subject.is_of_documents() && word.is_of_updates() {
            return None;
        }
        (word.offer)(&field).map(|value| OfferedWord { name, value, summary, needs_path })
    };
    let mut words: Vec<OfferedWord> = WORDS.iter().filter_map(word).collect();
    // Words about the value come before those about its presence.
    words.sort_by_key(|word| matches!(word.name, "required" | "forbidden" | "notEmpty"));
    let description = schema.get("description").and_then(Json::as_str).unwrap_or_default();
    let first = description.split(['\n']).next().unwrap_or_default();
    Ok(FieldOffer {
        value_type: ValueType::of_schema(schema).describe(),
        description: first.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned(),
        words,
        path: located.path,
    })
}

/// A field below another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedPathField {
    /// The name, with `[*]` for a list or a map of objects.
    pub name: String,
    /// The type with its article, such as `an integer`.
    pub value_type: &'static str,
    /// The description in the schema; empty if it has none.
    pub description: String,
}

/// Returns the fields below the one at a path, in the order of the schema; none if the path leads to no object. The empty path is
/// the object.
///
/// ```
/// use std::collections::BTreeSet;
/// use kvrules_rule_set::{RuleSubject, offer_fields};
///
/// let subject = RuleSubject::built_in("apps/v1", "Deployment", &BTreeSet::new()).unwrap();
/// let names = |path: &str| offer_fields(&subject, path).into_iter().map(|field| field.name).collect::<Vec<_>>();
/// assert!(names("spec").contains(&"replicas".to_owned()));
/// assert!(names("spec.template.spec").contains(&"containers[*]".to_owned()));
/// assert!(names("spec.template.spec.containers[*]").contains(&"image".to_owned()));
/// assert!(names("spec.nothing").is_empty());
/// ```
pub fn offer_fields(subject: &RuleSubject, path: &str) -> Vec<OfferedPathField> {
    let root = subject.whole_schema();
    let located = if path.is_empty() {
        Ok(RulePath::default())
    } else {
        crate::path::parse_located(path).map(|it| it.path)
    };
    let Ok(located) = located else { return Vec::new() };
    if locate_path(&root, &located).is_err() {
        return Vec::new();
    }
    let schema = if located.0.is_empty() { Some(&root) } else { schema_at(&root, &located) };
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let offer = |(name, schema): (&String, &Json)| {
        let items = schema.get("items").or_else(|| schema.get("additionalProperties"));
        let is_nested = items.is_some_and(|items| items.get("properties").is_some());
        let description = schema.get("description").and_then(Json::as_str).unwrap_or_default();
        OfferedPathField {
            name: if is_nested { format!("{name}[*]") } else { name.clone() },
            value_type: ValueType::of_schema(schema).describe(),
            description: description.split("\n\n").next().unwrap_or_default().to_owned(),
        }
    };
    properties.into_iter().flatten().map(offer).collect()
}

impl FieldOffer {
    /// Returns a rule with the first word, the others as comments, as an item of `rules`, indented by two spaces.
    pub fn render_rule(&self) -> String {
        let mut text = format!("  # {} is {}", self.path, self.value_type);
        if !self.description.is_empty() {
            let _ = write!(text, ": {}", self.description);
        }
        let name = self.path.to_string().replace("[*]", "");
        let name = name.rsplit('.').next().unwrap_or_default().to_owned();
        let _ = write!(text, "\n  - name: {}\n", in_yaml(&name.into()));
        let path = in_yaml(&self.path.to_string().into());
        let first = self.words.first();
        if first.is_none_or(|word| word.needs_path) {
            let _ = writeln!(text, "    path: {path}");
        }
        if let Some(word) = first {
            let _ = writeln!(text, "    {}: {}  # {}", word.name, word.value, word.summary);
        }
        for word in self.words.iter().skip(1) {
            let _ = writeln!(text, "    # {}: {}  # {}", word.name, word.value, word.summary);
        }
        text + "    # message: the text for users whose object violates the rule\n"
    }

    /// Returns a rule with one word, as an item of `rules`, indented by two spaces.
    pub fn render_word(&self, word: &OfferedWord) -> String {
        let path = in_yaml(&self.path.to_string().into());
        let path = if word.needs_path { format!(" path: {path},") } else { String::new() };
        format!("  - {{name: {},{path} {}: {}}}\n", word.name, word.name, word.value)
    }
}
