//! Expressions of a policy compared with the types of the objects that it matches, and of its parameters: built-in types of
//! Kubernetes, and those of the definitions of the run. A server writes the same into `status.typeChecking` of the policy.

use std::collections::BTreeSet;

use kvrules_apiserver::policy::Policy;
use kvrules_apiserver::policy::acceptance::{TypeMismatch, check_types, mentioned_names};
use kvrules_cel::ast::{Expr, ExprKind};
use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_kubernetes::types::{Minor, is_kubernetes_group};
use kvrules_lift::inline_variables;
use kvrules_syntax::Node;
use serde_json::Value;

use super::kinds::{KnownKind, PolicyKinds};
use crate::cel::{MismatchedTypes, mismatch_finding};
use crate::lints;
use crate::run_resources::RunResources;
use crate::text::backtick_text;

/// A mismatch, and the indices of the kinds of objects that have it.
type MismatchOfKinds = (TypeMismatch, Vec<usize>);

/// Findings about the expressions of a policy.
pub(super) fn type_findings(node: Node<'_>, document: &Value, run: &RunResources) -> Vec<Diagnostic> {
    let kinds = PolicyKinds::find_kinds(document, run);
    let checker = KindChecker::new(document, &kinds);
    let mut found = checker.find_mismatches();
    if found.is_empty() {
        return Vec::new();
    }
    let is_selective = selects_by_kind(document);
    found.retain(|found| !is_selective || kinds.is_of_all(found));
    checker.drop_accepted(&mut found);
    checker.complete_candidates(&mut found);
    let to_finding = |(mismatch, of): MismatchOfKinds| {
        let is_of_all = kinds.is_of_all(&(mismatch.clone(), of.clone()));
        let objects = of.iter().filter_map(|index| kinds.objects.get(*index));
        let shown: Vec<&KnownKind<'_>> = match &kinds.params {
            Some(params) if kinds.is_of_params(&mismatch) => vec![params],
            _ => objects.collect(),
        };
        let titles: Vec<&str> = shown.iter().map(|kind| kind.title.as_str()).collect();
        let expression = super::find_field_entry(node, &mismatch.field)?.0.value;
        let types = MismatchedTypes { place: &mismatch.place, titles: &titles, is_of_all };
        let finding = mismatch_finding(expression, &mismatch.issue, &types, &mismatch.candidates);
        Some(finding.with_field(&mismatch.field))
    };
    found.into_iter().filter_map(to_finding).collect()
}

/// The note that fields of parameters are not checked, because the definition of their kind is not in the run. The policy may be right.
pub(super) fn unchecked_parameters_note(
    node: Node<'_>,
    document: &Value,
    run: &RunResources,
) -> Option<Diagnostic> {
    let param_kind = node.get("spec")?.get("paramKind")?;
    let (api_version, kind) = (param_kind.get("apiVersion")?, param_kind.get("kind")?);
    let is_templated = api_version.is_templated() || kind.is_templated();
    // A kind that Kubernetes does not have in a group of its own is an error.
    let group = api_version.text().trim().rsplit_once('/').map_or("", |(group, _)| group);
    let is_known = is_kubernetes_group(group) || PolicyKinds::find_kinds(document, run).params.is_some();
    if is_templated || is_known || !reads_parameters(&Policy::from_json(document)) {
        return None;
    }
    let (kind_shown, version_shown) = (backtick_text(kind.text()), backtick_text(api_version.text()));
    let message =
        format!("fields of `params` are not checked: no definition of {kind_shown} in {version_shown}");
    let help = "add the CustomResourceDefinition to the inputs, or name its file with `--schema`";
    let finding = lints::POLICY_TYPE.diagnostic_at(kind.span(), message).with_help(help);
    Some(Diagnostic { level: Level::Info, ..finding }.with_field("spec.paramKind.kind"))
}

/// True if an expression of a policy reads the parameters.
fn reads_parameters(policy: &Policy) -> bool {
    policy.truth_expressions().into_iter().chain(policy.text_expressions()).any(|expression| {
        let inlined = inline_variables(policy, expression);
        inlined.is_ok_and(|inlined| {
            let mut is_found = false;
            let is_name = |node: &Expr| matches!(&node.kind, ExprKind::Ident(name) if name == "params");
            inlined.root.visit_nodes(&mut |node| is_found |= is_name(node));
            is_found
        })
    })
}

