//! Any text through `FuzzTarget::Fmt` of `kvrules_tests::fuzz`: guided by coverage under a fuzzer, else the files of the command line.

#![cfg_attr(fuzzing, no_main)]

use kvrules_tests::fuzz::FuzzTarget;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(broken) = Target::Fmt.run(text) {
        panic!("{broken}");
    }
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    kvrules_tests::fuzz::replay_files(FuzzTarget::Fmt, std::env::args_os().skip(1))
}
