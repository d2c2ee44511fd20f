//! Parameters: limits that get their values at compile time, or that policies read from an object of the cluster.
//!
//! A policy with parameters has the expression of a rule with the parameter in place of the value. To find it, rules are read a second
//! time with a value that occurs nowhere else: if its expression has another form than that with the real value, the rule is refused.

use std::collections::BTreeMap;

use kvrules_apiserver::definition::{AuthoredObjects, ParameterExpression, PolicyParameters};
use kvrules_cel::types::escape_property;
use kvrules_diagnostics::{Diagnostic, Span, find_nearest};
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::{Map, Number, Value as Json, json};

use crate::lints;
use crate::lower::literal;
use crate::mapping::{check_mapping, require};
use crate::subject::RuleSubject;

/// The parameters of a RuleSet.
#[derive(Clone, Debug, Default)]
pub struct RuleSetParameters {
    pub(crate) list: Vec<RuleParameter>,
    /// The object of the cluster from which policies read them.
    pub(crate) source: Option<ParameterSource>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct RuleParameter {
    pub(crate) name: String,
    kind: ParameterType,
    /// The value at compile time.
    value: Option<Json>,
    default: Option<Json>,
    /// A value that occurs nowhere else.
    symbol: Json,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParameterType {
    Integer,
    Number,
    String,
}

const TYPES: [(&str, ParameterType); 3] = [
    ("integer", ParameterType::Integer),
    ("number", ParameterType::Number),
    ("string", ParameterType::String),
];

/// An object of the cluster with values of parameters.
#[derive(Clone, Debug)]
pub(crate) struct ParameterSource {
    api_version: String,
    kind: String,
    name: String,
    namespace: Option<String>,
    is_config_map: bool,
}

/// The parameters while rules are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterView<'p> {
    pub(crate) parameters: &'p RuleSetParameters,
    /// True for symbols in place of values.
    pub(crate) is_symbolic: bool,
}

impl RuleSetParameters {
    /// Returns the names of the parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|parameter| parameter.name.as_str())
    }

    /// Returns the first parameter without a value at compile time.
    pub fn first_without_value(&self) -> Option<&str> {
        self.list.iter().find(|parameter| parameter.value.is_none()).map(|parameter| parameter.name.as_str())
    }

    /// True if policies read the values from an object of the cluster.
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// The expression with the values of compile time in place of symbols.
    pub(crate) fn with_values(&self, expression: &str) -> String {
        self.list.iter().fold(expression.to_owned(), |text, parameter| {
            text.replace(&literal(&parameter.symbol), &literal(parameter.current_value()))
        })
    }

    /// A value as it is written, with the values of compile time in place of scalars such as `$(limit)`.
    pub(crate) fn put_values(&self, written: &Json) -> Json {
        match written {
            Json::String(text) => {
                self.find_written(text).map_or_else(|| written.clone(), |it| it.current_value().clone())
            }
            Json::Array(items) => items.iter().map(|item| self.put_values(item)).collect(),
            Json::Object(fields) => {
                fields.iter().map(|(name, below)| (name.clone(), self.put_values(below))).collect()
            }
            other => other.clone(),
        }
    }

    /// The parameter that a scalar such as `$(limit)` stands for.
    fn find_written(&self, text: &str) -> Option<&RuleParameter> {
        let name = text.strip_prefix("$(")?.strip_suffix(')')?;
        self.list.iter().find(|parameter| parameter.name == name)
    }

    /// True if a text has a symbol.
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        self.list.iter().any(|parameter| text.contains(&parameter.symbol_text()))
    }

    /// The parameters as policies read them; `None` without a source. `entries` are the rules with symbols, by their places.
    pub(crate) fn to_policy(&self, entries: BTreeMap<String, Json>) -> Option<PolicyParameters> {
        let source = self.source.as_ref()?;
        let mut reference = json!({"name": source.name, "parameterNotFoundAction": "Deny"});
        if let (Some(fields), Some(namespace)) = (reference.as_object_mut(), &source.namespace) {
            fields.insert("namespace".to_owned(), namespace.as_str().into());
        }
        let expressions = self.list.iter().map(|parameter| ParameterExpression {
            symbol: parameter.symbol_text(),
            literal: literal(&parameter.symbol),
            expression: source.to_expression(parameter),
            name: parameter.name.clone(),
        });
        Some(PolicyParameters {
            kind: json!({"apiVersion": source.api_version, "kind": source.kind}),
            reference,
            expressions: expressions.collect(),
            entries,
            object: source.to_object(&self.list),
        })
    }
}

impl RuleParameter {
    fn current_value(&self) -> &Json {
        self.value.as_ref().unwrap_or(&self.symbol)
    }

    fn symbol_text(&self) -> String {
        self.symbol.as_str().map_or_else(|| self.symbol.to_string(), str::to_owned)
    }
}

