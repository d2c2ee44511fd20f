//! Reading of conditions: words and the paths that they are about.

use kvrules_apiserver::definition::AuthoredObjects;
use kvrules_diagnostics::{Diagnostic, Fix, Span, find_nearest, quote_names};
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::Value as Json;

use crate::compared::ComparedAs;
use crate::condition::{Condition, ValueTest};
use crate::document_types::UNREAD;
use crate::lints;
use crate::mapping;
use crate::parameters::ParameterView;
use crate::path::{LocatedPath, PathStep, RulePath, parse_located};
use crate::path_advice::suggest_path;
use crate::repairs::{items_fix, rename_fix};
use crate::shape::{self, ValueType, locate_path, schema_at};
use crate::subject::RuleSubject;

/// Reads words about one value.
pub(crate) struct ConditionReader<'f, 's> {
    pub(crate) findings: &'f mut Vec<Diagnostic>,
    subject: &'s RuleSubject,
    /// The path of the value that words are about; empty for the object.
    pub(crate) scope: RulePath,
    pub(crate) schema: &'s Json,
    /// True for conditions, in which a test of an absent value fails.
    pub(crate) is_condition: bool,
    /// True for conditions that a rule requires, and not `when`.
    pub(crate) is_required: bool,
    /// The reading that `as` names for the words of a mapping.
    pub(crate) read_as: Option<ComparedAs>,
    pub(crate) view: ParameterView<'s>,
    /// The path to which the paths of included rules are relative.
    prefix: &'s RulePath,
}

/// The surroundings of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleContext<'s> {
    pub(crate) subject: &'s RuleSubject,
    pub(crate) view: ParameterView<'s>,
    /// The path to which the paths of the rule are relative; empty unless it is included.
    pub(crate) prefix: &'s RulePath,
}

/// A path with the schema of its values.
#[derive(Debug)]
pub(crate) struct PathTarget<'s> {
    pub(crate) path: RulePath,
    pub(crate) schema: &'s Json,
    pub(crate) span: Span,
}

impl<'f, 's> ConditionReader<'f, 's> {
    /// Reads words about the values at `scope`, whose schema is known.
    pub(crate) fn new(
        findings: &'f mut Vec<Diagnostic>,
        context: RuleContext<'s>,
        scope: RulePath,
        schema: &'s Json,
    ) -> Self {
        let RuleContext { subject, view, prefix } = context;
        Self {
            findings,
            subject,
            scope,
            schema,
            is_condition: false,
            is_required: false,
            read_as: None,
            view,
            prefix,
        }
    }

    pub(crate) fn is_condition(&self) -> bool {
        self.is_condition
    }

    /// A test of the value at a path: in a rule, one that passes without a value.
    pub(crate) fn of_value(&self, target: &PathTarget<'_>, test: ValueTest) -> Condition {
        if self.is_condition {
            Condition::Passes(target.path.clone(), test)
        } else {
            Condition::if_present(target.path.clone(), test)
        }
    }

    /// A test that the value at a path must fail: in a rule, one that passes without a value.
    pub(crate) fn of_denied(&self, target: &PathTarget<'_>, test: ValueTest) -> Condition {
        if self.is_condition {
            let fails = Condition::Not(Box::new(Condition::Passes(target.path.clone(), test)));
            Condition::All(vec![Condition::Present(target.path.clone()), fails])
        } else {
            Condition::unless_passes(target.path.clone(), test)
        }
    }

    /// Reads a path without `[*]` from the value that words are about.
    pub(crate) fn read_plain_path(&mut self, node: Node<'_>) -> Option<PathTarget<'s>> {
        let found = self.read_any_path(node)?;
        if found.path.has_each() {
            let message = format!("`{}` is several values; one is expected here", found.path);
            self.report_shape(node.span(), message);
            return None;
        }
        Some(found)
    }

    /// Reads a path from the value that words are about.
    pub(crate) fn read_any_path(&mut self, node: Node<'_>) -> Option<PathTarget<'s>> {
        if !self.scope.0.is_empty() || self.prefix.0.is_empty() {
            return self.read_path_in(node, self.schema);
        }
        let from = schema_at(self.schema, self.prefix)?;
        let found = self.read_path_in(node, from)?;
        Some(PathTarget { path: self.prefix.join_path(&found.path), ..found })
    }

    /// Reads a path from a value with a schema at another path than that of the words.
    pub(crate) fn read_path_of<'x>(
        &mut self,
        node: Node<'_>,
        schema: &'x Json,
        scope: &RulePath,
    ) -> Option<PathTarget<'x>> {
        let own = std::mem::replace(&mut self.scope, scope.clone());
        let found = self.read_path_in(node, schema);
        self.scope = own;
        found
    }

