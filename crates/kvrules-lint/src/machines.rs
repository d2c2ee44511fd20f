//! The VirtualMachines that stand beside their rules, and what the rules can see of them.

use std::collections::BTreeMap;

use kvrules_diagnostics::{Origin, Span};
use kvrules_elaborate::object::{self, Values};
use kvrules_elaborate::path;
use kvrules_ir::{Slice, Step};
use kvrules_syntax::Node;
use serde_json::{Map, Value};

use crate::{Annotated, words::start};

/// What stands for the value of a parameter that a template asks for.
const PLACEHOLDER: &str = "placeholder";

/// The fields of a VirtualMachine that the rules name, with parameters put in; none where one of these has no value
/// before somebody gives it, or where there is no `.spec.template` to look into.
pub(crate) fn seen(annotated: &Annotated<'_>, machine: Node<'_>) -> Option<Value> {
    machine.get("spec")?.get("template").filter(|template| template.is_map())?;
    if !annotated.catalog.subject().is_virtual_machine() {
        return None;
    }
    let mut names = vec!["spec", "template"];
    let steps = annotated.set.rules.iter().flat_map(|rule| rule.paths().flat_map(|path| &path.steps));
    for step in steps {
        match step {
            Step::Field(name) if !names.contains(&name.as_str()) => names.push(name),
            _ => {}
        }
    }
    let template = annotated.annotation.template;
    let values = template.map_or_else(Values::none, |template| Values::of(template, &BTreeMap::new()));
    part(machine, &names, &values)
}

fn part(node: Node<'_>, names: &[&str], values: &Values) -> Option<Value> {
    if node.is_list() {
        return node.items().map(|item| part(item, names, values)).collect();
    }
    if !node.is_map() {
        return object::value(node, values).ok();
    }
    let mut fields = Map::new();
    for name in names {
        if let Some(value) = node.get(name) {
            fields.insert((*name).to_owned(), part(value, names, values)?);
        }
    }
    Some(Value::Object(fields))
}

/// The whole VirtualMachine, with something put in where a parameter has no value before somebody gives it.
pub(crate) fn whole(annotated: &Annotated<'_>, machine: Node<'_>) -> Option<Value> {
    let Some(template) = annotated.annotation.template else {
        return object::value(machine, &Values::none()).ok();
    };
    let parameters = template.get("parameters").into_iter().flat_map(Node::items);
    let unset = parameters.filter(|parameter| {
        let is_empty = |key| parameter.get(key).is_none_or(|node| node.text().is_empty());
        is_empty("value") && is_empty("generate")
    });
    let names = unset.filter_map(|parameter| parameter.get("name"));
    let given = names.map(|name| (name.text().to_owned(), PLACEHOLDER.to_owned())).collect();
    object::value(machine, &Values::of(template, &given)).ok()
}

/// Where to point for a location such as `.spec.template.spec.domain.devices.disks[2]`: the value there, or the opening
/// of the last thing on the way that is there.
pub(crate) fn place(machine: Node<'_>, location: &str) -> Span {
    let steps = path::parse(location, Origin::default()).map_or_else(|_| Vec::new(), |path| path.steps);
    let mut here = machine;
    for step in &steps {
        match below(here, step) {
            Some(below) => here = below,
            None => break,
        }
    }
    if here.is_map() || here.is_list() { start(here.span()) } else { here.span() }
}

fn below<'d>(node: Node<'d>, step: &Step) -> Option<Node<'d>> {
    match step {
        Step::Field(name) => node.get(name),
        Step::Slice(Slice { start: Some(index), .. }) => node.items().nth(usize::try_from(*index).ok()?),
        _ => None,
    }
}
