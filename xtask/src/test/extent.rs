//! The extent of a test run: quick, usual or full.

use crate::Failure;

/// The extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestExtent {
    /// Without the steps doc, deny, docs, dist, nova, cel, z3 and ajv.
    Quick,
    /// All steps, with fixed seeds.
    Usual,
    /// All steps, and ten times as many random inputs from this seed.
    Full { seed: u64 },
}

impl TestExtent {
    /// Reads `[--quick | --full [--seed N]]`.
    pub(crate) fn from_args(args: &[String]) -> Result<Self, Failure> {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        match args.as_slice() {
            [] => Ok(Self::Usual),
            ["--quick"] => Ok(Self::Quick),
            ["--full"] => Ok(Self::Full { seed: seed_of_now() }),
            ["--full", "--seed", seed] => match seed.parse() {
                Ok(seed) => Ok(Self::Full { seed }),
                Err(error) => Err(Failure::Usage(format!("`--seed {seed}`: {error}"))),
            },
            _ => Err(Failure::Usage(format!("unexpected arguments `{}`", args.join(" ")))),
        }
    }

    /// The variables that the tests of such a run read.
    pub(super) fn variables(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Full { seed } => {
                ["KVRULES_FULL_SEED", "PROPTEST_RNG_SEED"].map(|name| (name, seed.to_string())).to_vec()
            }
            Self::Quick | Self::Usual => Vec::new(),
        }
    }
}

/// A seed that differs from run to run, small enough to be typed again.
fn seed_of_now() -> u64 {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    elapsed.map_or(1, |elapsed| elapsed.as_secs() % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Option<TestExtent> {
        TestExtent::from_args(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()).ok()
    }

    #[test]
    fn the_extent_is_read_from_arguments() {
        assert_eq!(read(&[]), Some(TestExtent::Usual));
        assert_eq!(read(&["--quick"]), Some(TestExtent::Quick));
        assert_eq!(read(&["--full", "--seed", "7"]), Some(TestExtent::Full { seed: 7 }));
        assert!(matches!(read(&["--full"]), Some(TestExtent::Full { .. })));
        for wrong in [&["--seed", "7"][..], &["--full", "--seed", "x"], &["--quick", "--full"], &["all"]] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn only_a_full_run_sets_a_seed() {
        assert!(TestExtent::Usual.variables().is_empty());
        let variables = TestExtent::Full { seed: 7 }.variables();
        assert_eq!(variables[0], ("KVRULES_FULL_SEED", "7".to_owned()));
    }
}
