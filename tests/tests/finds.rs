//! Checks every property again on the finds of fuzzing. Each file is the smallest text that showed an error.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;

use kvrules_tests::{fuzz::FuzzTarget, repository_root};

#[test]
fn what_fuzzing_found_breaks_no_promise_any_more() {
    let mut texts = 0;
    for entry in fs::read_dir(repository_root().join("tests/cases/fuzz")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for target in FuzzTarget::ALL {
            let result = target.check_text(&text);
            assert!(result.is_ok(), "{}, {}: {result:?}", path.display(), target.name());
        }
        texts += 1;
    }
    assert!(texts > 0);
}
