//! Any text through `Target::Migrate` of `kvrules_tests::fuzz`, guided by coverage.

#![no_main]

use kvrules_tests::fuzz::Target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(broken) = Target::Migrate.run(text) {
        panic!("{broken}");
    }
});
