//! Mutants: small changes of rules and schemas that a suite should notice.

use kvrules_cel::SourceText;
use kvrules_cel::ast::{ComprehensionKind, Expr, ExprKind, Literal, operators};
use kvrules_lift::DefinitionRule;
use serde_json::{Number, Value};

use super::sites::{MeasuredRules, RuleSite, SiteKind};
use crate::document::text_field;

/// A changed document.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Name of the rule or the keyword.
    pub name: String,
    /// JSON pointer to the value that is changed.
    pub pointer: String,
    /// Description of the change.
    pub description: String,
    /// The value before the change.
    pub before: Value,
    /// The value after it; null if the field or the item is removed.
    pub after: Value,
    /// Index of the rule among the document's expressions; none for a keyword.
    pub site: Option<usize>,
    /// The changed document, if the pointer is not one into it.
    pub(super) document: Option<Value>,
}

impl Mutant {
    /// Returns the document with the change.
    pub fn apply_change(&self, document: &Value) -> Value {
        if let Some(document) = &self.document {
            return document.clone();
        }
        let mut changed = document.clone();
        let item = self.pointer.rsplit_once('/').filter(|_| self.after.is_null());
        if let Some((list, at)) = item
            && let Ok(at) = at.parse::<usize>()
            && let Some(items) = changed.pointer_mut(list).and_then(Value::as_array_mut)
        {
            if at < items.len() {
                items.remove(at);
            }
        } else if let Some(place) = changed.pointer_mut(&self.pointer) {
            *place = self.after.clone();
        } else if let Some((parent, name)) = self.pointer.rsplit_once('/')
            && let Some(fields) = changed.pointer_mut(parent).and_then(Value::as_object_mut)
        {
            fields.insert(name.to_owned(), self.after.clone());
        }
        changed
    }

    /// Returns the change as a diff of one value.
    pub fn to_diff(&self) -> String {
        let show = |sign: char, value: &Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text.trim().lines().fold(String::new(), |all, line| all + &format!("{sign} {line}\n"))
        };
        let (Some(before), Some(after)) = (self.before.as_object(), self.after.as_object()) else {
            let after = if self.after.is_null() { String::new() } else { show('+', &self.after) };
            return show('-', &self.before) + &after;
        };
        let differs = |name: &&String| before.get(*name) != after.get(*name);
        let names: Vec<&String> = before.keys().chain(after.keys()).filter(differs).collect();
        let line = |sign: char, fields: &serde_json::Map<String, Value>| {
            let lines =
                names.iter().filter_map(|name| Some(format!("{sign} \"{name}\": {}\n", fields.get(*name)?)));
            lines.collect::<std::collections::BTreeSet<String>>().into_iter().collect::<String>()
        };
        line('-', before) + &line('+', after)
    }
}

/// Generates the mutants of a document, in the order of its expressions; those of keywords follow.
pub(super) fn generate_mutants(rules: &MeasuredRules<'_>) -> Vec<Mutant> {
    let of_site = |(index, site): (usize, &RuleSite)| {
        let mut mutants = expression_mutants(index, site);
        mutants.extend(flipped_old_self(index, site, &rules.document));
        mutants
    };
    let expressions = rules.sites.iter().enumerate().flat_map(of_site);
    let keywords = keyword_mutants(&rules.document);
    expressions.chain(keywords).collect()
}

/// The rule with `optionalOldSelf` set or cleared.
fn flipped_old_self(index: usize, site: &RuleSite, document: &Value) -> Option<Mutant> {
    let rule = site.rule.as_ref().filter(|rule| rule.source.is_transition_rule())?;
    let pointer = format!("{}/optionalOldSelf", site.pointer);
    let before = document.pointer(&pointer).cloned().unwrap_or(Value::Bool(false));
    let after = Value::Bool(!rule.source.optional_old_self);
    let changed = DefinitionRule {
        source: kvrules_apiserver::crd::RuleSource {
            optional_old_self: !rule.source.optional_old_self,
            ..rule.source.clone()
        },
        ..(**rule).clone()
    };
    // With an optional the expression has other types.
    changed.check_types().ok()?;
    let description = format!("`optionalOldSelf` becomes {after}");
    Some(Mutant {
        name: site.name.clone(),
        pointer,
        description,
        before,
        after,
        site: Some(index),
        document: None,
    })
}

