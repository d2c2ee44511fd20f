//! The VirtualMachines that stand next to their rules, and what the rules can see of them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use kvrules_diagnostics::{Origin, Span};
use kvrules_elaborate::Elaboration;
use kvrules_elaborate::object::{self, ParameterValues};
use kvrules_elaborate::path;
use kvrules_eval::predicate_holds;
use kvrules_ir::{ElaboratedRule, PathSlice, PathStep, Severity, ValueTest};
use kvrules_syntax::{Node, find_parameters};
use serde_json::{Map, Value};

use crate::LintedAnnotation;

/// Placeholder for the value of a parameter that a template requires.
pub(crate) const PLACEHOLDER: &str = "placeholder";

/// A VirtualMachine that stands next to its rules.
#[derive(Debug)]
pub(crate) struct OwnMachine {
    /// Index among the annotation's machines.
    index: usize,
    /// The fields that the rules name, with parameters put in.
    pub(crate) object: Value,
    /// True if it violates a rule that rejects.
    pub(crate) is_rejected: bool,
}

impl OwnMachine {
    /// Returns its node.
    pub(crate) fn node<'d>(&self, annotated: &LintedAnnotation<'d>) -> Option<Node<'d>> {
        annotated.annotation.virtual_machines().nth(self.index)
    }
}

/// The machines next to an annotation that may need a finding.
pub(crate) fn own_machines(annotated: &LintedAnnotation<'_>) -> Vec<OwnMachine> {
    let names = Names::of(annotated);
    // Skip machines whose fields template tags may add or leave out.
    let known = annotated.annotation.virtual_machines().enumerate().filter(|(_, node)| !node.is_open());
    let own = known.filter_map(|(index, node)| {
        let template = annotated.annotation.template.filter(|_| has_parameter(node, &names));
        let values = template.map_or_else(ParameterValues::without_template, |template| {
            ParameterValues::from_template(template, &BTreeMap::new())
        });
        let object = visible_fields(annotated, &names, node, &values)?;
        let rejecting = annotated.elaboration.rules.iter().filter(|rule| rule.severity == Severity::Error);
        let is_rejected = rejecting.into_iter().any(|rule| !predicate_holds(&rule.predicate, &object));
        (is_rejected || !is_plain(annotated, &object)).then_some(OwnMachine { index, object, is_rejected })
    });
    own.collect()
}

/// True if every rule applies and all that the rules name is written as the validator reads it too: then it comes to
/// the same answer, and need not be run, which takes as long as reading the template.
fn is_plain(annotated: &LintedAnnotation<'_>, object: &Value) -> bool {
    let Elaboration { rules, left_out, .. } = &annotated.elaboration;
    let of_numbers = |rule: &ElaboratedRule| {
        rule.requirement.tests.iter().all(|test| matches!(test, ValueTest::Integer(_)))
    };
    let numbers = rules.iter().all(of_numbers);
    left_out.is_empty()
        && is_plain_value(object, numbers)
        && rules.iter().all(|rule| predicate_holds(&rule.applies, object))
}

/// `numbers` is whether numbers are evaluated as such, and never as texts.
fn is_plain_value(value: &Value, numbers: bool) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => numbers && number.as_i64().is_some_and(|number| number > 0),
        Value::String(text) if text.starts_with(|first: char| first.is_ascii_digit()) => {
            let digits = text.strip_suffix("Mi").or_else(|| text.strip_suffix("Gi"));
            digits
                .is_some_and(|digits| digits.len() < 6 && digits.bytes().all(|digit| digit.is_ascii_digit()))
        }
        Value::String(text) => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        Value::Array(items) => !items.is_empty() && items.iter().all(|item| is_plain_value(item, numbers)),
        Value::Object(fields) => {
            !fields.is_empty() && fields.values().all(|field| is_plain_value(field, numbers))
        }
    }
}

/// The fields of a VirtualMachine that the rules name, with parameters put in; none if one of these has no value
/// before somebody gives it, or if there is no `.spec.template` to look into.
pub(crate) fn visible_fields(
    annotated: &LintedAnnotation<'_>,
    names: &Names<'_>,
    machine: Node<'_>,
    values: &ParameterValues,
) -> Option<Value> {
    machine.get("spec")?.get("template").filter(|template| template.is_map())?;
    if !annotated.catalog.subject().is_virtual_machine() {
        return None;
    }
    partial_value(machine, names, values)
}

/// The fields that the rules of an annotation name, wherever they stand. Collecting them looks at every rule.
pub(crate) struct Names<'r> {
    /// Each once, in the order of the rules.
    listed: Vec<&'r str>,
    /// The same, for more names than [`FEW`].
    known: HashSet<&'r str>,
}

/// Number of names that are compared one by one, which takes less than computing a hash.
const FEW: usize = 12;

impl<'r> Names<'r> {
    pub(crate) fn of(annotated: &'r LintedAnnotation<'_>) -> Self {
        let mut names = Self { listed: Vec::new(), known: HashSet::new() };
        let fields = rule_steps(annotated).filter_map(|step| match step {
            PathStep::Field(name) => Some(name.as_str()),
            _ => None,
        });
        for name in ["spec", "template"].into_iter().chain(fields) {
            if names.contains(name) {
                continue;
            }
            names.listed.push(name);
            if names.listed.len() == FEW + 1 {
                names.known.extend(&names.listed);
            } else if names.listed.len() > FEW {
                names.known.insert(name);
            }
        }
        names
    }

