//! The fidelity of targets to the validations of a policy: as schemas, for the kinds of objects that it matches.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_crd::{ResourceText, RunResources, policy_versions};
use kvrules_emit::{ClaimMemo, EMITTERS, Request};
use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::prose::Prose;
use kvrules_pages::resources::ResourceSection;
use rayon::prelude::*;

use super::input::ResourcePagesInput;
use super::names::PageNames;
use super::target_fidelity::{ClaimedRule, claim_lines, code_prose, fidelity_section};
use super::values::items_of;

/// The claims of targets about what a policy demands of the objects of a kind, by the names of validations.
struct KindClaims {
    kind: String,
    claims: Vec<(String, TargetFidelity)>,
}

/// Returns the section about the targets that express the validations of a policy with its bindings; `None` if the types of no matched
/// kind are known.
pub(super) fn targets_section(
    (policy, bindings): (&ResourceText, &[&ResourceText]),
    given: &ResourcePagesInput<'_>,
    names: &mut PageNames,
) -> Option<ResourceSection> {
    let texts: Vec<_> = std::iter::once(policy).chain(bindings.iter().copied()).cloned().collect();
    let versions = policy_versions(&texts, &RunResources::of_resources(given.resources));
    let kinds: Vec<KindClaims> = versions.par_iter().map(KindClaims::of_version).collect();
    let count = items_of(&policy.value, "/spec/validations").count();
    let title = |index: usize| match count {
        1 => "Validation".to_owned(),
        _ => format!("Validation {}", index + 1),
    };
    let of_validations = (0..count).map(|index| (title(index), format!("spec.validations[{index}]")));
    // The name under which `compile` reports kinds that are not known.
    let of_others = ("other kinds of objects".to_owned(), "spec.matchConstraints".to_owned());
    let rules =
        of_validations.chain([of_others]).flat_map(|(title, name)| claimed_rules(&title, &name, &kinds));
    let rules: Vec<ClaimedRule> = rules.collect();
    let mut targets: Vec<&str> = Vec::new();
    for claim in rules.iter().flat_map(|rule| &rule.claims) {
        if !targets.contains(&claim.target.as_str()) {
            targets.push(&claim.target);
        }
    }
    fidelity_section(claim_lines(&rules), (&targets, &rules), names)
}

impl KindClaims {
    fn of_version(version: &ResourceVersion) -> Self {
        let memo = ClaimMemo::default();
        let request = Request {
            resources: std::slice::from_ref(version),
            only_claims: Some(&memo),
            ..Request::for_virtual_machines(&[])
        };
        let mut claims = Vec::new();
        for target in EMITTERS.iter().filter(|target| target.expresses_policies()) {
            for found in target.emit_versions(&request).map(|emission| emission.fidelity).unwrap_or_default()
            {
                let claim = TargetFidelity {
                    target: target.name.to_owned(),
                    fidelity: found.fidelity.exactness(),
                    cause: found.fidelity.cause().map(Text::of_words),
                };
                claims.push((version.shown_rule_name(&found.rule).to_owned(), claim));
            }
        }
        Self { kind: version.kind.clone(), claims }
    }

    fn about(&self, name: &str) -> Vec<TargetFidelity> {
        let own = self.claims.iter().filter(|(claimed, _)| claimed == name);
        own.map(|(_, claim)| claim.clone()).collect()
    }
}

/// The claims about a validation: once if they are the same for all kinds, else by kinds.
fn claimed_rules(title: &str, name: &str, kinds: &[KindClaims]) -> Vec<ClaimedRule> {
    let mut groups: Vec<(Vec<&str>, Vec<TargetFidelity>)> = Vec::new();
    for kind in kinds {
        let claims = kind.about(name);
        match groups.iter_mut().find(|(_, known)| *known == claims) {
            Some((members, _)) => members.push(&kind.kind),
            None => groups.push((vec![&kind.kind], claims)),
        }
    }
    let is_one = groups.len() == 1;
    let rule = |(members, claims): (Vec<&str>, Vec<TargetFidelity>)| {
        let kinds: Vec<Prose> = members.iter().map(|kind| code_prose(kind)).collect();
        let kinds = Prose::join_with(&kinds, ", ", ", ");
        let (label, name) = if is_one {
            (Prose::from(title), title.to_owned())
        } else {
            (
                Prose::from(format!("{title} for ")).add_prose(&kinds),
                format!("{title}: {}", members.join(", ")),
            )
        };
        ClaimedRule { label, name, noun: "validation", claims }
    };
    groups.into_iter().filter(|(_, claims)| !claims.is_empty()).map(rule).collect()
}
