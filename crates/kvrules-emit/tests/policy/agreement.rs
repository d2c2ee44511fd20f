//! A policy lets through what the predicate accepts.

use kvrules_emit::Fidelity;
use kvrules_ir::{ElaboratedRule, Severity};

use super::cases::cases;
use super::made::of_predicate;
use super::objects::objects;
use super::rules::{WINDOWS, machines, read};
use super::validators::{Validators, emit};

#[test]
fn a_policy_lets_through_what_its_predicate_accepts() {
    let (mut pairs, mut differing, mut policies) = (0, 0, 0);
    for (name, predicate) in cases() {
        let set = of_predicate(name, Severity::Error, predicate.clone());
        let emission = emit(&[set]);
        let fidelity = &emission.fidelity[0].fidelity;
        if matches!(fidelity, Fidelity::Unsupported(_)) {
            continue;
        }
        policies += 1;
        let validators = Validators::of(&emission.files[0].text);
        for object in objects(&predicate) {
            let (intended, (got, _)) =
                (kvrules_eval::predicate_holds(&predicate, &object), validators.judge(name, &object));
            pairs += 1;
            if intended != got {
                let exactness = fidelity.exactness();
                let declared = if got { exactness.may_widen() } else { exactness.may_narrow() };
                assert!(declared, "{name}: meant {intended}: {object}\n{}", emission.files[0].text);
                differing += 1;
            }
        }
    }
    println!("{pairs} pairs of policy and object, {differing} differ as declared, of {policies} policies");
    assert!(pairs > 5_000 && policies > 60, "{pairs} {policies}");
}

#[test]
fn rules_that_only_warn_never_reject_and_warn_where_they_are_broken() {
    let set = read(WINDOWS, &["windows"]);
    let emission = emit(std::slice::from_ref(&set));
    let validators = Validators::of(&emission.files[0].text);
    let of = |severity: Severity| set.rules.iter().filter(move |rule| rule.severity == severity);
    let holds = |rule: &ElaboratedRule, object: &serde_json::Value| {
        kvrules_eval::predicate_holds(&rule.predicate, object)
    };
    let mut seen = std::collections::BTreeSet::new();
    for object in machines(&set) {
        let intended = (
            of(Severity::Error).all(|rule| holds(rule, &object)),
            of(Severity::Warning).all(|rule| holds(rule, &object)),
        );
        let got = validators.judge("windows", &object);
        let is_fraction = !intended.0 && got.0 && object.to_string().contains('.');
        assert!(got == intended || is_fraction, "{got:?} for {intended:?}: {object}");
        seen.insert(got);
    }
    assert!(seen.contains(&(true, true)) && seen.contains(&(false, false)) && seen.contains(&(false, true)));
}