    fn contains(&self, name: &str) -> bool {
        if self.listed.len() > FEW { self.known.contains(name) } else { self.listed.contains(&name) }
    }
}

fn rule_steps<'r>(annotated: &'r LintedAnnotation<'_>) -> impl Iterator<Item = &'r PathStep> {
    annotated.set.rules.iter().flat_map(|rule| rule.all_paths().flat_map(|path| &path.steps))
}

/// True if a field of a machine that rules name refers to a parameter.
pub(crate) fn has_parameter(node: Node<'_>, names: &Names<'_>) -> bool {
    if !node.may_have_parameters() {
        return false;
    }
    if node.is_list() {
        return node.items().any(|item| has_parameter(item, names));
    }
    if node.is_map() {
        let mut entries = node.entries_with_merged().filter(|entry| names.contains(entry.key.text()));
        return entries.any(|entry| has_parameter(entry.value, names));
    }
    find_parameters(node.text()).next().is_some()
}

fn partial_value(node: Node<'_>, names: &Names<'_>, values: &ParameterValues) -> Option<Value> {
    if node.is_list() {
        return node.items().map(|item| partial_value(item, names, values)).collect();
    }
    if !node.is_map() {
        return object::object_value(node, values).ok();
    }
    let mut fields = Map::new();
    if node.has_merges() {
        for name in &names.listed {
            if let Some(value) = node.get(name) {
                fields.insert((*name).to_owned(), partial_value(value, names, values)?);
            }
        }
        return Some(Value::Object(fields));
    }
    for entry in node.entries() {
        let key = entry.key.text();
        if names.contains(key) {
            fields.insert(key.to_owned(), partial_value(entry.value, names, values)?);
        }
    }
    Some(Value::Object(fields))
}

/// The part of the VirtualMachine that the validator reads. The fields that rules name are enough if each of their
/// steps has a name or a number, and no key is another spelling of one, which the validator would read too.
/// Otherwise the whole machine, which takes ten times as long to evaluate.
pub(crate) fn deployed_machine<'o>(
    annotated: &LintedAnnotation<'_>,
    own: &'o OwnMachine,
    machine: Node<'_>,
) -> Option<Cow<'o, Value>> {
    let named = rule_steps(annotated).all(|step| matches!(step, PathStep::Field(_) | PathStep::Slice(_)));
    if named && annotated.elaboration.left_out.is_empty() && is_spelled(machine, &Names::of(annotated)) {
        return Some(Cow::Borrowed(&own.object));
    }
    whole_machine(annotated, machine).map(Cow::Owned)
}

/// True if no key on the paths of the named fields is such a name in another letter case, or a merge.
fn is_spelled(node: Node<'_>, names: &Names<'_>) -> bool {
    if node.is_list() {
        return node.items().all(|item| is_spelled(item, names));
    }
    node.entries().all(|entry| {
        let key = entry.key.text();
        if names.contains(key) {
            return is_spelled(entry.value, names);
        }
        !entry.key.is_merge_key()
            && key.is_ascii()
            && !names.listed.iter().any(|name| name.eq_ignore_ascii_case(key))
    })
}

/// The whole VirtualMachine, with something put in where a parameter has no value before somebody gives it.
fn whole_machine(annotated: &LintedAnnotation<'_>, machine: Node<'_>) -> Option<Value> {
    let Some(template) = annotated.annotation.template else {
        return object::object_value(machine, &ParameterValues::without_template()).ok();
    };
    let unset = template.parameters().filter(|parameter| {
        let is_empty = |key| parameter.get(key).is_none_or(|node| node.text().is_empty());
        is_empty("value") && is_empty("generate")
    });
    let names = unset.filter_map(|parameter| parameter.get("name"));
    let given = names.map(|name| (name.text().to_owned(), PLACEHOLDER.to_owned())).collect();
    object::object_value(machine, &ParameterValues::from_template(template, &given)).ok()
}

/// Returns the span for a location such as `.spec.template.spec.domain.devices.disks[2]`: the value there, or the
/// opening of the last thing on the way that is present.
pub(crate) fn location_span(machine: Node<'_>, location: &str) -> Span {
    let steps = path::parse(location, Origin::default()).map_or_else(|_| Vec::new(), |path| path.steps);
    let mut here = machine;
    for step in &steps {
        match child_node(here, step) {
            Some(below) => here = below,
            None => break,
        }
    }
    if here.is_map() || here.is_list() { here.span().first_byte() } else { here.span() }
}

/// The value at such a location; none if the machine does not spell it out.
pub(crate) fn node_at<'d>(machine: Node<'d>, location: &str) -> Option<Node<'d>> {
    let path = path::parse(location, Origin::default()).ok()?;
    path.steps.iter().try_fold(machine, child_node)
}

fn child_node<'d>(node: Node<'d>, step: &PathStep) -> Option<Node<'d>> {
    match step {
        PathStep::Field(name) => node.get(name),
        PathStep::Slice(PathSlice { start: Some(index), .. }) => {
            node.items().nth(usize::try_from(*index).ok()?)
        }
        _ => None,
    }
}
