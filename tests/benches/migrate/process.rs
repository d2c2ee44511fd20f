//! The built command over ten thousand files, on one thread and on all.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use kvrules_tests::{
    bench::duration_ratio,
    old_forms::{FORMS, to_old_form},
    repository_root,
};

const FILES: usize = 10_000;
/// Files in one directory.
const OF_A_DIRECTORY: usize = 500;

pub(super) fn run(folder: &Path) {
    let Some(binary) = binary() else {
        println!("skipped: the command itself: build it with `cargo build --release --package kvrules-cli`");
        return;
    };
    let example =
        fs::read_to_string(repository_root().join("docs/examples/linux-server.yaml")).unwrap_or_default();
    let old = to_old_form(example.split("\n---\n").next().unwrap_or_default(), FORMS[0]);
    let folder = folder.join("files");
    let place = |number: usize| folder.join(format!("{}/{number}.yaml", number / OF_A_DIRECTORY));
    let fill = || {
        for number in 0..FILES {
            let path = place(number);
            let _ = path.parent().map(fs::create_dir_all);
            let _ = fs::write(path, &old);
        }
    };
    for args in [&["migrate", "--write"][..], &["fmt"][..]] {
        let timed = |jobs: &[&str]| {
            fill();
            let args: Vec<_> = args.iter().chain(jobs).copied().collect();
            once(&binary, &folder, &args)
        };
        let (one, all) = (timed(&["-j", "1"]), timed(&[]));
        let changed = (0..FILES)
            .filter(|number| fs::read_to_string(place(*number)).is_ok_and(|text| text != old))
            .count();
        println!("{} of {FILES} files ({} bytes each), {changed} written", args.join(" "), old.len());
        println!(
            "  time    {:.2} × as fast on all cores as on one; {:.1?} against {:.1?}; busy cores {:.2} (user and system time over time)",
            duration_ratio(one.0, all.0),
            all.0,
            one.0,
            duration_ratio(all.1, all.0)
        );
    }
}

/// The command built with this bench's profile.
fn binary() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let binary = here.parent()?.parent()?.join(format!("kvrules{}", std::env::consts::EXE_SUFFIX));
    binary.is_file().then_some(binary)
}

/// Runs once and returns the wall-clock time and the processor time.
fn once(binary: &Path, folder: &Path, args: &[&str]) -> (Duration, Duration) {
    let worked = children();
    let start = Instant::now();
    let mut command = Command::new(binary);
    command
        .current_dir(folder)
        .args(args)
        .args(["--no-config", "."])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _ = command.status();
    (start.elapsed(), children().saturating_sub(worked))
}

/// The processor time of all children so far, as Linux tells it in hundredths of a second; nothing elsewhere.
fn children() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<_> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = [13, 14].into_iter().filter_map(|at| fields.get(at)?.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(ticks * 10)
}
