//! Finds the findings in a template that hold whatever is rendered, and what tags and template parameters leave undecided.
//!
//! A finding stands if no tag or parameter has a part in its text, nothing that one may add could disprove it, and what it
//! depends on is written out: a syntax error depends on its own text alone, the type of an expression on the schema of its node, the
//! cost of a rule on the whole schema.

use kvrules_diagnostics::{Diagnostic, Lint, Span};
use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN_FIELDS, VALIDATIONS,
};
use kvrules_syntax::{Document, Node};

use crate::lints;
use crate::placeholders::{Cause, Part, Placeholders};
use crate::resource::{Resource, ResourceKind};
use crate::schema_location::join_names;

/// A part of a definition or a policy that template tags or template parameters affect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndecidedPart {
    /// Kind of the placeholder.
    pub cause: Cause,
    /// The first placeholder in it.
    pub span: Span,
    /// The way to it from the root of the resource, such as `metadata.name`.
    pub field: String,
}

/// Part of the tree that a finding depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindingReach {
    /// Its own text.
    Text,
    /// The object that it is in.
    Object,
    /// The whole schema or policy.
    Whole,
}

/// Lints whose findings depend on their own text alone.
const OF_TEXT: [&Lint; 5] = [
    &lints::EXPRESSION_SYNTAX,
    &lints::SCHEMA_PATTERN,
    &lints::FORBIDDEN_KEYWORD,
    &lints::DROPPED_KEYWORD,
    &lints::MISREAD_SCALAR,
];
/// Lints whose findings depend on the whole schema.
const OF_SCHEMA: [&Lint; 11] = [
    &lints::FAILING_RULE,
    &lints::CONSTANT_RULE,
    &lints::UNKNOWN_ENUM_VALUE,
    &lints::REPEATED_RULE,
    &lints::KEYWORD_RULE,
    &lints::MESSAGE_MISMATCH,
    &lints::RULE_COST,
    &lints::RUNTIME_COST,
    &lints::UNSATISFIABLE_SCHEMA,
    &lints::IDLE_CONSTRAINT,
    &lints::INVALID_DEFAULT,
];

fn finding_reach(finding: &Diagnostic) -> FindingReach {
    let is_of = |lints: &[&Lint]| lints.iter().any(|lint| finding.is_of(lint));
    if is_of(&OF_TEXT) {
        FindingReach::Text
    } else if is_of(&OF_SCHEMA) {
        FindingReach::Whole
    } else {
        FindingReach::Object
    }
}

/// True if a finding depends on its own text alone.
pub(crate) fn depends_on_itself(finding: &Diagnostic) -> bool {
    finding_reach(finding) == FindingReach::Text
}

/// True if a finding in one of these resources holds whatever is rendered.
pub(crate) fn is_certain(
    template: &Placeholders<'_>,
    resources: &[Resource<'_>],
    finding: &Diagnostic,
) -> bool {
    let spans =
        || std::iter::once(finding.primary.span).chain(finding.secondary.iter().map(|label| label.span));
    if spans().any(|span| template.touches(span))
        || !template.are_together(spans())
        || quotes_a_placeholder(template, finding)
    {
        return false;
    }
    let Some(resource) =
        resources.iter().find(|resource| contains_span(resource.node.span(), finding.primary.span))
    else {
        return false;
    };
    let path = path_to(resource.node, finding.primary.span);
    if path.last().is_some_and(|innermost| !innermost.is_container() && template.touches(innermost.span())) {
        return false;
    }
    let reach = finding_reach(finding);
    if reach == FindingReach::Text {
        return true;
    }
    let objects = path.iter().filter(|node| node.is_container());
    // A finding about a missing entry is located at the start of the node that lacks it, or at that node's key.
    let missing = [objects.clone().next_back().copied(), value_of_key(&path, finding.primary.span)];
    if missing.into_iter().flatten().any(|node| is_counted_in(template, &path, node)) {
        return false;
    }
    if missing.into_iter().flatten().any(|node| node.is_open() || template.may_extend(node)) {
        return false;
    }
    let scope = finding_scope(&path, resource, reach);
    !scope.is_some_and(|scope| has_influence(template, resource, scope, reach))
}

/// True if a finding stands at a key or at the head of a node, about what parameters affect in it: one of several versions is
/// the stored one. What schemas hold is not part of that.
fn is_counted_in(template: &Placeholders<'_>, path: &[Node<'_>], node: Node<'_>) -> bool {
    let is_key = path.iter().rev().take(2).collect::<Vec<_>>();
    let is_key =
        matches!(is_key.as_slice(), [key, outer] if outer.entries().any(|it| it.key.span() == key.span()));
    let is_in_schema = path.iter().any(|node| node.get("openAPIV3Schema").is_some());
    (is_key && !is_in_schema)
        && template.within(node.span()).filter(|part| part.cause == Cause::Parameter).any(|part| {
            let way = path_to(node, part.span);
            !region_keys(&way, part).iter().any(|key| MUTE.contains(key) || *key == "openAPIV3Schema")
        })
}

