//! Every judge on fixed seeds, so that each claim of the product is judged whenever the tests run.

use kvrules_judges::{Budget, JUDGES};

const SEEDS: [u64; 2] = [1, 43];

#[test]
fn no_judge_refutes_a_claim_on_fixed_seeds() {
    let mut wrong = Vec::new();
    for judge in JUDGES {
        for seed in SEEDS {
            let tally = (judge.run)(seed, &Budget::Claims(judge.claims_in_tests));
            println!("{} (seed {seed})\n{tally}", judge.name);
            println!(
                "{} of {} claims agree with {}",
                tally.made() - tally.number_wrong(),
                tally.made(),
                judge.name
            );
            assert!(tally.made() >= judge.claims_in_tests, "{}: {} claims", judge.name, tally.made());
            assert_eq!(
                judge.blind_kinds(&tally),
                [""; 0],
                "{} confirms none of these (seed {seed})",
                judge.name
            );
            assert_eq!(judge.unlisted_kinds(&tally), [""; 0], "{} does not list these kinds", judge.name);
            wrong.extend(tally.wrong_claims().iter().map(|claim| format!("{}: {claim:?}", judge.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
