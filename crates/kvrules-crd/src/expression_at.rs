//! The expression in CEL at a place of a file, and what it can see there: for completion and for facts about a name.

mod chain;
mod completions;
mod facts;

use std::ops::Range;

use kvrules_cel::types::unescape_property;
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node, NodeStyle};
use serde_json::Value as Json;

use crate::located_rules::{definition_versions, locate_rules};
use crate::policy::object_schemas;
use crate::resource::{Resource, ResourceKind, find_resources};
use crate::run_resources::RunResources;
pub use completions::{OfferedKind, OfferedName};
pub use facts::{FieldFacts, NameFacts};

use chain::{Step, chain_before, loop_around};

/// Limit of variables that are defined by variables, and of loops in loops.
const MOST_NESTED: usize = 16;

/// An expression with a place in it.
#[derive(Debug)]
pub struct ExpressionAt<'d> {
    node: Node<'d>,
    /// The place, as an offset in the text of the node.
    offset: usize,
    /// The schema of `self` in the text.
    schema: Option<Node<'d>>,
    /// The names that it can see.
    pub names: Vec<VisibleName>,
    /// The variables of the policy before it.
    pub variables: Vec<PolicyVariable>,
}

/// A name that an expression can see.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibleName {
    /// The name, such as `self`.
    pub name: &'static str,
    /// The schemas of its value, one for each kind of objects; empty if they are unknown.
    pub schemas: Vec<Json>,
}

/// A variable of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyVariable {
    /// The name.
    pub name: String,
    /// The expression.
    pub expression: String,
    /// Location of the name.
    pub span: Span,
}

/// The name at the place.
#[derive(Clone, Debug, PartialEq)]
pub struct NameAt {
    /// The name up to its end; empty if there is none yet.
    pub name: String,
    /// The part of it before the place.
    pub typed: String,
    /// Location of the name.
    pub span: Span,
    /// The value that it is selected from.
    pub owner: NameOwner,
    /// True if an opening parenthesis follows.
    pub is_call: bool,
}

/// The value that a name is selected from.
#[derive(Clone, Debug, PartialEq)]
pub enum NameOwner {
    /// None: the name begins an expression.
    Start,
    /// The variables of the policy.
    Variables,
    /// A value with one of these schemas; none of them if the value is unknown.
    Value(Vec<Json>),
}

/// Returns the expression at an offset of a document: of a rule of a definition, or of a policy, which may be about the definitions
/// of the run.
pub fn expression_at<'d>(
    source: &SourceFile,
    document: &'d Document<'d>,
    offset: u32,
    run: &RunResources,
) -> Option<ExpressionAt<'d>> {
    let contains = |node: Node<'_>| reaches(source.text(), node, offset);
    let resources = find_resources(document);
    let resource = resources.iter().rfind(|resource| contains(resource.node))?;
    match resource.kind {
        ResourceKind::Definition => {
            let rules = definition_versions(resource.node).filter(|version| contains(*version));
            let found = rules.flat_map(locate_rules).filter(|rule| contains(rule.rule)).last()?;
            let mut fields = ["rule", "messageExpression"].into_iter().filter_map(|key| found.rule.get(key));
            let node = fields.find(|node| contains(*node))?;
            let schema = ValueReader::for_kubernetes().read_value(found.schema).ok()?;
            let names = ["self", "oldSelf"].map(|name| VisibleName { name, schemas: vec![schema.clone()] });
            let expression = ExpressionAt::new(node, offset, names.to_vec(), Vec::new());
            Some(ExpressionAt { schema: Some(found.schema), ..expression })
        }
        ResourceKind::Policy => in_policy(resource, offset, run, &contains),
        ResourceKind::Binding => None,
    }
}

/// True if an offset is in a node, or behind it where an author may go on with it: after blanks, and in the lines of a block.
fn reaches(text: &str, node: Node<'_>, offset: u32) -> bool {
    let span = node.span();
    if node.is_alias() || offset < span.start {
        return false;
    }
    if offset <= span.end {
        return true;
    }
    let between = text.get(span.end as usize..offset as usize).unwrap_or("?");
    // A block ends with the break of its last line.
    let begins_line = text.get(..span.end as usize).is_some_and(|before| before.ends_with('\n'));
    let is_same_line = !between.contains('\n') && !begins_line;
    let is_block = matches!(node.style(), NodeStyle::Literal | NodeStyle::Folded) || node.is_container();
    let line_start =
        |at: u32| text.get(..at as usize).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let column = |at: u32| at as usize - line_start(at);
    between.trim().is_empty() && (is_same_line || is_block && column(offset) >= column(span.start))
}