/// True if a finding shows a placeholder: it compares with an unknown value.
fn quotes_a_placeholder(template: &Placeholders<'_>, finding: &Diagnostic) -> bool {
    let texts = [&finding.message, &finding.primary.text].into_iter().chain(&finding.help);
    texts.chain(finding.secondary.iter().map(|label| &label.text)).any(|text| template.is_quoted_in(text))
}

/// The part of the tree that a finding depends on.
fn finding_scope<'d>(path: &[Node<'d>], resource: &Resource<'d>, reach: FindingReach) -> Option<Node<'d>> {
    let schema = path.iter().position(|node| node.get("openAPIV3Schema").is_some());
    let whole = match (resource.kind, schema) {
        (ResourceKind::Definition, Some(schema)) => path.get(schema).copied(),
        (ResourceKind::Definition, None) => return None,
        _ => resource.node.get("spec"),
    };
    let with_rules = path.iter().rev().find(|node| node.get(VALIDATIONS).is_some());
    match reach {
        FindingReach::Whole => whole,
        _ if resource.kind != ResourceKind::Definition => whole,
        _ => with_rules.or_else(|| path.iter().rev().find(|node| node.is_map())).copied(),
    }
}

/// Keys whose values nothing depends on.
const MUTE: [&str; 6] = ["description", "title", "message", "example", "externalDocs", "reason"];
/// Keys that decide about types.
const TYPES: [&str; 9] = [
    "type",
    "format",
    "nullable",
    INT_OR_STRING,
    PRESERVE_UNKNOWN_FIELDS,
    EMBEDDED_RESOURCE,
    LIST_TYPE,
    MAP_TYPE,
    "$ref",
];

/// True if a tag in a part of the tree may affect a finding.
fn has_influence(
    template: &Placeholders<'_>,
    resource: &Resource<'_>,
    scope: Node<'_>,
    reach: FindingReach,
) -> bool {
    template.within(scope.span()).any(|part| {
        let way = path_to(scope, part.span);
        let keys = region_keys(&way, part);
        if keys.iter().any(|key| MUTE.contains(key)) {
            return false;
        }
        let is_rule = keys.iter().any(|key| ["rule", "messageExpression", "expression"].contains(key));
        match part.is_structure {
            true => true,
            // The type and the cost of a rule do not depend on other expressions, except on variables.
            _ if is_rule => keys.contains(&"variables"),
            _ if resource.kind != ResourceKind::Definition => {
                keys.iter().any(|key| key.starts_with("param") || *key == "variables")
            }
            _ => reach == FindingReach::Whole || keys.iter().any(|key| TYPES.contains(key)),
        }
    })
}

/// True if parameters affect a resource beyond its metadata and what nothing depends on.
pub(crate) fn depends_on_parameters(template: &Placeholders<'_>, resource: Node<'_>) -> bool {
    let parts = template.within(resource.span()).filter(|part| part.cause == Cause::Parameter);
    parts.into_iter().any(|part| {
        let way = path_to(resource, part.span);
        let keys = region_keys(&way, part);
        let is_metadata = keys.first() == Some(&"metadata") && keys.len() > 1;
        !is_metadata && !keys.iter().any(|key| MUTE.contains(key))
    })
}

