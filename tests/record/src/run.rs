//! One run of a program, in the folder of the inputs.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time after which a run is stopped. What comes near to it is no answer that can be compared.
const LONGEST: Duration = Duration::from_secs(300);

/// The folder, in the working directory, that a command which writes files gets.
pub const WRITTEN: &str = "written";

/// Status of a run that was stopped.
pub const STOPPED: i32 = -1;

/// A program with the folder of its inputs.
pub struct Runner {
    program: PathBuf,
    folder: PathBuf,
}

/// The output of a run, with the files that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub status: i32,
    /// Standard output, standard error, and the files that it wrote, by name.
    pub parts: Vec<(String, String)>,
}

impl Runner {
    /// # Errors
    ///
    /// If the program is absent.
    pub fn new(program: &Path, folder: &Path) -> Result<Self, String> {
        let program = fs::canonicalize(program).map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Self { program, folder: folder.to_owned() })
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The folder with the inputs.
    pub fn inputs(&self) -> PathBuf {
        self.folder.join("inputs")
    }

    /// Runs the program. `worker` tells apart what runs at the same time.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn run(&self, args: &[String], worker: usize) -> Result<Output, String> {
        let written = self.folder.join(format!("{WRITTEN}-{worker}"));
        let place = written.to_string_lossy().into_owned();
        let given = args.iter().map(|arg| if arg == WRITTEN { place.as_str() } else { arg.as_str() });
        let mut command = Command::new(&self.program);
        command.args(given).current_dir(self.inputs()).env("NO_COLOR", "1").stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.map_err(|error| format!("{}: {error}", self.program.display()))?;
        let (status, stdout, stderr) = wait_for(child);
        // The folder is another one in each run, and no part of the answer.
        let named = |text: String| text.replace(&place, WRITTEN);
        let mut parts = vec![("stdout".to_owned(), named(stdout)), ("stderr".to_owned(), named(stderr))];
        if written.exists() {
            collect_files(&written, &written, &mut parts);
            fs::remove_dir_all(&written).map_err(|error| format!("{place}: {error}"))?;
        }
        Ok(Output { status, parts })
    }
}

fn wait_for(mut child: Child) -> (i32, String, String) {
    let readers = [
        child.stdout.take().map(|it| read_in_background(Box::new(it))),
        child.stderr.take().map(|it| read_in_background(Box::new(it))),
    ];
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code().unwrap_or(STOPPED),
            Ok(None) if start.elapsed() < LONGEST => thread::sleep(Duration::from_millis(2)),
            _ => {
                // It may have ended in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                break STOPPED;
            }
        }
    };
    let [stdout, stderr] = readers.map(|reader| reader.and_then(|it| it.join().ok()).unwrap_or_default());
    (status, stdout, stderr)
}

fn read_in_background(mut stream: Box<dyn Read + Send>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The bytes in front of an error count.
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn collect_files(root: &Path, folder: &Path, parts: &mut Vec<(String, String)>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect_files(root, &path, parts);
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap_or_default();
        parts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
}