/// The lists of a policy with expressions, and the keys of these.
const EXPRESSIONS: [(&str, &[&str]); 4] = [
    ("matchConditions", &["expression"]),
    ("variables", &["expression"]),
    ("validations", &["expression", "messageExpression"]),
    ("auditAnnotations", &["valueExpression"]),
];

fn in_policy<'d>(
    resource: &Resource<'d>,
    offset: u32,
    run: &RunResources,
    contains: &dyn Fn(Node<'_>) -> bool,
) -> Option<ExpressionAt<'d>> {
    let spec = resource.node.get("spec")?;
    let lists = EXPRESSIONS.into_iter().filter_map(|(list, keys)| Some((list, spec.get(list)?, keys)));
    let (list, item, node) =
        lists.filter(|(_, list, _)| contains(*list)).find_map(|(name, list, keys)| {
            let item = list.items().filter(|item| contains(*item)).last()?;
            let node = keys.iter().filter_map(|key| item.get(key)).find(|node| contains(*node))?;
            Some((name, item, node))
        })?;
    // Match conditions are evaluated before variables, and a variable sees those above it.
    let declared = spec.get("variables").filter(|_| list != "matchConditions");
    let above = |it: &Node<'_>| list != "variables" || it.span().start < item.span().start;
    let declared = declared.into_iter().flat_map(Node::items).filter(above);
    let variables = declared.filter_map(|variable| {
        let name = variable.get("name")?;
        let expression = variable.get("expression").map(Node::text).unwrap_or_default().to_owned();
        Some(PolicyVariable { name: name.text().to_owned(), expression, span: name.span() })
    });
    let value = ValueReader::for_kubernetes().with_lenient_reading().read_value(resource.node).ok()?;
    let (objects, params) = object_schemas(&value, run);
    let unknown = ["namespaceObject", "request", "authorizer"];
    let known = [("object", objects.clone()), ("oldObject", objects), ("params", params)];
    let names = known.into_iter().chain(unknown.map(|name| (name, Vec::new())));
    let names = names.map(|(name, schemas)| VisibleName { name, schemas }).collect();
    Some(ExpressionAt::new(node, offset, names, variables.collect()))
}

impl<'d> ExpressionAt<'d> {
    fn new(
        node: Node<'d>,
        file_offset: u32,
        names: Vec<VisibleName>,
        variables: Vec<PolicyVariable>,
    ) -> Self {
        Self { node, offset: offset_in_text(node, file_offset), schema: None, names, variables }
    }