/// Compares the expressions of a policy with each kind of its objects.
struct KindChecker<'a> {
    document: &'a Value,
    kinds: &'a PolicyKinds<'a>,
    /// The names in its expressions; the types of other fields are not needed.
    names: BTreeSet<String>,
}

impl<'a> KindChecker<'a> {
    fn new(document: &'a Value, kinds: &'a PolicyKinds<'a>) -> Self {
        Self { document, kinds, names: mentioned_names(document) }
    }

    /// The mismatches with the types of the newest minor, each once.
    fn find_mismatches(&self) -> Vec<MismatchOfKinds> {
        let mut found: Vec<MismatchOfKinds> = Vec::new();
        // Without known objects, expressions are compared with the parameters alone.
        let subjects = match self.kinds.objects.len() {
            0 => usize::from(self.kinds.params.is_some()),
            count => count,
        };
        for index in 0..subjects {
            for mismatch in self.check_kind(index, Minor::NEWEST, &|name| self.names.contains(name)) {
                match found.iter_mut().find(|(known, _)| is_same_mismatch(known, &mismatch)) {
                    Some((_, of)) => of.push(index),
                    None => found.push((mismatch, vec![index])),
                }
            }
        }
        found
    }

    /// Checks the policy with the types of one kind of objects, as a minor has them.
    fn check_kind(&self, index: usize, minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Vec<TypeMismatch> {
        let schema = |kind: Option<&KnownKind<'_>>| kind?.resolve_schema(minor, is_wanted);
        let (object, params) = (self.kinds.objects.get(index), self.kinds.params.as_ref());
        check_types(self.document, schema(object).as_ref(), schema(params).as_ref())
    }

    /// Drops mismatches that a minor does not have.
    fn drop_accepted(&self, found: &mut Vec<MismatchOfKinds>) {
        for index in indices(found) {
            let subjects = self.kinds.objects.get(index).into_iter().chain(&self.kinds.params);
            let is_built_in = subjects.into_iter().any(KnownKind::is_built_in);
            for minor in Minor::newest_first().skip(1).filter(|_| is_built_in) {
                let others = self.check_kind(index, minor, &|name| self.names.contains(name));
                for (mismatch, of) in found.iter_mut() {
                    let stays = others.iter().any(|other| is_same_mismatch(mismatch, other));
                    of.retain(|it| stays || *it != index);
                }
            }
        }
        found.retain(|(_, of)| !of.is_empty());
    }

    /// Adds all fields that may be meant.
    fn complete_candidates(&self, found: &mut [MismatchOfKinds]) {
        for index in indices(found) {
            let complete = self.check_kind(index, Minor::NEWEST, &|_| true);
            for (mismatch, _) in found.iter_mut().filter(|(_, of)| of.first() == Some(&index)) {
                if let Some(known) = complete.iter().find(|other| is_same_mismatch(mismatch, other)) {
                    mismatch.candidates.clone_from(&known.candidates);
                }
            }
        }
    }
}

/// The kinds that any of the mismatches is about.
fn indices(found: &[MismatchOfKinds]) -> BTreeSet<usize> {
    found.iter().flat_map(|(_, of)| of.iter().copied()).collect()
}

fn is_same_mismatch(one: &TypeMismatch, other: &TypeMismatch) -> bool {
    one.field == other.field
        && one.issue.offset == other.issue.offset
        && one.issue.message == other.issue.message
}

/// True if expressions may distinguish kinds of objects: what is wrong for some of the kinds then may never be evaluated for them.
fn selects_by_kind(document: &Value) -> bool {
    let signs = ["kind", "Kind", "resource", "Resource", "apiVersion", "has"];
    let names = mentioned_names(document);
    let is_guarded = |text: &str| text.contains('?') || text.contains(" in ");
    signs.iter().any(|sign| names.contains(*sign))
        || names.iter().any(|name| name.ends_with("Resource") || name.ends_with("Kind"))
        || document.get("spec").is_some_and(|spec| is_guarded(&spec.to_string()))
}

impl PolicyKinds<'_> {
    fn is_of_params(&self, mismatch: &TypeMismatch) -> bool {
        mismatch.place.starts_with("params") || self.objects.is_empty()
    }

    /// True if a mismatch is one for all objects that the policy matches.
    fn is_of_all(&self, (mismatch, of): &MismatchOfKinds) -> bool {
        self.is_of_params(mismatch) || (of.len() == self.objects.len() && !self.has_others)
    }
}