pub(super) fn expression_mutants(index: usize, site: &RuleSite) -> Vec<Mutant> {
    let source = site.text.trim();
    let Ok(parsed) = kvrules_cel::parse(source) else { return Vec::new() };
    let texts = SourceText::new(&parsed);
    let mut changes = Changes { source, texts, site, found: Vec::new() };
    if site.kind != SiteKind::Variable {
        changes.add(&parsed.root, "the rule is dropped".to_owned(), "true");
    }
    changes.visit(&parsed.root);
    let mut texts: Vec<String> = Vec::new();
    let mut mutants = Vec::new();
    for (description, text) in changes.found {
        if text == source || texts.contains(&text) || !is_valid(site, &text) {
            continue;
        }
        texts.push(text.clone());
        mutants.push(Mutant {
            name: site.name.clone(),
            pointer: site.expression_pointer(),
            description,
            before: site.text.clone().into(),
            after: text.into(),
            site: Some(index),
            document: None,
        });
    }
    mutants
}

/// True if the server accepts the changed expression.
fn is_valid(site: &RuleSite, text: &str) -> bool {
    match &site.rule {
        Some(rule) => rule_with_text(rule, text).check_types().is_ok(),
        None => kvrules_cel::parse(text).is_ok(),
    }
}

/// Returns a rule with another expression.
pub(super) fn rule_with_text(rule: &DefinitionRule<'static>, text: &str) -> DefinitionRule<'static> {
    let source = kvrules_apiserver::crd::RuleSource { rule: text.to_owned(), ..rule.source.clone() };
    DefinitionRule { source, ..rule.clone() }
}

/// Changes of an expression: descriptions and texts.
struct Changes<'s> {
    source: &'s str,
    texts: SourceText<'s>,
    site: &'s RuleSite,
    found: Vec<(String, String)>,
}

/// Operators, and those that take their place.
const SWAPPED: [(&str, &str, &str); 6] = [
    (operators::LESS, "<", "<="),
    (operators::LESS_EQUALS, "<=", "<"),
    (operators::GREATER, ">", ">="),
    (operators::GREATER_EQUALS, ">=", ">"),
    (operators::EQUALS, "==", "!="),
    (operators::NOT_EQUALS, "!=", "=="),
];