    /// The expression.
    pub fn text(&self) -> &'d str {
        self.node.text()
    }

    /// Returns the name at the place, with the value that it is selected from.
    pub fn name_at(&self) -> NameAt {
        let text = self.text();
        let is_part = |char: char| char.is_alphanumeric() || char == '_';
        let before = text.get(..self.offset).unwrap_or_default();
        let behind = text.get(self.offset..).unwrap_or_default();
        let start = before.trim_end_matches(is_part).len();
        let end = self.offset + (behind.len() - behind.trim_start_matches(is_part).len());
        let part = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
        NameAt {
            name: part(start..end),
            typed: part(start..self.offset),
            span: self.node.place_of(start..end),
            owner: self.owner_before(start),
            is_call: text.get(end..).unwrap_or_default().trim_start().starts_with('('),
        }
    }

    /// The value before the dot that a name at `start` follows.
    fn owner_before(&self, start: usize) -> NameOwner {
        let before = self.text().get(..start).unwrap_or_default().trim_end();
        let before = before.strip_suffix('?').filter(|rest| rest.ends_with('.')).unwrap_or(before);
        let Some(receiver) = before.strip_suffix('.') else { return NameOwner::Start };
        match chain_before(receiver, receiver.len()) {
            Some(chain) if chain.root == "variables" && chain.steps.is_empty() => NameOwner::Variables,
            _ => NameOwner::Value(self.resolve_before(receiver.len())),
        }
    }

    /// The schemas of the value that ends at an offset of the expression; empty if they are unknown.
    fn resolve_before(&self, end: usize) -> Vec<Json> {
        let Some((root, steps)) = self.trace_chain(self.text(), end, MOST_NESTED) else { return Vec::new() };
        let known = self.names.iter().find(|known| known.name == root);
        let start = known.map(|known| known.schemas.clone()).unwrap_or_default();
        steps.iter().fold(start, |schemas, step| select_schemas(&schemas, step))
    }

    /// Returns the location of the property in the schema of a rule that the name at the place selects; `None` if it is not known, or
    /// not in this file.
    pub fn declared_property(&self) -> Option<Span> {
        let schema = self.schema?;
        let name = self.name_at();
        let end = self.node.text().get(..self.offset)?.len() - name.typed.len() + name.name.len();
        let (_, steps) = self.trace_chain(self.text(), end, MOST_NESTED)?;
        let (last, before) = steps.split_last()?;
        let holder = before.iter().try_fold(schema, select_node)?;
        let (Step::Field(name) | Step::Key(name)) = last else { return None };
        let name = unescape_property(name).unwrap_or_else(|| name.clone());
        let property = holder.get("properties")?.entry(&name)?;
        Some(property.key.span())
    }

    /// Returns the name that a chain begins with and all selections from its value: loops and variables are followed to their
    /// expressions. `None` if it is not known.
    fn trace_chain(&self, text: &str, end: usize, left: usize) -> Option<(String, Vec<Step>)> {
        let left = left.checked_sub(1)?;
        let chain = chain_before(text, end)?;
        if let Some((range_end, is_element)) = loop_around(text, chain.start, &chain.root) {
            let (root, mut steps) = self.trace_chain(text, range_end, left)?;
            steps.push(if is_element { Step::Index } else { Step::Unknown });
            steps.extend(chain.steps);
            return Some((root, steps));
        }
        if chain.root != "variables" {
            return Some((chain.root, chain.steps));
        }
        let (Step::Field(name), rest) = chain.steps.split_first()? else { return None };
        let variable = self.variables.iter().find(|variable| variable.name == *name)?;
        let expression = variable.expression.trim_end();
        let whole = chain_before(expression, expression.len())?;
        if !expression.get(..whole.start)?.trim().is_empty() {
            return None;
        }
        let (root, mut steps) = self.trace_chain(expression, expression.len(), left)?;
        steps.extend(rest.iter().cloned());
        Some((root, steps))
    }
}

/// The schema of what a step selects from a value, as a node.
fn select_node<'d>(schema: Node<'d>, step: &Step) -> Option<Node<'d>> {
    let field = |name: &str| {
        let named = schema.get("properties").and_then(|properties| properties.get(name));
        named.or_else(|| schema.get("additionalProperties"))
    };
    match step {
        Step::Field(name) => field(&unescape_property(name).unwrap_or_else(|| name.clone())),
        Step::Key(name) => field(name),
        Step::Index => schema.get("items").or_else(|| schema.get("additionalProperties")),
        Step::Same => Some(schema),
        Step::Unknown => None,
    }
}

/// The schemas of what a step selects from values.
fn select_schemas(schemas: &[Json], step: &Step) -> Vec<Json> {
    let field = |schema: &Json, name: &str| {
        let named = schema.get("properties").and_then(|properties| properties.get(name));
        named.or(schema.get("additionalProperties")).filter(|schema| schema.is_object()).cloned()
    };
    let select = |schema: &Json| match step {
        Step::Field(name) => field(schema, &unescape_property(name).unwrap_or_else(|| name.clone())),
        Step::Key(name) => field(schema, name),
        Step::Index => schema.get("items").or(schema.get("additionalProperties")).cloned(),
        Step::Same => Some(schema.clone()),
        Step::Unknown => None,
    };
    schemas.iter().filter_map(select).collect()
}

/// The offset in the text of a scalar for one in the file: escapes, folding and indentation lie between them.
fn offset_in_text(node: Node<'_>, file_offset: u32) -> usize {
    let text = node.text();
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let mut middle = (low + high).div_ceil(2);
        while !text.is_char_boundary(middle) {
            middle += 1;
        }
        if middle > high {
            break;
        }
        if node.place_of(middle..middle).start <= file_offset {
            low = middle;
        } else {
            high = middle - 1;
            while !text.is_char_boundary(high) {
                high -= 1;
            }
        }
    }
    low
}