/// Returns what tags and parameters leave undecided in a resource, by the first two steps of the path; within schemas and rules each
/// part by itself.
pub(crate) fn undecided_parts(template: &Placeholders<'_>, resource: &Resource<'_>) -> Vec<UndecidedPart> {
    let mut found: Vec<UndecidedPart> = Vec::new();
    for part in template.within(resource.node.span()) {
        let way = path_to(resource.node, part.span);
        let field = region_path(&way, part);
        if !found.iter().any(|known| known.field == field && known.cause == part.cause) {
            found.push(UndecidedPart { cause: part.cause, span: part.span, field });
        }
    }
    found
}

/// The way to a placeholder: its keys, and the numbers of items.
fn region_path(way: &[Node<'_>], part: &Part) -> String {
    let mut name = String::new();
    for (outer, inner) in way.iter().zip(way.iter().skip(1)) {
        let entry = outer
            .entries()
            .find(|entry| entry.value.span() == inner.span() || entry.key.span() == inner.span());
        if let Some(entry) = entry {
            name = join_names(&name, entry.key.text());
        } else {
            let number = outer.items().position(|item| item.span() == inner.span());
            name = format!("{name}[{}]", number.unwrap_or_default());
        }
    }
    // A tag on a line of its own may be the value of the key before it.
    let behind = way.last().and_then(|last| {
        let before = last.entries().filter(|entry| entry.key.span().end <= part.span.start).last()?;
        (before.value.span().to_range().is_empty() || before.value.is_open()).then_some(before)
    });
    match behind {
        Some(entry) => join_names(&name, entry.key.text()),
        None if name.is_empty() => "the resource".to_owned(),
        None => name,
    }
}

/// The keys on a way, with the one that a placeholder gives a value to.
fn region_keys<'d>(way: &[Node<'d>], part: &Part) -> Vec<&'d str> {
    let mut keys = Vec::new();
    for (outer, inner) in way.iter().zip(way.iter().skip(1)) {
        let entry = outer.entries().find(|entry| entry.value.span() == inner.span());
        keys.extend(entry.map(|entry| entry.key.text()));
    }
    if let Some(last) = way.last() {
        let before = last.entries().filter(|entry| entry.key.span().end <= part.span.start).last();
        keys.extend(
            before.filter(|entry| entry.value.span().to_range().is_empty()).map(|entry| entry.key.text()),
        );
    }
    keys
}

fn contains_span(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The nodes around a place, from a root to the innermost.
fn path_to(root: Node<'_>, place: Span) -> Vec<Node<'_>> {
    let mut path = vec![root];
    while let Some(at) = path.last().copied().filter(|node| !node.is_alias()) {
        let entries = at.entries().flat_map(|entry| [entry.key, entry.value]);
        let Some(next) = entries
            .chain(at.items())
            .find(|node| contains_span(node.span(), place) && !node.span().to_range().is_empty())
        else {
            break;
        };
        path.push(next);
    }
    path
}

/// The value whose key is at a location.
fn value_of_key<'d>(path: &[Node<'d>], place: Span) -> Option<Node<'d>> {
    let outer = path.iter().rev().find(|node| node.is_map())?;
    outer
        .entries()
        .find(|entry| entry.key.span() == place)
        .map(|entry| entry.value)
        .filter(|value| value.is_container())
}

/// Takes back what may not hold, and all repairs.
pub(crate) fn withdraw_findings(
    document: &Document<'_>,
    template: &Placeholders<'_>,
    resources: &[Resource<'_>],
    findings: &mut Vec<Diagnostic>,
    from: usize,
) {
    let is_cut = !crate::is_sound(document);
    let added = findings.split_off(from.min(findings.len()));
    findings.extend(added.into_iter().filter(|finding| {
        is_certain(template, resources, finding) && (!is_cut || depends_on_itself(finding))
    }));
    findings.iter_mut().skip(from).for_each(|finding| finding.fix = None);
}