    /// Reads a path from a value with a schema.
    pub(crate) fn read_path_in<'x>(&mut self, node: Node<'_>, schema: &'x Json) -> Option<PathTarget<'x>> {
        let Some(text) = node.as_str() else {
            self.report_shape(node.span(), "a path must be a string".to_owned());
            return None;
        };
        let located = match parse_located(text) {
            Ok(located) => located,
            Err(error) => {
                let span = node.span_of(error.range);
                let help = suggest_path(text, schema).map(|path| format!("write `{path}`"));
                self.findings.push(lints::UNKNOWN_PATH.diagnostic_at(span, error.message).help_if(help));
                return None;
            }
        };
        if let Err(index) = locate_path(schema, &located.path) {
            self.report_step(node, &located, index, schema);
            return None;
        }
        let found = schema_at(schema, &located.path)?;
        Some(PathTarget { path: located.path, schema: found, span: node.span() })
    }

    fn report_step(&mut self, node: Node<'_>, located: &LocatedPath, index: usize, schema: &Json) {
        let range = located.ranges.get(index).cloned().unwrap_or_default();
        let span = node.span_of(range.clone());
        let step = describe_step(self.subject, &self.scope, &located.path, (index, schema));
        let is_other = matches!(step.problem, StepProblem::Other);
        let fix = match step.problem {
            StepProblem::List => items_fix(node, span),
            // The place of a step has its dot.
            StepProblem::NearField { written, near } => {
                rename_fix(node.span_of(range.end.saturating_sub(written.len())..range.end), &written, &near)
            }
            StepProblem::Other => None,
        };
        let meant = node.as_str().filter(|_| is_other).and_then(|text| suggest_path(text, schema));
        let help = meant.map(|path| format!("write `{path}`")).or(step.help);
        let finding = lints::UNKNOWN_PATH.diagnostic_at(span, step.message);
        self.findings.push(finding.help_if(help).fix_if(fix));
    }

    /// The schema of the subject with all fields, for suggestions.
    pub(crate) fn whole_schema(&self) -> Json {
        self.subject.whole_schema()
    }

    pub(crate) fn read_string(&mut self, node: Node<'_>, word: &str) -> Option<String> {
        let text = node.as_str().map(str::to_owned);
        if text.is_none() {
            self.report_shape(node.span(), format!("`{word}` must be a string"));
        }
        text
    }

    /// Reads a scalar, or the parameter that stands for one.
    pub(crate) fn read_scalar(&mut self, node: Node<'_>, word: &str) -> Option<Json> {
        if let Some(value) = self.view.value_at(node, self.findings) {
            return value.ok();
        }
        let value = ValueReader::for_kubernetes().read_value(node);
        match value {
            Ok(value) if !value.is_null() && !value.is_object() && !value.is_array() => Some(value),
            Ok(_) => {
                self.report_shape(node.span(), format!("`{word}` must be a value"));
                None
            }
            Err(error) => {
                self.report_shape(error.span, error.message);
                None
            }
        }
    }

    pub(crate) fn read_values(&mut self, node: Node<'_>, word: &str) -> Option<Vec<Json>> {
        if !node.is_list() {
            self.report_no_list(node, format!("`{word}` must be a list"));
            return None;
        }
        let mut values = Vec::new();
        for item in node.items() {
            if let Some(value) = self.view.value_at(item, self.findings) {
                values.push(value.ok()?);
                continue;
            }
            match ValueReader::for_kubernetes().read_value(item) {
                Ok(value) => values.push(value),
                Err(error) => {
                    self.report_shape(error.span, error.message);
                    return None;
                }
            }
        }
        Some(values)
    }

    /// True for a mapping with these keys alone.
    pub(crate) fn check_mapping(&mut self, node: Node<'_>, what: &str, known: &[&str]) -> bool {
        mapping::check_mapping(self.findings, node, what, known)
    }

    /// Reports a value in place of a list, with the list of it.
    pub(crate) fn report_no_list(&mut self, node: Node<'_>, message: String) {
        let is_scalar = !node.is_map() && !node.text().is_empty() && !node.text().contains('\n');
        let help = is_scalar.then(|| format!("write `[{}]`", node.text()));
        self.findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message).help_if(help));
    }

    pub(crate) fn report_shape(&mut self, span: Span, message: String) {
        self.findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message));
    }

    pub(crate) fn report_advised(&mut self, span: Span, message: String, help: &str) {
        self.findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message).with_help(help));
    }

    pub(crate) fn report_unknown(&mut self, span: Span, message: String, word: &str, known: &[&str]) {
        self.findings.push(mapping::unknown_finding(span, message, word, known));
    }

    pub(crate) fn report_type(&mut self, span: Span, message: String, help: Option<&str>) {
        self.findings.push(lints::WORD_TYPE.diagnostic_at(span, message).help_if(help.map(str::to_owned)));
    }

    pub(crate) fn report_contradiction(&mut self, span: Span, message: &str, fix: Option<Fix>) {
        self.findings.push(lints::CONTRADICTORY_RULE.diagnostic_at(span, message).fix_if(fix));
    }

    /// Reports values that the schema never accepts.
    pub(crate) fn check_enum(&mut self, target: &PathTarget<'_>, values: &[Json], node: Node<'_>) {
        let Some(known) = shape::enum_values(target.schema) else { return };
        for (value, item) in values.iter().zip(node.items()) {
            if !known.contains(value) {
                self.report_not_in_enum(item.span(), value.as_str().unwrap_or(item.text()), known);
            }
        }
    }

    pub(crate) fn report_not_in_enum(&mut self, span: Span, text: &str, known: &[Json]) {
        let known: Vec<&str> = known.iter().filter_map(Json::as_str).collect();
        let message = format!("`{text}` is not a value of the enumeration in the schema");
        let finding = lints::CHOICE_OUTSIDE_ENUM.diagnostic_at(span, message);
        let near = find_nearest(text, known.iter().copied());
        let fix = near.and_then(|near| rename_fix(span, text, near));
        let near = near.map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("the values are {}", quote_names(&known, known.len())));
        self.findings.push(finding.with_help(help).fix_if(fix));
    }
}

