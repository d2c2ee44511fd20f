//! Reading of conditions: mappings with words, and their connectives.

use kvrules_syntax::{Node, SyntaxKind};

use crate::compared::ComparedAs;
use crate::condition::{Comparison, Condition, ValueTest};
use crate::lints;
use crate::path::{PathStep, RulePath};
use crate::quantified::QUANTIFIERS;
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::schema_at;
use crate::words::{Reading, WORDS, Word, find_word, read_word};

/// Keywords of JSON Schema and CEL, with the words for them.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("enum", "in: [VALUE, …]"),
    ("exclude", "notIn: [VALUE, …]"),
    ("notOneOf", "notIn: [VALUE, …]"),
    ("notMatches", "notPattern: EXPRESSION"),
    ("prefix", "startsWith: TEXT"),
    ("suffix", "endsWith: TEXT"),
    ("hasPrefix", "startsWith: TEXT"),
    ("hasSuffix", "endsWith: TEXT"),
    ("includes", "contains: VALUE"),
    ("nonEmpty", "notEmpty: true"),
    ("greaterThan", "above: PATH"),
    ("lessThan", "below: PATH"),
    ("const", "in: [VALUE]"),
    ("minimum", "integer: {min: …}"),
    ("maximum", "integer: {max: …}"),
    ("minLength", "length: {min: …}"),
    ("maxLength", "length: {max: …}"),
    ("minItems", "items: {min: …}"),
    ("maxItems", "items: {max: …}"),
    ("min", "integer: {min: …}"),
    ("max", "integer: {max: …}"),
    ("between", "integer: {min: …, max: …}"),
    ("range", "integer: {min: …, max: …}"),
    ("matches", "pattern: EXPRESSION"),
    ("regex", "pattern: EXPRESSION"),
    ("values", "in: [VALUE, …]"),
    ("unique", "uniqueBy: [PATH, …]"),
    ("anyOf", "atLeastOneOf: [PATH, …]"),
    ("uniqueItems", "uniqueBy: [PATH, …]"),
    ("present", "required: true"),
    ("absent", "forbidden: true"),
    ("rule", "cel: EXPRESSION"),
    ("expression", "cel: EXPRESSION"),
    ("if", "when: {path: …}"),
];

/// The word for a keyword of another notation. `oneOf` of the value at a path is a list of values.
fn word_for(key: &str, node: Node<'_>) -> Option<&'static str> {
    let is_of_conditions = node.get(key).is_some_and(|list| list.items().any(Node::is_map));
    match key {
        "anyOf" | "oneOf" if is_of_conditions => Some("any: [CONDITION, …]"),
        "allOf" => Some("all: [CONDITION, …]"),
        "oneOf" if node.get("path").is_some() => Some("in: [VALUE, …]"),
        "oneOf" => Some("exactlyOneOf: [PATH, …]"),
        _ => OTHER_NAMES.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours),
    }
}

/// The keys that join conditions.
pub(crate) const CONNECTIVES: [&str; 3] = ["all", "any", "not"];

/// Maximum nesting of conditions.
const MOST_LEVELS: usize = 32;

