//! Filters over rules, such as `disk-* severity:error`. The extension for Sphinx has the same, and the same cases.

use kvrules::docs::document::{RulePage, SetPage};

use crate::parse::split_words;

const QUESTIONS: [&str; 6] = ["name", "set", "used-by", "field", "type", "severity"];

/// Chooses rules: each word must hold.
#[derive(Debug)]
pub(crate) struct RuleFilter(Vec<FilterWord>);

#[derive(Debug)]
struct FilterWord {
    turned: bool,
    key: &'static str,
    glob: String,
}

impl RuleFilter {
    /// Reads the words of a filter, or says which is not understood.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        split_words(text)?.iter().map(|word| FilterWord::parse(word)).collect::<Result<_, _>>().map(Self)
    }

    /// True if the filter selects a rule.
    pub(crate) fn chooses(&self, set: &SetPage, rule: &RulePage) -> bool {
        self.0.iter().all(|word| {
            word.answers(set, rule).iter().any(|answer| matches_glob(&word.glob, answer)) != word.turned
        })
    }
}

impl FilterWord {
    fn parse(written: &str) -> Result<Self, String> {
        let word = written.strip_prefix('-');
        let (turned, word) = (word.is_some(), word.unwrap_or(written));
        let (key, glob) = word.split_once(':').unwrap_or(("name", word));
        let known = QUESTIONS.into_iter().find(|known| *known == key);
        let known = known
            .ok_or_else(|| format!("unknown filter key `{key}`; known keys: {}", QUESTIONS.join(", ")))?;
        Ok(Self { turned, key: known, glob: glob.to_owned() })
    }

    fn answers<'a>(&self, set: &'a SetPage, rule: &'a RulePage) -> Vec<&'a str> {
        match self.key {
            "name" => vec![&rule.page.name],
            "set" => vec![&set.name, &set.title],
            "used-by" => set.used_by.iter().map(String::as_str).collect(),
            "field" => vec![&rule.field.path],
            "type" => vec![&rule.field.value_type],
            _ => vec![rule.severity.as_str()],
        }
    }
}

/// True if a string matches, where `*` stands for any string.
fn matches_glob(glob: &str, text: &str) -> bool {
    let Some((head, tail)) = glob.split_once('*') else { return glob == text };
    let Some(mut rest) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        // The first match leaves the most text for the parts after it.
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use kvrules::docs::Document;

    #[test]
    fn a_filter_chooses_the_rules_of_its_case() {
        let cases: Value =
            serde_json::from_str(include_str!("../../../../kvrules-py/tests/filters.json")).unwrap();
        let document: Document =
            serde_json::from_str(include_str!("../../../../kvrules-py/tests/pages.json")).unwrap();
        for case in cases["chosen"].as_array().unwrap() {
            let filter = RuleFilter::parse(case["filter"].as_str().unwrap()).unwrap();
            let mut chosen = Vec::new();
            for set in &document.sets {
                let rules = set.rules.iter().filter(|rule| filter.chooses(set, rule));
                chosen.extend(rules.map(|rule| Value::from(format!("{}/{}", set.name, rule.page.name))));
            }
            assert_eq!(Value::from(chosen), case["rules"], "{case}");
        }
        for text in cases["refused"].as_array().unwrap() {
            assert!(RuleFilter::parse(text.as_str().unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_star_stands_for_any_text_and_nothing_else_does() {
        for (glob, text, expected) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acb", false),
            ("a*a", "a", false),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "ab", false),
            ("disks[*].bus", "disks[0].bus", true),
            ("[ab]", "a", false),
            ("", "", true),
        ] {
            assert_eq!(matches_glob(glob, text), expected, "{glob} {text}");
        }
    }
}
