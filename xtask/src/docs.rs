//! `cargo xtask docs`: the documentation as its readers build it. The extension for Sphinx is put into a wheel, installed and
//! tested; the examples and our own book are built by Sphinx and mdBook; and every link of the pages is followed.
//!
//! Everything that this fetches, from PyPI and crates.io in fixed versions, goes below the target directory and is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::dist::TRIAL_FOLDER;
use crate::tools::{MDBOOK, cargo, environment, python, spawn};
use crate::workspace::{SHARED, Workspace};

const PACKAGE: &str = "crates/kvrules-py";
/// The current major of Sphinx, whose packages include what builds the wheel, and the one before.
const SPHINX: [&str; 2] = ["sphinx9", "sphinx8"];
/// Released templates, among the recorded data.
const BUNDLES: &str = "kubevirt/templates";
/// Real definitions, among the recorded data. The second folder is large.
const DEFINITIONS: [&str; 2] = ["kubernetes/crds", "kubernetes/crds-2"];

/// Option of a run next to the tests.
pub(crate) const TRIED_WHEEL: &str = "--tried-wheel";

/// The workspace, and where things are built.
struct Docs<'a> {
    workspace: &'a Workspace,
    /// The target directory, and below it what this makes.
    target: PathBuf,
    out: PathBuf,
    /// The program of mdBook.
    mdbook: PathBuf,
    /// The folders of definitions.
    definitions: &'static [&'static str],
}

/// The parsed options.
#[derive(Clone, Copy, Default)]
pub(crate) struct DocsOptions {
    /// Build the pages of all recorded definitions, not only of those in the first folder.
    is_all: bool,
    /// Install the wheel of `dist --try`. Building one links the programs anew, and removes them until that is done; so
    /// this is for a run next to tests, which start them.
    is_tried_wheel: bool,
}

impl DocsOptions {
    pub(crate) fn from_args(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        for arg in args {
            match arg.as_str() {
                "--all" => options.is_all = true,
                TRIED_WHEEL => options.is_tried_wheel = true,
                other => return Err(Failure::Usage(format!("unexpected argument `{other}`"))),
            }
        }
        Ok(options)
    }
}

/// Builds and checks everything, up to the first failure.
pub(crate) fn run(workspace: &Workspace, options: DocsOptions) -> Result<(), Failure> {
    build(workspace, options).map_err(Failure::Failed)
}

fn build(workspace: &Workspace, options: DocsOptions) -> Result<(), String> {
    let target = workspace.target_directory();
    let mdbook = MDBOOK.program(workspace)?;
    let definitions = DEFINITIONS.get(..if options.is_all { 2 } else { 1 }).unwrap_or_default();
    let docs = Docs { workspace, out: target.join("docs"), target, mdbook, definitions };
    fs::create_dir_all(&docs.out).map_err(|error| format!("{}: {error}", docs.out.display()))?;
    docs.programs()?;
    for sphinx in SPHINX {
        let list = format!("{PACKAGE}/requirements/{sphinx}.txt");
        environment(workspace, &docs.out.join(sphinx), &list)?;
    }
    docs.style()?;
    let wheel = if options.is_tried_wheel { docs.tried_wheel()? } else { docs.wheel()? };
    let mut sites = Vec::new();
    for sphinx in SPHINX {
        docs.install(sphinx, &wheel)?;
        docs.unit_tests(sphinx)?;
        sites.push(docs.sphinx(sphinx, &workspace.root.join("docs/examples/sphinx"), sphinx)?);
    }
    sites.push(docs.mdbook(&workspace.root.join("docs"), "book")?);
    sites.push(docs.mdbook(&workspace.root.join("docs/examples/mdbook"), "mdbook")?);
    sites.extend(docs.bundles()?);
    sites.extend(docs.definitions()?);
    docs.links(&sites)
}

