//! Sentences on pages of annotations: what a rule requires, and when it applies. Read back, and compared with the rule on random
//! objects.

mod outcomes;
mod reader;
pub(crate) mod rules;
mod said;
pub(crate) mod world;

use kvrules::docs::{AuthorNotation, Grouping, PagesInput, RuleLocations, build_pages};
use kvrules::{Catalog, Request, SourceFile, Sources, read_catalog, read_rules_with};
use serde_json::Value as Json;

use self::outcomes::{OutcomeClaim, read_absence, read_default};
use self::reader::{read_condition, read_requirement};
use self::rules::{AnnotationRule, Verdict, write_annotation};
use self::said::Situation;
use self::world::{MACHINES, PONDS, World};
use crate::{Random, Tally};

/// Rules of one annotation.
const RULES: usize = 20;

/// Objects on which a sentence is compared with its rule.
const OBJECTS: usize = 80;

/// The kinds of claims.
pub(super) const REQUIREMENT: &str = "requirement of an annotation's rule";
pub(super) const CONDITION: &str = "condition of an annotation's rule";
pub(super) const ABSENCE: &str = "absent value of an annotation's rule";
pub(super) const DEFAULT: &str = "default of an annotation's rule";

/// The sentences about a rule on its page.
struct RuleSentences {
    name: String,
    requirement: String,
    condition: Option<String>,
    absence: Option<String>,
    default: Option<String>,
}

/// Judges the sentences on the page of a generated annotation.
pub(super) fn judge_annotation(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let world = if random.chance(1, 2) { &PONDS } else { &MACHINES };
    let is_first_version = random.chance(1, 3);
    let rules: Vec<AnnotationRule> =
        (0..RULES).map(|index| AnnotationRule::generate(world, &format!("r{index}"), &mut random)).collect();
    let text = write_annotation(&rules, is_first_version);
    let Some(sentences) = sentences_of(world, &text) else {
        tally.unjudged("an annotation has no page");
        return;
    };
    let objects: Vec<Json> = (0..OBJECTS).map(|_| world.random_object(&mut random)).collect();
    for (index, rule) in rules.iter().enumerate() {
        let Some(found) = sentences.iter().find(|it| it.name == format!("r{index}")) else {
            tally.unjudged("a rule of an annotation is refused");
            continue;
        };
        let origin = format!("seed {seed}, case {case}, r{index}");
        let rule = JudgedRule { world, rule, objects: &objects, origin };
        rule.judge_requirement(&found.requirement, tally);
        if let Some(condition) = &found.condition {
            rule.judge_condition(condition, tally);
        }
        if let Some(absence) = &found.absence {
            rule.judge_outcomes(ABSENCE, absence, read_absence(world, absence), tally);
        }
        if let Some(default) = &found.default {
            rule.judge_outcomes(DEFAULT, default, read_default(world, default), tally);
        }
    }
}

struct JudgedRule<'r> {
    world: &'r World,
    rule: &'r AnnotationRule,
    objects: &'r [Json],
    origin: String,
}

impl JudgedRule<'_> {
    fn judge_requirement(&self, sentence: &str, tally: &mut Tally) {
        let Some(said) = read_requirement(self.world, sentence) else {
            self.count_unread(REQUIREMENT, sentence, tally);
            return;
        };
        // A requirement on a value may mean that there has to be one, or not: the sentence must not depend on that.
        let both = [false, true];
        self.compare(REQUIREMENT, sentence, tally, |verdict, object| {
            let is_passed = verdict != Verdict::Violated;
            let holds = |is_strict| said.holds(&Situation::new(self.world, object, is_strict));
            both.into_iter().all(|is_strict| holds(is_strict) == is_passed)
        });
    }

    fn judge_condition(&self, sentence: &str, tally: &mut Tally) {
        let Some(said) = read_condition(self.world, sentence) else {
            self.count_unread(CONDITION, sentence, tally);
            return;
        };
        self.compare(CONDITION, sentence, tally, |verdict, object| {
            said.holds(&Situation::new(self.world, object, true)) == (verdict != Verdict::Skipped)
        });
    }

    fn judge_outcomes(
        &self,
        kind: &'static str,
        sentence: &str,
        claims: Option<Vec<OutcomeClaim>>,
        tally: &mut Tally,
    ) {
        let Some(claims) = claims else {
            self.count_unread(kind, sentence, tally);
            return;
        };
        if !claims.is_empty() {
            let path = self.rule.path("path").unwrap_or_default();
            self.compare(kind, sentence, tally, |verdict, object| {
                claims.iter().all(|claim| claim.agrees(self.world, path, object, verdict))
            });
        }
    }

    fn count_unread(&self, kind: &'static str, sentence: &str, tally: &mut Tally) {
        tally.missed(kind);
        tally.unjudged(&format!("a sentence is not understood: {sentence} ({})", self.rule.0));
    }

    /// Counts a claim as wrong if it does not agree with the verdict about an object.
    fn compare(
        &self,
        kind: &'static str,
        sentence: &str,
        tally: &mut Tally,
        agrees: impl Fn(Verdict, &Json) -> bool,
    ) {
        let verdict = |object: &Json| self.rule.verdict(self.world, object);
        let wrong = self.objects.iter().find(|object| !agrees(verdict(object), object));
        let details = wrong.map(|object| {
            format!("{}\nsays {sentence}\nobject {object}\nby the rule {:?}", self.rule.0, verdict(object))
        });
        tally.judge(kind, self.origin.clone(), details);
    }
}

fn sentences_of(world: &World, text: &str) -> Option<Vec<RuleSentences>> {
    let schema;
    let mut sources = Sources::default();
    let schema_id = sources.add_file("schema.json", world.schema().to_string());
    let id = sources.add_file("rules.yaml", text);
    let source: &SourceFile = sources.get(schema_id)?;
    let catalog = if world.has_schema {
        schema = read_catalog(source, None).ok()?;
        &schema
    } else {
        Catalog::kubevirt_vm()
    };
    let reading = read_rules_with(sources.get(id)?, catalog);
    let request = Request {
        subject: catalog.subject(),
        schema: world.has_schema.then_some(source),
        ..Request::for_virtual_machines(&reading.sets)
    };
    let places = RuleLocations { sources: &sources, link: None };
    let notation = AuthorNotation::Plain;
    let document = build_pages(&PagesInput { request, places, notation, grouping: Grouping::Set }).ok()?;
    let rules = document.sets.iter().flat_map(|set| &set.rules);
    let sentences = rules.map(|rule| RuleSentences {
        name: rule.page.name.clone(),
        requirement: rule.page.sentence.plain.clone(),
        condition: rule.applies.as_ref().map(|it| it.plain.clone()),
        absence: rule.absent.as_ref().map(|it| it.plain.clone()),
        default: rule.field.default_text.as_ref().map(|it| it.plain.clone()),
    });
    Some(sentences.collect())
}
