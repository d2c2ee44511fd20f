//! The section about the fidelity of targets to rules, for maintainers.

use kvrules_pages::Text;
use kvrules_pages::document::TargetFidelity;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::{FactPicture, PictureFidelityRow};
use kvrules_pages::prose::{Prose, count_noun, text_code};
use kvrules_pages::resources::ResourceSection;

use crate::enforcement::said_by;

use super::names::PageNames;
use super::values::{line_fact, list_fact, words_piece};

/// A rule, validation or keyword, and the claims of targets about it.
pub(super) struct ClaimedRule {
    /// The rule in a list.
    pub(super) label: Prose,
    /// The rule in a picture.
    pub(super) name: String,
    /// Its kind for readers: `rule`.
    pub(super) noun: &'static str,
    pub(super) claims: Vec<TargetFidelity>,
}

impl ClaimedRule {
    /// True if every target that has a claim is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.claims.iter().all(|claim| claim.cause.is_none())
    }

    /// True if the same is claimed about another of its sort.
    fn is_like(&self, other: &Self) -> bool {
        self.noun == other.noun && self.claims == other.claims
    }

    /// `exact in crd, cel; unsupported in json-schema: a schema does not know the stored object`
    fn claims_line(&self) -> Vec<Piece> {
        let groups = said_by(&self.claims).into_iter().map(|group| {
            let mut line = vec![Piece::of_text(group.label.to_lowercase()), words_piece(" ")];
            line.extend(Piece::of_codes(&group.targets));
            line.extend(Piece::explained_by(group.cause.as_ref()));
            line
        });
        Piece::join_with(groups, "; ")
    }
}

/// Code as pages show it.
pub(super) fn code_prose(code: &str) -> Prose {
    Prose::of_code(text_code(code))
}

/// Returns lines about rules: one about each, or about those that have the same claims.
pub(super) fn claim_lines(rules: &[ClaimedRule]) -> Vec<Vec<Piece>> {
    let mut groups: Vec<Vec<&ClaimedRule>> = Vec::new();
    for rule in rules {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.is_like(rule))) {
            Some(group) => group.push(rule),
            None => groups.push(vec![rule]),
        }
    }
    groups.iter().map(|group| group_line(group)).collect()
}

/// `replicas: exact in crd`, or `2 rules: exact in crd` with the rules below.
fn group_line(group: &[&ClaimedRule]) -> Vec<Piece> {
    let Some(first) = group.first() else { return Vec::new() };
    let claims = first.claims_line();
    if group.len() == 1 {
        return [vec![Piece::Text(Text::from_prose(&first.label)), words_piece(": ")], claims].concat();
    }
    let head = vec![Piece::of_text(count_noun(group.len(), first.noun)), words_piece(": ")];
    let labels: Vec<Prose> = group.iter().map(|rule| rule.label.clone()).collect();
    [head, claims, vec![Piece::Text(Text::of_items(&labels))]].concat()
}

/// Returns the section with lines about rules, and the claims about all of them as a picture; `None` if there are no claims.
pub(super) fn fidelity_section(
    lines: Vec<Vec<Piece>>,
    (targets, rules): (&[&str], &[ClaimedRule]),
    names: &mut PageNames,
) -> Option<ResourceSection> {
    if rules.iter().all(|rule| rule.claims.is_empty()) {
        return None;
    }
    let (anchor, label) = names.add_name("targets");
    let facts = vec![list_fact("fidelity", "Rules", lines), matrix_fact(targets, rules)];
    let title = "Fidelity of targets".to_owned();
    Some(ResourceSection { title, anchor, label, is_folded: true, facts, ..ResourceSection::default() })
}

fn matrix_fact(targets: &[&str], rules: &[ClaimedRule]) -> Fact {
    let row = |rule: &ClaimedRule| {
        let of_target = |target: &&str| {
            rule.claims.iter().find(|claim| claim.target == *target).map(|claim| claim.fidelity)
        };
        PictureFidelityRow { name: rule.name.clone(), fidelity: targets.iter().map(of_target).collect() }
    };
    let rules = rules.iter().map(row).collect();
    let targets = targets.iter().map(|target| (*target).to_owned()).collect();
    let picture = FactPicture::FidelityMatrix { targets, rules };
    line_fact("fidelity-matrix", "Targets", vec![Piece::Picture(picture)])
}