/// A step of a path that leads nowhere.
pub(crate) struct UnknownStep {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    problem: StepProblem,
}

/// The problem of an unknown step, as far as a fix depends on it.
enum StepProblem {
    /// The value is a list, and the step names a field.
    List,
    /// A field has nearly the same name.
    NearField {
        written: String,
        near: String,
    },
    Other,
}

/// Describes a step of a path from a scope of a subject that leads nowhere, with advice.
pub(crate) fn describe_unknown_step(
    subject: &RuleSubject,
    scope: &RulePath,
    path: &RulePath,
    index: usize,
) -> UnknownStep {
    let whole = subject.whole_schema();
    match schema_at(&whole, scope) {
        Some(schema) => describe_step(subject, scope, path, (index, schema)),
        None => {
            UnknownStep { message: format!("unknown path `{path}`"), help: None, problem: StepProblem::Other }
        }
    }
}

fn describe_step(
    subject: &RuleSubject,
    scope: &RulePath,
    path: &RulePath,
    (index, schema): (usize, &Json),
) -> UnknownStep {
    let before = RulePath(path.0.iter().take(index).cloned().collect());
    let parent = schema_at(schema, &before).unwrap_or(&Json::Null);
    if let Some(reason) = parent.get(UNREAD).and_then(Json::as_str) {
        let holder = scope.join_path(&before);
        let holder = if holder.0.is_empty() { "the document".to_owned() } else { format!("`{holder}`") };
        let message = format!("the type of {holder} is unknown");
        return UnknownStep { message, help: Some(reason.to_owned()), problem: StepProblem::Other };
    }
    let holder = if before.0.is_empty() && scope.0.is_empty() {
        match subject.objects {
            AuthoredObjects::OfAnyKind => "an object of any kind".to_owned(),
            _ => format!("`{}`", subject.version.kind),
        }
    } else {
        format!("`{}`", scope.join_path(&before))
    };
    let of_parent = ValueType::of_schema(parent);
    let other = |message| UnknownStep { message, help: None, problem: StepProblem::Other };
    match path.0.get(index) {
        Some(PathStep::Each) => other(format!("{holder} is {}, and has no items", of_parent.describe())),
        Some(PathStep::Field(_)) if of_parent == ValueType::List => UnknownStep {
            message: format!("{holder} is a list"),
            help: Some("write `[*]` for its items".to_owned()),
            problem: StepProblem::List,
        },
        Some(PathStep::Field(name))
            if of_parent == ValueType::Object && !shape::is_reachable(parent, name) =>
        {
            other(format!("an expression cannot name the field `{name}`"))
        }
        Some(PathStep::Field(name)) if of_parent == ValueType::Object => {
            let (help, problem) = suggest_field(subject, &scope.join_path(&before), name, parent);
            UnknownStep { message: format!("unknown field `{name}` in {holder}"), help, problem }
        }
        _ => other(format!("{holder} is {}, and has no fields", of_parent.describe())),
    }
}

/// Advice about an unknown field.
fn suggest_field(
    subject: &RuleSubject,
    holder: &RulePath,
    name: &str,
    parent: &Json,
) -> (Option<String>, StepProblem) {
    let whole = subject.whole_schema();
    let whole = schema_at(&whole, holder).unwrap_or(parent);
    if subject.objects == AuthoredObjects::OfAnyKind && holder.0.is_empty() {
        let help = "objects of any kind have `apiVersion`, `kind` and `metadata`; for other fields name a kind as the subject";
        return (Some(help.to_owned()), StepProblem::Other);
    }
    let fields = whole.get("properties").and_then(Json::as_object);
    let fields: Vec<&str> = fields.into_iter().flat_map(|fields| fields.keys()).map(String::as_str).collect();
    if let Some(near) = find_nearest(name, fields.iter().copied()) {
        let problem = StepProblem::NearField { written: name.to_owned(), near: near.to_owned() };
        return (Some(format!("did you mean `{near}`?")), problem);
    }
    let help = (!fields.is_empty()).then(|| format!("its fields are {}", quote_names(&fields, 12)));
    (help, StepProblem::Other)
}
