//! Any text through `FuzzTarget::Read` of `kvrules_tests::fuzz`: guided by coverage under a fuzzer, else the files of the command line.

#![cfg_attr(fuzzing, no_main)]

use kvrules_tests::fuzz::FuzzTarget;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(broken) = Target::Read.run(text) {
        panic!("{broken}");
    }
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    kvrules_tests::fuzz::replay_files(FuzzTarget::Read, std::env::args_os().skip(1))
}