impl ParameterSource {
    /// The value of a parameter in CEL.
    fn to_expression(&self, parameter: &RuleParameter) -> String {
        let name = &parameter.name;
        let (value, test) = if self.is_config_map {
            let key = literal(&Json::from(name.as_str()));
            let text = format!("params.data[{key}]");
            let value = match parameter.kind {
                ParameterType::Integer => format!("int({text})"),
                ParameterType::Number => format!("double({text})"),
                ParameterType::String => text,
            };
            (value, format!("has(params.data) && {key} in params.data"))
        } else {
            let field = escape_property(name).unwrap_or_else(|| name.clone());
            (format!("params.spec.{field}"), format!("has(params.spec) && has(params.spec.{field})"))
        };
        match &parameter.default {
            Some(default) => format!("({test} ? {value} : {})", literal(default)),
            None => value,
        }
    }

    /// The object with the values of compile time.
    fn to_object(&self, list: &[RuleParameter]) -> Json {
        let value = |parameter: &RuleParameter| {
            let value = parameter.current_value();
            let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let value = if self.is_config_map { text().into() } else { value.clone() };
            (parameter.name.clone(), value)
        };
        let values: Map<String, Json> = list.iter().map(value).collect();
        let field = if self.is_config_map { "data" } else { "spec" };
        let namespace = self.namespace.as_deref().unwrap_or("default");
        json!({"apiVersion": self.api_version, "kind": self.kind,
            "metadata": {"name": self.name, "namespace": namespace}, field: values})
    }
}

impl ParameterView<'_> {
    /// The value that a scalar such as `$(limit)` stands for; `None` for another scalar, an error for an unknown parameter.
    pub(crate) fn value_at(
        &self,
        node: Node<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Result<Json, ()>> {
        let name = node.as_str()?.strip_prefix("$(")?.strip_suffix(')')?;
        Some(self.value_of(name, node.span(), findings))
    }

    /// The value of a parameter that is named at a location; an error for an unknown one, which is reported.
    pub(crate) fn value_of(
        &self,
        name: &str,
        span: Span,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<Json, ()> {
        let Some(found) = self.parameters.list.iter().find(|parameter| parameter.name == name) else {
            let near = find_nearest(name, self.parameters.names());
            let help = match near {
                Some(near) => format!("did you mean `$({near})`?"),
                None => "declare it in `parameters` of the RuleSet".to_owned(),
            };
            let message = format!("unknown parameter `{name}`");
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message).with_help(help));
            return Err(());
        };
        Ok(if self.is_symbolic { found.symbol.clone() } else { found.current_value().clone() })
    }
}

/// Reads `parameters` and `parametersFrom`. `values` are those of compile time, by the names of parameters.
pub(crate) fn read_parameters(
    spec: Node<'_>,
    values: &BTreeMap<String, String>,
    subject: &RuleSubject,
    find_kind: &dyn Fn(&str, &str) -> Option<RuleSubject>,
    findings: &mut Vec<Diagnostic>,
) -> RuleSetParameters {
    let mut read = RuleSetParameters::default();
    if let Some(declared) = spec.get("parameters") {
        if !declared.is_map() {
            let message = "`parameters` must map names to their types";
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(declared.span(), message));
        }
        for entry in declared.entries_with_merged() {
            let index = read.list.len();
            read.list.extend(read_parameter((entry.key, entry.value), index, values, findings));
        }
    }
    if let Some(source) = spec.get("parametersFrom") {
        read.source = read_source(source, subject, &read.list, find_kind, findings);
    }
    read
}

fn read_parameter(
    (key, node): (Node<'_>, Node<'_>),
    index: usize,
    values: &BTreeMap<String, String>,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleParameter> {
    let name = key.text();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_name {
        let message = format!("`{name}` is not a name of a parameter: letters, digits and `-`");
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(key.span(), message));
        return None;
    }
    if !check_mapping(findings, node, "the parameter", &["type", "default", "description"]) {
        return None;
    }
    let kind = require(node, "type", "the parameter", findings)?;
    let Some((_, found)) = TYPES.iter().find(|(known, _)| kind.as_str() == Some(known)) else {
        let message = "the type of a parameter must be `integer`, `number` or `string`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(kind.span(), message));
        return None;
    };
    let default = match node.get("default") {
        None => None,
        Some(value) => {
            let read = ValueReader::for_kubernetes().read_value(value).ok();
            let read = read.and_then(|read| found.to_value(&read));
            if read.is_none() {
                let message = format!("the default of `{name}` must be {}", found.describe());
                findings.push(lints::RULE_SET_SHAPE.diagnostic_at(value.span(), message));
                return None;
            }
            read
        }
    };
    let mut value = default.clone();
    if let Some(text) = values.get(name) {
        value = found.parse_value(text);
        if value.is_none() {
            let message = format!("`{text}`, the value for `{name}`, is not {}", found.describe());
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(key.span(), message));
            return None;
        }
    }
    let (kind, span) = (*found, key.span());
    Some(RuleParameter { name: name.to_owned(), kind, value, default, symbol: kind.symbol(index), span })
}