impl<'s> Changes<'s> {
    fn text_of(&self, expr: &Expr) -> &'s str {
        self.texts.node_text(expr.span)
    }

    /// Adds the expression with a node replaced.
    fn add(&mut self, node: &Expr, description: String, text: &str) {
        let range = self.texts.balanced_range(node.span);
        self.add_range((range.start, range.end), description, text);
    }

    fn add_range(&mut self, (start, end): (usize, usize), description: String, text: &str) {
        let (Some(before), Some(after)) = (self.source.get(..start), self.source.get(end..)) else { return };
        self.found.push((description, format!("{before}{text}{after}")));
    }

    fn visit(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call { function, args, .. } => self.change_call(expr, function, args),
            ExprKind::Literal(literal) => self.change_literal(expr, literal),
            ExprKind::List(elements) => {
                let texts: Vec<String> =
                    elements.iter().map(|it| self.text_of(&it.value).to_owned()).collect();
                let is_constant = elements.iter().all(|it| matches!(it.value.kind, ExprKind::Literal(_)));
                if is_constant && !texts.is_empty() {
                    self.change_list(expr, &texts);
                }
            }
            ExprKind::Comprehension(it) => {
                let names = match it.kind {
                    ComprehensionKind::All => Some(("all", "exists")),
                    ComprehensionKind::Exists => Some(("exists", "all")),
                    ComprehensionKind::ExistsOne => Some(("exists_one", "exists")),
                    _ => None,
                };
                if let Some((from, to)) = names {
                    self.swap_between((it.range.span.end, it.var.span.start), from, to);
                }
            }
            ExprKind::Select { field, .. } | ExprKind::Has { field, .. } => self.swap_field(expr, field),
            _ => {}
        }
        for child in expr.children() {
            self.visit(child);
        }
    }

    fn change_call(&mut self, expr: &Expr, function: &str, args: &[Expr]) {
        let text = |changes: &Self, index: usize| {
            args.get(index).map(|arg| changes.text_of(arg).to_owned()).unwrap_or_default()
        };
        let swapped = SWAPPED.iter().find(|(operator, ..)| *operator == function);
        if let (Some((_, from, to)), [left, right]) = (swapped, args) {
            self.swap_between((left.span.end, right.span.start), from, to);
        }
        match function {
            operators::AND | operators::OR => {
                let word = if function == operators::AND { "conjunct" } else { "alternative" };
                if let [left, right] = args {
                    for (kept, dropped) in [(left, right), (right, left)] {
                        let description = format!("the {word} `{}` is dropped", self.text_of(dropped));
                        let kept = format!("({})", self.text_of(kept));
                        self.add(expr, description, &kept);
                    }
                }
                let (from, to) = if function == operators::AND { ("&&", "||") } else { ("||", "&&") };
                if args.len() == 2 {
                    let swapped = format!("(({}) {to} ({}))", text(self, 0), text(self, 1));
                    self.add(expr, format!("`{from}` becomes `{to}`"), &swapped);
                }
            }
            operators::NOT => {
                let inner = format!("({})", text(self, 0));
                self.add(expr, "`!` is dropped".to_owned(), &inner);
            }
            operators::CONDITIONAL => {
                for (index, word) in [(1, "true"), (2, "false")] {
                    let kept = format!("({})", text(self, index));
                    self.add(expr, format!("the condition is always {word}"), &kept);
                }
            }
            _ => {}
        }
    }

    /// Replaces a word in a range, in which it is the only one of its kind.
    fn swap_between(&mut self, (start, end): (usize, usize), from: &str, to: &str) {
        let Some(found) = self.source.get(start..end).and_then(|text| text.find(from)) else { return };
        let at = start + found;
        self.add_range((at, at + from.len()), format!("`{from}` becomes `{to}`"), to);
    }

    fn change_literal(&mut self, expr: &Expr, literal: &Literal) {
        let changed: Vec<String> = match literal {
            Literal::Int(value) => [value.checked_add(1), value.checked_sub(1)]
                .into_iter()
                .flatten()
                .map(|it| it.to_string())
                .collect(),
            Literal::Uint(value) => [value.checked_add(1), value.checked_sub(1)]
                .into_iter()
                .flatten()
                .map(|it| format!("{it}u"))
                .collect(),
            _ => Vec::new(),
        };
        for text in changed {
            let description = format!("`{}` becomes `{text}`", self.text_of(expr));
            self.add(expr, description, &text);
        }
    }

    fn change_list(&mut self, expr: &Expr, texts: &[String]) {
        if texts.len() > 1 {
            for (index, dropped) in texts.iter().enumerate() {
                let kept: Vec<&str> = texts
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index)
                    .map(|(_, text)| text.as_str())
                    .collect();
                let description = format!("`{dropped}` is removed from the list");
                self.add(expr, description, &format!("[{}]", kept.join(", ")));
            }
        }
        let is_text = texts.iter().all(|text| text.starts_with(['\'', '"']));
        if is_text {
            let added = "'kvrules-added'";
            let all = format!("[{}, {added}]", texts.join(", "));
            self.add(expr, format!("`{added}` is added to the list"), &all);
        }
    }

    /// Replaces a field by its siblings of the same type.
    fn swap_field(&mut self, expr: &Expr, field: &str) {
        let Some(rule) = &self.site.rule else { return };
        let (ExprKind::Select { operand, .. } | ExprKind::Has { operand, .. }) = &expr.kind else { return };
        let Some(path) = operand.qualified_name() else { return };
        let Some(path) = path.strip_prefix("self").or_else(|| path.strip_prefix("oldSelf")) else { return };
        let mut node = Some(&*rule.schema);
        for step in path.split('.').filter(|step| !step.is_empty()) {
            node = node.and_then(|node| node.get("properties")?.get(step));
        }
        let Some(properties) = node.and_then(|node| node.get("properties")?.as_object()) else { return };
        let Some(own) = properties.get(field) else { return };
        let is_like = |other: &Value| {
            text_field(other, "type") == text_field(own, "type")
                && text_field(other, "format") == text_field(own, "format")
        };
        let sibling = properties.iter().find(|(name, schema)| *name != field && is_like(schema));
        let Some((sibling, _)) = sibling else { return };
        let text = self.text_of(expr).to_owned();
        if let Some(at) = text.rfind(field) {
            let changed = format!(
                "{}{sibling}{}",
                text.get(..at).unwrap_or_default(),
                text.get(at + field.len()..).unwrap_or_default()
            );
            self.add(expr, format!("the field `{field}` becomes `{sibling}`"), &changed);
        }
    }
}

