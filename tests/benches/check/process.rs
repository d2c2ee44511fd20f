//! The built command as its users meet it: from start to exit on one template, and from a save to the answer of `--watch`.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use kvrules_tests::{
    bench::{compare_times, duration_ratio},
    repository_root, template_bundles,
};

const ROUNDS: usize = 60;
const SAVES: u32 = 15;

/// From start to exit on one template.
const STARTED: Duration = Duration::from_millis(5);
/// From a save to the answer.
const ANSWERED: Duration = Duration::from_millis(50);
/// Longer than any answer takes.
const LONG: Duration = Duration::from_secs(10);

pub(super) fn run() {
    let Some(binary) = binary() else {
        println!("skipped: the command itself: build it with `cargo build --release --package kvrules-cli`");
        return;
    };
    let folder = std::env::temp_dir().join(format!("kvrules-bench-{}", std::process::id()));
    if let Err(error) = fs::create_dir_all(&folder) {
        println!("skipped: the command itself: no directory to work in: {error}");
        return;
    }
    check_start(&binary, &folder);
    check_watch(&binary, &folder);
    let _ = fs::remove_dir_all(&folder);
}

/// The command built with this bench's profile.
fn binary() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let binary = here.parent()?.parent()?.join(format!("kvrules{}", std::env::consts::EXE_SUFFIX));
    binary.is_file().then_some(binary)
}

fn check_start(binary: &Path, folder: &Path) {
    let template = repository_root().join("docs/examples/linux-server.yaml");
    let path = template.to_string_lossy().into_owned();
    let check = || run_once(binary, folder, &["check", "--no-config", &path]);
    let (bare, checked) = compare_times(ROUNDS, || run_once(binary, folder, &["--version"]), check);
    let (read, _) = compare_times(ROUNDS, || _ = fs::read(&template), || ());
    println!("check of one template, from start to exit");
    println!(
        "  time    {:.2} × `kvrules --version`; {checked:.1?} (goal {STARTED:.1?}) against {bare:.1?}; reading the file \
         alone {read:.1?}",
        duration_ratio(checked, bare)
    );
}

fn run_once(binary: &Path, folder: &Path, args: &[&str]) {
    let mut command = Command::new(binary);
    command.current_dir(folder).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.status();
}

fn check_watch(binary: &Path, folder: &Path) {
    let text = megabyte();
    let file = folder.join("bundle.yaml");
    if fs::write(&file, &text).is_err() {
        return;
    }
    let mut plain = Duration::MAX;
    for _ in 0..SAVES {
        let start = Instant::now();
        run_once(binary, folder, &["check", "--no-config", "bundle.yaml"]);
        plain = plain.min(start.elapsed());
    }
    let Some(mut watch) = Watch::start(binary, folder) else { return };
    let mut times: Vec<_> = (0..SAVES).filter_map(|save| watch.save(&file, &text, save)).collect();
    watch.end();
    times.sort();
    let (Some(best), Some(middle)) = (times.first().copied(), times.get(times.len() / 2).copied()) else {
        println!("skipped: check --watch: no answer came");
        return;
    };
    println!("check --watch over one file ({} bytes), from a save to the answer", text.len());
    println!(
        "  time    {:.2} × a plain run; {best:.1?} at best, {middle:.1?} in the middle of {} (goal {ANSWERED:.1?}) against \
         {plain:.1?}",
        duration_ratio(best, plain),
        times.len()
    );
}

/// A megabyte of released templates; without them our own, many times over.
fn megabyte() -> String {
    const MEGABYTE: usize = 1 << 20;
    let example =
        fs::read_to_string(repository_root().join("docs/examples/linux-server.yaml")).unwrap_or_default();
    let bundles = template_bundles();
    let released = bundles.iter().flat_map(|(_, bundle)| bundle.split("\n---\n").skip(1));
    let mut text = String::new();
    for document in released.chain(example.split("\n---\n").cycle()) {
        text += document;
        text += "\n---\n";
        if text.len() >= MEGABYTE || document.is_empty() {
            break;
        }
    }
    text
}

/// A running `check --watch`, and the moments at which it waits for the next change.
struct Watch {
    child: Child,
    waits: Receiver<Instant>,
}

impl Watch {
    fn start(binary: &Path, folder: &Path) -> Option<Self> {
        let mut command = Command::new(binary);
        let args = ["check", "--watch", "--no-config", "--output-format", "concise", "bundle.yaml"];
        command.current_dir(folder).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let (mut out, err) = (child.stdout.take()?, child.stderr.take()?);
        thread::spawn(move || out.read_to_end(&mut Vec::new()));
        let (sender, waits) = channel();
        thread::spawn(move || {
            for line in BufReader::new(err).lines().map_while(Result::ok) {
                if line.starts_with("watching for changes") && sender.send(Instant::now()).is_err() {
                    break;
                }
            }
        });
        let mut watch = Self { child, waits };
        if watch.waits.recv_timeout(LONG).is_err() {
            watch.end();
            return None;
        }
        Some(watch)
    }

    /// Saves another text, and says how long the answer took.
    fn save(&mut self, file: &Path, text: &str, number: u32) -> Option<Duration> {
        // Lets the machine settle, so that the previous run does not affect this one.
        thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        fs::write(file, format!("{text}\n# {number}\n")).ok()?;
        self.waits.recv_timeout(LONG).ok().map(|end| end.saturating_duration_since(start))
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