impl ParameterType {
    fn describe(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
        }
    }

    fn to_value(self, value: &Json) -> Option<Json> {
        match self {
            Self::Integer => value.as_i64().map(Json::from),
            Self::Number => value.as_f64().and_then(Number::from_f64).map(Json::from),
            Self::String => value.as_str().map(Json::from),
        }
    }

    fn parse_value(self, text: &str) -> Option<Json> {
        match self {
            Self::Integer => text.trim().parse::<i64>().ok().map(Json::from),
            Self::Number => text.trim().parse::<f64>().ok().and_then(Number::from_f64).map(Json::from),
            Self::String => Some(text.into()),
        }
    }

    /// A value with digits that nobody writes. As a string it is a quantity, too.
    fn symbol(self, index: usize) -> Json {
        let number = 7_203_451_000_000_i64 + i64::try_from(index).unwrap_or_default();
        match self {
            Self::Integer => number.into(),
            #[expect(clippy::cast_precision_loss, reason = "the number is small enough")]
            Self::Number => json!(number as f64 + 0.5),
            Self::String => format!("{number}00").into(),
        }
    }
}

fn read_source(
    node: Node<'_>,
    subject: &RuleSubject,
    list: &[RuleParameter],
    find_kind: &dyn Fn(&str, &str) -> Option<RuleSubject>,
    findings: &mut Vec<Diagnostic>,
) -> Option<ParameterSource> {
    if !check_mapping(findings, node, "`parametersFrom`", &["apiVersion", "kind", "name", "namespace"]) {
        return None;
    }
    let mut text = |key: &str, default: &str| match node.get(key) {
        None => Some(default.to_owned()),
        Some(value) => {
            let found = value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            if found.is_none() {
                let message = format!("`{key}` must be a string");
                findings.push(lints::RULE_SET_SHAPE.diagnostic_at(value.span(), message));
            }
            found
        }
    };
    let (api_version, kind) = (text("apiVersion", "v1")?, text("kind", "ConfigMap")?);
    let (name, namespace) = (text("name", "")?, text("namespace", "")?);
    let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
    if name.is_empty() {
        let message = "missing `name` in `parametersFrom`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
        return None;
    }
    let is_config_map = (api_version.as_str(), kind.as_str()) == ("v1", "ConfigMap");
    let source = ParameterSource { api_version, kind, name, namespace, is_config_map };
    match source.find_problem(subject, list, find_kind) {
        None => Some(source),
        Some((message, help)) => {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message).with_help(help));
            None
        }
    }
}

impl ParameterSource {
    /// The reason why policies about a subject cannot read the parameters there, and advice.
    fn find_problem(
        &self,
        subject: &RuleSubject,
        list: &[RuleParameter],
        find_kind: &dyn Fn(&str, &str) -> Option<RuleSubject>,
    ) -> Option<(String, &'static str)> {
        let kind = &self.kind;
        let is_namespaced = if self.is_config_map {
            true
        } else {
            let Some(found) = find_kind(&self.api_version, kind) else {
                let help = "use a `ConfigMap`, or give the file with the CustomResourceDefinition of the kind to the command";
                return Some((format!("unknown kind `{kind}` in `{}`", self.api_version), help));
            };
            if let Some(parameter) = list.iter().find(|parameter| !is_declared(&found, parameter)) {
                let wanted = parameter.kind.describe();
                let help = "the parameters are fields of `spec` in an object of another kind than ConfigMap";
                return Some((format!("`{kind}` has no `spec.{}` that is {wanted}", parameter.name), help));
            }
            found.version.is_namespaced
        };
        // admission/plugin/policy/generic/policy_dispatcher.go, CollectParams
        if is_namespaced && self.namespace.is_none() && subject.objects == AuthoredObjects::OfAnyKind {
            let message = "objects of some kinds are in no namespace, so that `parametersFrom` needs one";
            return Some((message.to_owned(), "add the `namespace` of the parameters"));
        }
        if is_namespaced && self.namespace.is_none() && !subject.version.is_namespaced {
            let own = &subject.version.kind;
            let message = format!("`{own}` is in no namespace, so that `parametersFrom` needs one");
            return Some((message, "add the `namespace` of the parameters"));
        }
        let is_wrong = !is_namespaced && self.namespace.is_some();
        is_wrong
            .then(|| (format!("objects of the kind `{kind}` are in no namespace"), "leave out `namespace`"))
    }
}

/// True if a kind has a field of `spec` with the name and the type of a parameter.
fn is_declared(kind: &RuleSubject, parameter: &RuleParameter) -> bool {
    let fields =
        kind.schema.get("properties").and_then(|it| it.get("spec")).and_then(|it| it.get("properties"));
    let found = fields.and_then(|fields| fields.get(&parameter.name)).and_then(|field| field.get("type"));
    TYPES.iter().any(|(name, kind)| *kind == parameter.kind && found.and_then(Json::as_str) == Some(name))
}

/// Reports parameters that no rule uses.
pub(crate) fn report_unused(
    parameters: &RuleSetParameters,
    texts: &[String],
    findings: &mut Vec<Diagnostic>,
) {
    for parameter in &parameters.list {
        let symbol = parameter.symbol_text();
        if !texts.iter().any(|text| text.contains(&symbol)) {
            let message = format!("unused parameter `{}`", parameter.name);
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(parameter.span, message);
            findings.push(
                finding.with_help(format!("write `$({})` in place of a limit, or remove it", parameter.name)),
            );
        }
    }
}
