//! The real program, run with little time and little memory.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use super::outcome::{RunOutcome, read_tree};
use super::{FileTree, HostileCase};
use crate::repository_root;

/// Memory limit of a run, in KiB.
const MEMORY: u32 = 500 * 1024;
/// Processor time limit of a run, in seconds; unoptimised code is about so much slower.
const SECONDS: u32 = if cfg!(debug_assertions) { 40 } else { 5 };
/// A run that has not ended by then waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(240);

/// The program.
#[derive(Clone, Debug)]
pub struct TestedProgram {
    path: PathBuf,
}

impl TestedProgram {
    /// The program as its sources are now, built like the caller.
    pub fn build() -> io::Result<Self> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--locked", "--package", "kvrules-cli", "--bin", "kvrules"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        if !build.current_dir(repository_root()).status()?.success() {
            return Err(io::Error::other("the program cannot be built"));
        }
        // Next to this program, or in the parent directory if this is a test.
        let here = env::current_exe()?;
        let name = format!("kvrules{}", env::consts::EXE_SUFFIX);
        let places = here.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
        let path = places.into_iter().find(|path| path.is_file());
        path.map(|path| Self { path }).ok_or_else(|| io::Error::other("the program is not where it is built"))
    }

    /// Runs a case twice, with one thread and with two where the command has threads, in the same directory made anew.
    pub fn run_case(&self, case: &HostileCase) -> io::Result<[RunOutcome; 2]> {
        let directory = tempfile::tempdir()?;
        let place = directory.path().join("work");
        let once = |jobs: &str| {
            fs::create_dir(&place)?;
            for (name, text) in &case.files {
                let path = place.join(name);
                fs::create_dir_all(path.parent().unwrap_or(&place))?;
                fs::write(path, text)?;
            }
            let jobs = if case.has_jobs() { vec!["--jobs", jobs] } else { Vec::new() };
            let outcome = self.once(case, &jobs, &place)?;
            fs::remove_dir_all(&place)?;
            Ok::<_, io::Error>(outcome)
        };
        Ok([once("1")?, once("2")?])
    }

    fn once(&self, case: &HostileCase, jobs: &[&str], place: &std::path::Path) -> io::Result<RunOutcome> {
        let script = format!("ulimit -c 0; ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(&self.path).args(&case.args).args(jobs).current_dir(place);
        // Each thread would reserve more than a run may use.
        command.env("MALLOC_ARENA_MAX", "1").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn()?;
        let out = read_in_thread(child.stdout.take());
        let err = read_in_thread(child.stderr.take());
        let (status, hangs) = wait_for_end(&mut child)?;
        let time = start.elapsed();
        let join = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
        let tree: FileTree = read_tree(place)?;
        Ok(RunOutcome {
            status: status.code(),
            signal: signal(status),
            hangs,
            out: join(out),
            err: join(err),
            tree,
            time,
        })
    }
}

fn read_in_thread(from: Option<impl io::Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The time limit stops a run that fills the disk with output.
        let _ = from.map(|from| from.take(256 << 20).read_to_end(&mut bytes));
        bytes
    })
}

fn wait_for_end(child: &mut Child) -> io::Result<(ExitStatus, bool)> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
