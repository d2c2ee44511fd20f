//! Compares the output of `kvrules diff` for rule sets and extra specs with the verdicts of both sides.
//!
//! Rule sets are drawn from a pool of small rules. All are evaluated on objects made from the rules of both sides: nothing that
//! is said to be equal is told apart by one of them, nothing that is said to be stricter accepts one that was refused, and
//! every object that is shown shows it. The same holds for the released bundles, release by release.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;

use kvrules::diff::{self, Diff, Direction, SideFile, UnitContent, Witness};
use kvrules::verify::generate_objects;
use kvrules::{Catalog, ElaboratedRule, FileId, Severity, SourceFile};
use kvrules_eval::{Outcome, Program};
use kvrules_extra_specs::{Checker, DefinitionRegistry, Finding, ValidationMode};
use kvrules_tests::{spec::annotated_machine, template_bundles};
use serde_json::Value;

struct Seeds(u64);

impl Seeds {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

fn part(file: u32, name: &str, text: impl Into<String>) -> SideFile {
    let source = SourceFile::new(FileId(file), name, text);
    let units = diff::read_units(&source, Catalog::kubevirt_vm()).unwrap();
    SideFile { path: String::new(), source, units }
}

fn a_rule(name: &str, seeds: &mut Seeds) -> String {
    let (path, kind) = [
        (".spec.domain.cpu.cores", "integer"),
        (".spec.domain.cpu.sockets", "integer"),
        (".spec.domain.machine.type", "text"),
        (".spec.domain.devices.disks[*].disk.bus", "text"),
        (".spec.domain.memory.guest", "integer"),
    ][seeds.below(5)];
    let keys = match kind {
        "integer" => seeds.one(&[
            r#""rule": "integer", "max": 4"#,
            r#""rule": "integer", "max": 8"#,
            r#""rule": "integer", "min": 1"#,
            r#""rule": "integer", "min": 2, "max": 4"#,
        ]),
        _ => seeds.one(&[
            r#""rule": "enum", "values": ["q35", "pc"]"#,
            r#""rule": "enum", "values": ["q35"]"#,
            r#""rule": "regex", "regex": "^(q35|pc)$""#,
            r#""rule": "regex", "regex": "^q""#,
            r#""rule": "string", "maxLength": 3"#,
            r#""rule": "string", "minLength": 1"#,
        ]),
    };
    let guard = if seeds.below(2) == 0 { String::new() } else { format!(r#""valid": "jsonpath::{path}", "#) };
    let warning = if seeds.below(6) == 0 { r#""justWarning": true, "# } else { "" };
    format!(r#"{{"name": "{name}", "message": "m", {guard}{warning}"path": "jsonpath::{path}", {keys}}}"#)
}

fn rules(part: &SideFile) -> &[ElaboratedRule] {
    match &part.units[0].content {
        UnitContent::Rules(set) => &set.rules,
        _ => panic!("no rules"),
    }
}

fn refuses(rules: &[ElaboratedRule], object: &Value) -> bool {
    let errors = rules.iter().filter(|rule| rule.severity == Severity::Error);
    errors
        .into_iter()
        .any(|rule| Program::new(rule).unwrap().evaluate_object(object).outcome == Outcome::Violated)
}

/// True if a claim permits that something accepted is rejected, and the reverse.
fn allows(found: &Diff) -> (bool, bool) {
    let some = |loosens: bool| {
        found.changes().filter(|change| change.what != "warning").any(|change| match change.direction {
            Direction::Unknown => true,
            other if loosens => other.is_loosening(),
            other => other.is_tightening(),
        })
    };
    (some(false), some(true))
}

fn hold_witnesses(found: &Diff, refused: &dyn Fn(bool, &Witness) -> bool) -> usize {
    let mut shown = 0;
    for change in found.changes().filter(|change| change.what != "warning") {
        for (witness, is_new) in [(&change.refused, true), (&change.accepted, false)] {
            let Some(witness) = witness else { continue };
            assert!(refused(is_new, witness) && !refused(!is_new, witness), "{change:#?}");
            shown += 1;
        }
        assert_eq!(change.direction.is_tightening(), change.refused.is_some(), "{change:#?}");
        assert_eq!(change.direction.is_loosening(), change.accepted.is_some(), "{change:#?}");
    }
    shown
}

#[test]
fn what_is_claimed_of_rule_sets_holds_on_every_object() {
    let (mut pairs, mut requested, mut apart, mut witnesses) = (0, 0, 0, 0);
    let mut claims: BTreeMap<Direction, usize> = BTreeMap::new();
    for seed in kvrules_testdata::seed_range(40) {
        let mut seeds = Seeds(seed * 7919 + 3);
        seeds.below(2);
        let names = ["a", "b", "c"];
        let old: Vec<String> =
            names.iter().take(1 + seeds.below(3)).map(|name| a_rule(name, &mut seeds)).collect();
        let mut new = old.clone();
        for _ in 0..=seeds.below(2) {
            let at = seeds.below(new.len() + 1);
            match seeds.below(4) {
                0 if at < new.len() && new.len() > 1 => _ = new.remove(at),
                1 => new.push(a_rule("d", &mut seeds)),
                _ if at < new.len() => new[at] = a_rule(names[at.min(2)], &mut seeds),
                _ => {}
            }
        }
        let text = |rules: &[String]| annotated_machine(&format!("[{}]", rules.join(",")));
        let (one, other) = ([part(0, "o.json", text(&old))], [part(1, "n.json", text(&new))]);
        let found = diff::compare_sides(&one, &other).unwrap();
        let (before, after) = (rules(&one[0]), rules(&other[0]));
        pairs += 1;
        witnesses += hold_witnesses(&found, &|is_new, witness| {
            refuses(if is_new { after } else { before }, &witness.object)
        });
        let (may_refuse, may_accept) = allows(&found);
        let all: Vec<&ElaboratedRule> = before.iter().chain(after).collect();
        let mut is_apart = false;
        for object in generate_objects(&all) {
            requested += 1;
            let verdicts = (refuses(before, &object), refuses(after, &object));
            is_apart |= verdicts.0 != verdicts.1;
            assert!(
                may_refuse || verdicts != (false, true),
                "seed {seed}: {object} is refused now\n{old:?}\n{new:?}"
            );
            assert!(
                may_accept || verdicts != (true, false),
                "seed {seed}: {object} is accepted now\n{old:?}\n{new:?}"
            );
        }
        apart += usize::from(is_apart);
        for change in found.changes() {
            *claims.entry(change.direction).or_default() += 1;
        }
    }
    println!(
        "{pairs} pairs, {requested} objects, {apart} told apart by one, {witnesses} witnesses; {claims:?}"
    );
    assert!(!kvrules_testdata::is_quick_run() || apart > 15 && witnesses > 15);
}

#[test]
fn releases_of_the_bundles_are_compared_and_what_is_shown_shows_it() {
    let bundles = template_bundles();
    // Compares successive releases of one architecture, and each release with itself after raising every minimum.
    let raised: Vec<_> = bundles
        .iter()
        .map(|(name, text)| (format!("{name} raised"), text.replace("\"min\": ", "\"min\": 1")))
        .collect();
    let of_one = |name: &str| !name.contains("s390x");
    let releases: Vec<_> = bundles.iter().filter(|(name, _)| of_one(name)).collect();
    let adjacent = releases.iter().copied().zip(releases.iter().copied().skip(1));
    for (one, other) in adjacent.chain(bundles.iter().zip(&raised)) {
        let (old, new) = ([part(0, &one.0, one.1.as_str())], [part(1, &other.0, other.1.as_str())]);
        let found = diff::compare_sides(&old, &new).unwrap();
        let set = |part: &[SideFile], name: &str| -> Vec<ElaboratedRule> {
            let unit = part[0].units.iter().find(|unit| unit.name == name).unwrap();
            match &unit.content {
                UnitContent::Rules(set) => set.rules.clone(),
                _ => panic!("no rules"),
            }
        };
        let mut witnesses = 0;
        for pair in &found.pairs {
            let after = pair.renamed.as_ref().unwrap_or(&pair.name);
            let (before, after) = (set(&old, &pair.name), set(&new, after));
            for change in
                pair.changes.iter().map(|located| &located.change).filter(|change| change.what != "warning")
            {
                for (witness, is_new) in [(&change.refused, true), (&change.accepted, false)] {
                    let Some(witness) = witness else { continue };
                    witnesses += 1;
                    let verdicts = (refuses(&before, &witness.object), refuses(&after, &witness.object));
                    assert_eq!(verdicts, (!is_new, is_new), "{} in {}", change.at, pair.name);
                }
            }
        }
        println!(
            "{} → {}: {} templates compared, {} rules, {} added, {} removed, {witnesses} witnesses; {:?}",
            one.0,
            other.0,
            found.pairs.len(),
            found.compared,
            found.added.len(),
            found.removed.len(),
            found.counts
        );
        assert!(!found.pairs.is_empty());
    }
}

fn a_value(seeds: &mut Seeds) -> &'static str {
    seeds.one(&[
        "{type: integer}",
        "{type: integer, min: 1}",
        "{type: integer, min: 0, max: 9}",
        "{type: integer, max: 4}",
        "{type: boolean}",
        "{type: string}",
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [b, c]}",
        "{type: string, pattern: '[a-c]+'}",
        "{type: string, pattern: '[a-z]+'}",
        "{type: string, pattern: 'a|b|c'}",
    ])
}

#[test]
fn what_is_claimed_of_extra_specs_holds_on_every_pair() {
    let (mut pairs, mut requested, mut witnesses) = (0, 0, 0);
    for seed in kvrules_testdata::seed_range(300) {
        let mut seeds = Seeds(seed * 104_729 + 11);
        seeds.below(2);
        let mut document = |id: u32| {
            let mut text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n".to_owned();
            for name in ["x:a", "x:b"].iter().take(1 + seeds.below(2)) {
                text += &format!("- {{name: '{name}', description: d, value: {}}}\n", a_value(&mut seeds));
            }
            part(id, "d.yaml", text)
        };
        let (one, other) = ([document(0)], [document(1)]);
        let found = diff::compare_sides(&one, &other).unwrap();
        let registry = |part: &SideFile| match &part.units[0].content {
            UnitContent::ExtraSpecs(definitions) => DefinitionRegistry::new([definitions.clone()]),
            _ => panic!("no definitions"),
        };
        let (first, second) = (registry(&one[0]), registry(&other[0]));
        let refused = |registry: &DefinitionRegistry, key: &str, value: &str| {
            Checker::new(registry, ValidationMode::Strict)
                .check_one(key, value)
                .iter()
                .any(Finding::is_rejection)
        };
        pairs += 1;
        witnesses += hold_witnesses(&found, &|is_new, witness| {
            let (key, value) = witness.object.as_object().unwrap().iter().next().unwrap();
            refused(if is_new { &second } else { &first }, key, value.as_str().unwrap())
        });
        let (may_refuse, may_accept) = allows(&found);
        for key in ["x:a", "x:b"] {
            for value in [
                "-1", "0", "1", "4", "5", "9", "10", "a", "b", "c", "ab", "z", "zz", "true", "no", "", "A",
                " 1",
            ] {
                requested += 1;
                let verdicts = (refused(&first, key, value), refused(&second, key, value));
                assert!(may_refuse || verdicts != (false, true), "seed {seed}: {key}={value}");
                assert!(may_accept || verdicts != (true, false), "seed {seed}: {key}={value}");
            }
        }
    }
    println!("{pairs} pairs, {requested} keys with values, {witnesses} witnesses");
    assert!(!kvrules_testdata::is_quick_run() || witnesses > 200);
}