impl<'s> ConditionReader<'_, 's> {
    /// Reads the conditions that a rule requires: `all`, `any`, `not`, `some` or `count`. `others` are the keys of the rule.
    pub(crate) fn read_required(&mut self, node: Node<'_>, others: &[&str]) -> Option<Condition> {
        (self.is_condition, self.is_required) = (true, true);
        let read = self.read_body(node, others, 0);
        (self.is_condition, self.is_required) = (false, false);
        read
    }

    fn report_depth(&mut self, node: Node<'_>) -> Option<Condition> {
        let message = format!("conditions are nested more than {MOST_LEVELS} levels deep");
        self.report_shape(node.span(), message);
        None
    }

    /// Reads `when`.
    pub(crate) fn read_when(&mut self, node: Node<'_>) -> Option<Condition> {
        if node.is_list() && node.items().next().is_none() {
            self.report_shape(node.span(), "`when` has no conditions".to_owned());
            return None;
        }
        self.is_condition = true;
        let read = self.read_condition(node, 0);
        self.is_condition = false;
        read
    }

    fn read_condition(&mut self, node: Node<'_>, level: usize) -> Option<Condition> {
        if level > MOST_LEVELS {
            return self.report_depth(node);
        }
        if node.is_list() {
            return self.read_list(node, level).map(Condition::All);
        }
        if !node.is_map() {
            self.report_shape(
                node.span(),
                "a condition must be a mapping or a list of conditions".to_owned(),
            );
            return None;
        }
        self.read_body(node, &[], level)
    }

    /// Reads a mapping: a quantifier, a connective or words. `others` are keys with another meaning.
    pub(crate) fn read_body(&mut self, node: Node<'_>, others: &[&str], level: usize) -> Option<Condition> {
        if level > MOST_LEVELS {
            return self.report_depth(node);
        }
        let mut quantifiers = QUANTIFIERS.into_iter().filter(|name| !others.contains(name));
        if let Some(entry) = quantifiers.find_map(|name| node.entry(name)) {
            return self.read_quantified(node, entry, others, level);
        }
        let connective = CONNECTIVES.into_iter().find_map(|name| Some((name, node.entry(name)?)));
        let Some((name, entry)) = connective else {
            let known: Vec<&str> = ["path", "as"].into_iter().chain(others.iter().copied()).collect();
            return self.read_words(node, &known);
        };
        let mut siblings = node.entries_with_merged().map(|other| other.key);
        if let Some(other) = siblings.find(|key| key.text() != name && !others.contains(&key.text())) {
            let message = format!("`{}` cannot be next to `{name}`", other.text());
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(other.span(), message);
            self.findings.push(finding.with_help(format!("put both into a list: `all: [{{{name}: …}}, …]`")));
            return None;
        }
        if name == "not" {
            return Some(Condition::Not(Box::new(self.read_condition(entry.value, level + 1)?)));
        }
        if entry.value.items().next().is_none() {
            self.report_shape(entry.value.span(), format!("`{name}` must be a list of conditions"));
            return None;
        }
        let list = self.read_list(entry.value, level)?;
        Some(if name == "all" { Condition::All(list) } else { Condition::Any(list) })
    }

    fn read_list(&mut self, node: Node<'_>, level: usize) -> Option<Vec<Condition>> {
        let read: Vec<_> = node.items().map(|item| self.read_condition(item, level + 1)).collect();
        read.into_iter().collect()
    }

    /// Reads the words of a mapping, all of which must hold. `others` are keys that are not words.
    pub(crate) fn read_words(&mut self, node: Node<'_>, others: &[&str]) -> Option<Condition> {
        let mut is_sound = self.check_words(node, others);
        let path = match node.get("path") {
            Some(path) => match self.read_any_path(path) {
                Some(target) => Some(target),
                None => return None,
            },
            None => self.scope_target(node),
        };
        self.read_as = match node.entry("as") {
            Some(entry) => Some(self.read_named_reading(node, entry.value)?),
            None => None,
        };
        let mut conditions = Vec::new();
        let mut has_word = false;
        for entry in node.entries_with_merged() {
            let Some(word) = find_word(entry.key.text()) else { continue };
            has_word = true;
            if word.needs_path() && path.is_none() {
                let message = format!("`{}` needs a `path`", word.name);
                self.report_shape(entry.key.span(), message);
                is_sound = false;
                continue;
            }
            match self.read_one(word, entry.value, path.as_ref()) {
                Some(condition) => conditions.push(condition),
                None => is_sound = false,
            }
        }
        self.check_choice(node, &conditions);
        if !has_word && is_sound {
            let span = node.entries().next().map_or(node.span(), |entry| entry.key.span());
            let finding =
                lints::RULE_SET_SHAPE.diagnostic_at(span, "missing word that says what is required");
            self.findings.push(finding.with_help("add one, such as `required: true` or `integer: {min: 1}`"));
            return None;
        }
        is_sound.then(|| single_or_all(conditions))
    }

    /// Reads `as`, which is about a word that compares two values.
    fn read_named_reading(&mut self, node: Node<'_>, value: Node<'_>) -> Option<ComparedAs> {
        let text = value.as_str().unwrap_or(value.text());
        let Some((_, found)) = ComparedAs::NAMES.iter().find(|(name, _)| *name == text) else {
            let names = ComparedAs::NAMES.map(|(name, _)| name);
            self.report_unknown(value.span(), format!("unknown reading `{text}`"), text, &names);
            return None;
        };
        if !node
            .entries_with_merged()
            .any(|entry| find_word(entry.key.text()).is_some_and(Word::compares_paths))
        {
            let names = WORDS.iter().filter(|word| word.compares_paths());
            let names: Vec<_> = names.map(|word| format!("`{}`", word.name)).collect();
            let message = format!("`as` is for {}", kvrules_diagnostics::join_words(&names, "and"));
            self.report_advised(value.span(), message, "remove it, or compare two paths");
            return None;
        }
        Some(*found)
    }

    /// Reports a list of values none of which passes the other words.
    fn check_choice(&mut self, node: Node<'_>, conditions: &[Condition]) {
        let mut tests: Vec<(&ValueTest, bool)> =
            conditions.iter().filter_map(Condition::value_test).collect();
        // That of `uniqueBy` is about the list of the values.
        tests.retain(|(test, _)| !matches!(test, ValueTest::UniqueBy(_)));
        let listed = tests.iter().find_map(|test| match test {
            (ValueTest::In(values), true) => Some(values),
            _ => None,
        });
        let (Some(values), Some(entry)) = (listed.filter(|_| tests.len() > 1), node.entry("in")) else {
            return;
        };
        let passes = |value: &serde_json::Value| {
            tests.iter().all(|(test, verdict)| test.is_passed_by(value) == *verdict)
        };
        let has_parameters = entry.value.items().any(|item| item.text().starts_with("$("));
        if !has_parameters && !values.iter().any(passes) {
            let message = "no value of `in` passes the other words";
            self.report_contradiction(entry.value.span(), message, None);
        }
    }

    /// The value of `each`, which words without a path are about.
    fn scope_target(&self, node: Node<'_>) -> Option<PathTarget<'s>> {
        let target = PathTarget { path: RulePath::default(), schema: self.schema, span: node.span() };
        (!self.scope.0.is_empty()).then_some(target)
    }

    /// Reports keys that are neither words nor known otherwise.
    fn check_words(&mut self, node: Node<'_>, others: &[&str]) -> bool {
        let mut is_sound = true;
        for entry in node.entries_with_merged() {
            let key = entry.key.text();
            let word = find_word(key);
            if word.is_some_and(|word| self.is_condition && !word.is_of_conditions()) {
                let place = if self.is_required { "a condition" } else { "`when`" };
                self.report_shape(entry.key.span(), format!("{place} cannot use `{key}`"));
                is_sound = false;
            } else if word.is_none() && !others.contains(&key) {
                let words = WORDS.iter().map(|word| word.name);
                let joining = CONNECTIVES.into_iter().chain(QUANTIFIERS);
                let joining = joining.filter(|key| !others.contains(key));
                let known: Vec<&str> = others.iter().copied().chain(joining).chain(words).collect();
                let message = format!("unknown word `{key}`");
                match word_for(key, node) {
                    Some(ours) => {
                        let finding = lints::RULE_SET_SHAPE.diagnostic_at(entry.key.span(), message);
                        self.findings.push(finding.with_help(format!("write `{ours}`")));
                    }
                    None => self.report_unknown(entry.key.span(), message, key, &known),
                }
                is_sound = false;
            }
        }
        is_sound
    }

    /// Reports a path with several values, which does not say if each of them is meant.
    fn report_several(&mut self, target: &PathTarget<'_>) {
        let end = target.path.0.iter().rposition(|step| *step == PathStep::Each).unwrap_or_default();
        let list = RulePath(target.path.0.iter().take(end + 1).cloned().collect());
        let message =
            format!("`{}` is several values, and the condition may mean each of them or some", target.path);
        let help = format!(
            "write `each: \"{list}\"` or `some: \"{list}\"` next to the words, and the path from an item"
        );
        self.report_advised(target.span, message, &help);
    }

    /// The list of which a path such as `spec.ports[*]` names the items.
    fn list_of_items(&self, items: &PathTarget<'s>) -> Option<PathTarget<'s>> {
        let (last, before) = items.path.0.split_last()?;
        let path = RulePath(before.to_vec());
        let schema = schema_at(self.schema, &path).filter(|_| *last == PathStep::Each)?;
        Some(PathTarget { path, schema, span: items.span })
    }

    /// Reads one word. A path with `[*]` is about every item, and in `when` about some item.
    fn read_one(&mut self, word: &Word, value: Node<'_>, path: Option<&PathTarget<'s>>) -> Option<Condition> {
        let list = path.filter(|_| word.name == "uniqueBy").and_then(|path| self.list_of_items(path));
        let path = list.as_ref().or(path);
        let Some(target) = path.filter(|_| word.needs_path()) else {
            return read_word(word, self, value, None);
        };
        if let Reading::Compare(how) = word.read
            && let Some(constant) = word_for_constant(value, how)
        {
            let message = format!("`{}` names the path of another field, not a value", word.name);
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(value.span(), message);
            self.findings.push(finding.with_help(format!("write `{constant}`")));
            return None;
        }
        if !target.path.has_each() || matches!(word.read, Reading::Reference) {
            return read_word(word, self, value, Some(target));
        }
        if self.is_required {
            self.report_several(target);
            return None;
        }
        if word.compares_paths() {
            let message = format!("`{}` compares two paths of one object or item", word.name);
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(target.span, message);
            let help = "name the list with `each`, and give both paths from its items";
            self.findings.push(finding.with_help(help));
            return None;
        }
        if word.is_of_updates() {
            let message =
                format!("`{}` is about one value of an object, and not about items of a list", word.name);
            self.findings.push(lints::RULE_UPDATE.diagnostic_at(target.span, message));
            return None;
        }
        let mut lists = Vec::new();
        let mut rest = target.path.clone();
        while let Some((list, below)) = rest.split_at_first_each() {
            lists.push(list);
            rest = below;
        }
        let inner = PathTarget { path: rest, schema: target.schema, span: target.span };
        let mut condition = read_word(word, self, value, Some(&inner))?;
        for list in lists.into_iter().rev() {
            condition = if self.is_condition {
                let none = Condition::ForAll(list, Box::new(Condition::Not(Box::new(condition))));
                Condition::Not(Box::new(none))
            } else {
                Condition::ForAll(list, Box::new(condition))
            };
        }
        Some(condition)
    }
}

/// The word that compares with a value, where the path of a field is expected. No path begins with a digit.
fn word_for_constant(value: Node<'_>, how: Comparison) -> Option<String> {
    let text = value.text();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
    let is_boolean = matches!(value.kind(), SyntaxKind::True | SyntaxKind::False);
    let bound = match how {
        Comparison::AtLeast => "min",
        Comparison::AtMost => "max",
        Comparison::Above => "above",
        Comparison::Below => "below",
        Comparison::Equal => return (is_number || is_boolean).then(|| format!("in: [{text}]")),
        Comparison::NotEqual => return (is_number || is_boolean).then(|| format!("notIn: [{text}]")),
    };
    // Bounds of integers are included.
    let next = |step: i64| text.parse::<i64>().ok().and_then(|number| number.checked_add(step));
    let of_integers = match how {
        Comparison::Above => next(1).map(|next| format!("integer: {{min: {next}}}")),
        Comparison::Below => next(-1).map(|next| format!("integer: {{max: {next}}}")),
        _ => None,
    };
    if of_integers.is_some() {
        return of_integers;
    }
    let word = match digits.trim_start_matches(|it: char| it.is_ascii_digit()) {
        "" => "integer",
        rest if rest.starts_with('.') && value.as_str().is_none() => "number",
        _ => "quantity",
    };
    is_number.then(|| format!("{word}: {{{bound}: {text}}}"))
}

fn single_or_all(mut conditions: Vec<Condition>) -> Condition {
    if conditions.len() == 1 { conditions.remove(0) } else { Condition::All(conditions) }
}