/// Keywords with a bound, and the sides that a change of it is made to.
const BOUNDS: [&str; 8] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Mutants of the keywords of a definition's schemas.
fn keyword_mutants(document: &Value) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    for (index, version) in versions.into_iter().flatten().enumerate() {
        let Some(schema) = version.pointer("/schema/openAPIV3Schema") else { continue };
        let pointer = format!("/spec/versions/{index}/schema/openAPIV3Schema");
        collect_keywords(schema, &pointer, "", &mut mutants);
    }
    mutants
}

fn collect_keywords(node: &Value, pointer: &str, path: &str, mutants: &mut Vec<Mutant>) {
    for keyword in BOUNDS {
        let Some(before) = node.get(keyword).and_then(Value::as_i64) else { continue };
        for after in [before.saturating_add(1), before.saturating_sub(1)] {
            if after < 0 && keyword != "minimum" && keyword != "maximum" {
                continue;
            }
            mutants.push(Mutant {
                name: format!("{path}.{keyword}").trim_start_matches('.').to_owned(),
                pointer: format!("{pointer}/{keyword}"),
                description: format!("`{keyword}` becomes {after}"),
                before: Number::from(before).into(),
                after: Number::from(after).into(),
                site: None,
                document: None,
            });
        }
    }
    if let Some(values) = node.get("enum").and_then(Value::as_array) {
        for index in 0..values.len() {
            let mut after = values.clone();
            let dropped = after.remove(index);
            mutants.push(enum_mutant(
                pointer,
                path,
                values,
                after,
                &format!("{dropped} is removed from the enum"),
            ));
        }
        if values.iter().all(Value::is_string) {
            let mut after = values.clone();
            after.push("kvrules-added".into());
            mutants.push(enum_mutant(pointer, path, values, after, "`kvrules-added` is added to the enum"));
        }
    }
    for (name, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let step = kvrules_syntax::pointer::escape_step(name);
        collect_keywords(child, &format!("{pointer}/properties/{step}"), &format!("{path}.{name}"), mutants);
    }
    for below in ["items", "additionalProperties"] {
        if let Some(child) = node.get(below).filter(|child| child.is_object()) {
            collect_keywords(child, &format!("{pointer}/{below}"), &format!("{path}[*]"), mutants);
        }
    }
}

fn enum_mutant(pointer: &str, path: &str, before: &[Value], after: Vec<Value>, description: &str) -> Mutant {
    Mutant {
        name: format!("{path}.enum").trim_start_matches('.').to_owned(),
        pointer: format!("{pointer}/enum"),
        description: description.to_owned(),
        before: before.to_vec().into(),
        after: after.into(),
        site: None,
        document: None,
    }
}
