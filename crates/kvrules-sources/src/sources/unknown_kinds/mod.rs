//! Documents of kinds that a known group does not have. Without a finding a directory with `kind: Ruleset` would be free of errors.

use kvrules_crd::ResourceKind;
use kvrules_diagnostics::{Diagnostic, Lint, find_nearest, suggest_name};
use kvrules_syntax::{Document, Node};

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, add_findings, find_whole_documents};
use crate::units::{Operation, RULE_TESTS_KIND, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "unknown-kinds", kinds: &[&UNKNOWN_KIND], find, check };

static UNKNOWN_KIND: UnitKind = UnitKind {
    singular: "document of an unknown kind",
    plural: "documents of unknown kinds",
    count: UnitCount::Units,
    subject: "documents of unknown kinds",
    engine: None,
    operations: &[Operation::Check],
};

/// A group of the API.
struct ApiGroup {
    name: &'static str,
    kinds: &'static [&'static str],
    /// True if it has no other kinds, so that each of them is an error.
    is_complete: bool,
    lint: &'static Lint,
}

/// The groups with kinds that are checked, tested or compared.
static GROUPS: [ApiGroup; 3] = [
    ApiGroup {
        name: "kvrules.dev",
        kinds: &["RuleSet", RULE_TESTS_KIND],
        is_complete: true,
        lint: &kvrules_rule_set::lints::RULE_SET_SHAPE,
    },
    ApiGroup {
        name: ResourceKind::Policy.api_group(),
        kinds: &[
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
        ],
        is_complete: false,
        lint: &kvrules_crd::lints::ADMISSION_POLICY,
    },
    ApiGroup {
        name: ResourceKind::Definition.api_group(),
        kinds: &["CustomResourceDefinition"],
        is_complete: false,
        lint: &kvrules_crd::lints::KUBERNETES_SHAPE,
    },
];

impl UnitKind {
    /// True for documents that are an error as a whole, since their kind is unknown.
    pub fn is_error(&self) -> bool {
        *self == UNKNOWN_KIND
    }
}

fn find(file: &ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit> {
    find_whole_documents(file, claimed, |document, found| {
        let objects = unknown_objects(found).into_iter();
        let unit = |(object, _): (Node<'_>, _)| Unit {
            kind: &UNKNOWN_KIND,
            span: object.span().first_byte(),
            parts: 0,
            document,
        };
        objects.map(unit).collect()
    })
}

fn check(file: &ParsedFile<'_>, _: &ReadContext<'_>, reading: &mut FileReading) {
    let units = reading.contents.units.iter().filter(|unit| *unit.kind == UNKNOWN_KIND);
    let mut indices: Vec<_> = units.map(|unit| unit.document).collect();
    indices.dedup();
    for document in indices.into_iter().filter_map(|index| file.documents.get(index)) {
        let findings = unknown_objects(document).into_iter().map(|(_, finding)| finding).collect();
        add_findings(document, findings, reading);
    }
}

/// The objects of a document whose kinds are unknown: the document itself, or items of a list.
fn unknown_objects<'d>(document: &'d Document<'d>) -> Vec<(Node<'d>, Diagnostic)> {
    let Some(root) = document.root() else { return Vec::new() };
    let items = root.get("items").filter(|_| root.get("kind").is_some_and(|kind| kind.text() == "List"));
    let objects = std::iter::once(root).chain(items.into_iter().flat_map(Node::items));
    objects.filter_map(|object| Some((object, kind_finding(object)?))).collect()
}

fn kind_finding(object: Node<'_>) -> Option<Diagnostic> {
    let version = object.get("apiVersion").filter(|version| version.as_str().is_some())?;
    let kind = object.get("kind").filter(|kind| kind.as_str().is_some());
    if version.is_templated() || kind.is_some_and(Node::is_templated) || object.is_open() {
        return None;
    }
    let name = version.text().split('/').next().unwrap_or_default();
    let Some(group) = GROUPS.iter().find(|group| group.name == name) else {
        return group_finding(version, kind?);
    };
    let Some(kind) = kind else {
        let help = format!("add `kind`; {}", suggest_name("", group.kinds));
        let finding = group.lint.diagnostic_at(version.span(), "missing `kind`");
        return group.is_complete.then(|| finding.with_help(help));
    };
    let written = kind.text();
    let singular = written.strip_suffix("List").unwrap_or(written);
    if group.kinds.contains(&singular) || !group.is_complete && find_nearest(written, known(group)).is_none()
    {
        return None;
    }
    let message = format!("unknown kind `{written}` in `{}`", version.text());
    Some(group.lint.diagnostic_at(kind.span(), message).with_help(suggest_name(written, group.kinds)))
}

fn known(group: &ApiGroup) -> impl Iterator<Item = &'static str> + use<> {
    group.kinds.iter().copied()
}

/// A known kind in a group whose name is nearly that of its own.
fn group_finding(version: Node<'_>, kind: Node<'_>) -> Option<Diagnostic> {
    let group = GROUPS.iter().find(|group| group.kinds.contains(&kind.text()))?;
    let (name, rest) = version.text().split_once('/').unwrap_or((version.text(), ""));
    find_nearest(name, [group.name])?;
    let message = format!("unknown group `{name}` of the kind `{}`", kind.text());
    let right = if rest.is_empty() { group.name.to_owned() } else { format!("{}/{rest}", group.name) };
    let help = format!("did you mean `{right}`?");
    Some(group.lint.diagnostic_at(version.span(), message).with_help(help))
}