impl Docs<'_> {
    /// The programs that are tested, as the steps before have built them.
    fn programs(&self) -> Result<(), String> {
        let mut command = Command::new(cargo());
        // Of the whole workspace, so that dependencies have the features with which they are built already.
        command.args(["build", "--workspace", "--bin", "kvrules", "--bin", "mdbook-kvrules", "--locked"]);
        self.run("build", command)
    }

    fn python(&self, environment: &str) -> PathBuf {
        python(&self.out.join(environment))
    }

    /// The style of the Python code.
    fn style(&self) -> Result<(), String> {
        for args in [&["check", "--quiet", "--no-cache"][..], &["format", "--check", "--quiet", "--no-cache"]]
        {
            let mut ruff = Command::new(self.python(SPHINX[0]));
            ruff.args(["-m", "ruff"]).args(args).arg(".");
            self.run_in(&self.workspace.root.join(PACKAGE), "ruff", ruff)?;
        }
        Ok(())
    }

    /// Puts the package into a wheel, with the programs in it, and gives its path.
    fn wheel(&self) -> Result<PathBuf, String> {
        let wheels = self.out.join("wheels");
        let _ = fs::remove_dir_all(&wheels);
        let mut maturin = Command::new(self.python(SPHINX[0]));
        maturin.args(["-m", "maturin", "build", "--quiet", "--profile", "dev", "--locked"]);
        maturin.arg("--out").arg(&wheels).env("CARGO_TARGET_DIR", &self.target);
        self.run_in(&self.workspace.root.join(PACKAGE), "maturin build", maturin)?;
        find_wheel(&wheels).ok_or_else(|| "maturin made no wheel".to_owned())
    }

    /// The path of the wheel that `dist --try` left.
    fn tried_wheel(&self) -> Result<PathBuf, String> {
        let missing = || "no wheel to install: run `cargo xtask dist --try` first".to_owned();
        find_wheel(&self.target.join(TRIAL_FOLDER)).ok_or_else(missing)
    }

    fn install(&self, environment: &str, wheel: &Path) -> Result<(), String> {
        let mut pip = Command::new(self.python(environment));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--force-reinstall"]).arg(wheel);
        self.run("pip install", pip)
    }

    /// The package's own tests, which see what is installed and not the sources.
    fn unit_tests(&self, environment: &str) -> Result<(), String> {
        let mut tests = Command::new(self.python(environment));
        tests.args(["-B", "-m", "unittest", "--quiet"]);
        self.run_in(&self.workspace.root.join(PACKAGE), "unittest", tests)
    }

    /// Builds a project, where a warning is a failure, and gives the directory of its pages.
    fn sphinx(&self, environment: &str, project: &Path, name: &str) -> Result<PathBuf, String> {
        let pages = self.out.join("pages").join(name);
        let mut sphinx = Command::new(self.python(environment));
        sphinx.args([
            "-B",
            "-m",
            "sphinx",
            "-W",
            "-n",
            "--keep-going",
            "-q",
            "-E",
            "-a",
            "-j",
            "2",
            "-b",
            "html",
        ]);
        sphinx.arg("-d").arg(self.out.join("doctrees").join(name)).arg(project).arg(&pages);
        self.run(&format!("sphinx-build -W -n {}", project.display()), sphinx)?;
        Ok(pages)
    }

    /// Builds a book, and gives the directory of its pages. A line of warning is a failure, which it is not for mdBook.
    fn mdbook(&self, book: &Path, name: &str) -> Result<PathBuf, String> {
        let pages = self.out.join("pages").join(name);
        let mut mdbook = Command::new(&self.mdbook);
        mdbook.arg("build").arg(book).arg("--dest-dir").arg(&pages);
        let debug = self.target.join("debug");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([debug].into_iter().chain(std::env::split_paths(&path)));
        mdbook.env("PATH", path.map_err(|error| error.to_string())?);
        println!("docs: mdbook build {}", book.display());
        let output = mdbook.output().map_err(|error| format!("mdbook could not be started: {error}"))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let complains = stderr.lines().any(|line| line.contains("WARN") || line.contains("ERROR"));
        if output.status.success() && !complains {
            return Ok(pages);
        }
        Err(format!("mdbook build {}: {}\n{stderr}", book.display(), output.status))
    }

    /// All released templates, as one site of each kind.
    fn bundles(&self) -> Result<Vec<PathBuf>, String> {
        let bundles = self.workspace.shared_directory().join(BUNDLES);
        if !bundles.is_dir() {
            println!("docs: {SHARED}/{BUNDLES} not found, so the released templates are not built");
            return Ok(Vec::new());
        }
        let project = self.out.join("bundles");
        let bundles = bundles.canonicalize().map_err(|error| format!("{BUNDLES}: {error}"))?;
        let listed = format!("[{:?}]", bundles.to_string_lossy());
        let files = [
            ("sphinx/conf.py", format!("extensions = [\"kvrules.sphinx\"]\nkvrules_paths = {listed}\n")),
            ("sphinx/index.rst", "Templates\n=========\n\n.. kv:rules::\n".to_owned()),
            ("mdbook/book.toml", format!("[preprocessor.kvrules]\npath = {listed}\nbefore = [\"links\"]\n")),
            ("mdbook/src/SUMMARY.md", "# Summary\n\n- [Templates](templates.md)\n".to_owned()),
            ("mdbook/src/templates.md", "# Templates\n\n{{#kvrules rules}}\n".to_owned()),
        ];
        for (path, text) in files {
            let path = project.join(path);
            let folder = path.parent().unwrap_or(&project);
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
            written.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let sphinx = self.sphinx(SPHINX[0], &project.join("sphinx"), "bundles-sphinx")?;
        Ok(vec![sphinx, self.mdbook(&project.join("mdbook"), "bundles-mdbook")?])
    }

    /// The recorded definitions that a server accepts, as HTML pages, a book and a Sphinx project of generated pages.
    fn definitions(&self) -> Result<Vec<PathBuf>, String> {
        let shared = self.workspace.shared_directory();
        if self.definitions.iter().any(|folder| !shared.join(folder).is_dir()) {
            println!("docs: {SHARED}/{} not found, so the real definitions are not built", DEFINITIONS[0]);
            return Ok(Vec::new());
        }
        let project = self.out.join("definitions");
        let _ = fs::remove_dir_all(&project);
        let html = self.out.join("pages/definitions-html");
        let _ = fs::remove_dir_all(&html);
        for (format, folder) in [
            ("html", html.clone()),
            ("markdown", project.join("mdbook/src")),
            ("restructuredtext", project.join("sphinx")),
        ] {
            self.generate(format, &shared, &folder)?;
        }
        let write = |path: &Path, text: &str| {
            fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        write(&project.join("mdbook/src/SUMMARY.md"), &summary(&project.join("mdbook/src"))?)?;
        // The index of the search would have 45 MB.
        write(&project.join("mdbook/book.toml"), "[output.html.search]\nenable = false\n")?;
        write(&project.join("sphinx/conf.py"), "project = \"Definitions\"\n")?;
        let book = self.mdbook(&project.join("mdbook"), "definitions-mdbook")?;
        let sphinx = self.sphinx(SPHINX[0], &project.join("sphinx"), "definitions-sphinx")?;
        Ok(vec![html, book, sphinx])
    }

    /// Generates pages of the definitions in a format. Some that were recorded have errors, then the status is 1.
    fn generate(&self, format: &str, shared: &Path, folder: &Path) -> Result<(), String> {
        println!("docs: kvrules docs --format {format} for {}", self.definitions.join(" and "));
        let mut command = Command::new(self.target.join("debug/kvrules"));
        command.args(["--no-config", "docs", "--keep-going", "--format", format]);
        command.arg("--relative-to").arg(shared).arg("--out-dir").arg(folder);
        command.args(self.definitions.iter().map(|folder| shared.join(folder)));
        let output = command.output().map_err(|error| format!("kvrules could not be started: {error}"))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_written = stderr.lines().any(|line| line.starts_with("wrote "));
        if matches!(output.status.code(), Some(0 | 1)) && is_written {
            return Ok(());
        }
        Err(format!("kvrules docs --format {format}: {}\n{stderr}", output.status))
    }

    /// Follows every link of the pages.
    fn links(&self, sites: &[PathBuf]) -> Result<(), String> {
        let mut links = Command::new(self.python(SPHINX[0]));
        links.args(["-B", "-m", "tests.links"]).args(sites);
        self.run_in(&self.workspace.root.join(PACKAGE), "links", links)
    }

    fn run(&self, what: &str, command: Command) -> Result<(), String> {
        self.run_in(&self.workspace.root, what, command)
    }

    fn run_in(&self, directory: &Path, what: &str, mut command: Command) -> Result<(), String> {
        println!("docs: {what}");
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        spawn(directory, command).map_err(|reason| format!("{what}: {reason}"))
    }
}

/// The table of contents of a book: its index and then all other chapters.
fn summary(folder: &Path) -> Result<String, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(".md") && name != "index.md" && name != "SUMMARY.md").collect();
    names.sort();
    let line = |name: &String| format!("- [{}]({name})\n", name.trim_end_matches(".md"));
    Ok(format!("# Summary\n\n- [Definitions](index.md)\n{}", names.iter().map(line).collect::<String>()))
}

/// The path of the wheel in a folder.
fn find_wheel(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "whl"))
}
