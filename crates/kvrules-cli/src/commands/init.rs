//! `kvrules init`: a configuration, an example for the kind of the project, and a job for continuous integration, to begin with.

mod project;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use self::project::{Project, ProjectKind};
use crate::failure::{Failure, Status};
use crate::outputs::create_all;
use crate::paths;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules init                  in the working directory
  kvrules init pond --ci none   in a directory, which is created if missing
  kvrules init --ci pre-commit

The example is for what the directory already has: templates, CustomResourceDefinitions, admission policies or flavors; \
else it is a RuleSet with examples.

Existing files are never changed: if one exists, nothing is written.";

/// Create a configuration, an example and a CI job
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// Directory to write to
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// CI system that checks the rules [default: gitlab if there is a .gitlab-ci.yml, else github]
    #[arg(long, value_name = "SYSTEM", value_enum)]
    ci: Option<Ci>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ci {
    /// A workflow in .github/workflows
    Github,
    /// A job in .gitlab, for .gitlab-ci.yml to include
    Gitlab,
    /// A hook in .pre-commit-config.yaml
    PreCommit,
    /// No CI job
    None,
}

/// A file and its content.
type StarterFile = (&'static str, &'static str);

const VERSION: &str = env!("CARGO_PKG_VERSION");
const CONFIGURATION: StarterFile = ("kvrules.toml", include_str!("init/kvrules.toml"));

impl Ci {
    fn part(self) -> Option<StarterFile> {
        match self {
            Self::Github => Some((".github/workflows/kvrules.yml", include_str!("init/github.yaml"))),
            Self::Gitlab => Some((".gitlab/kvrules.yml", include_str!("init/gitlab.yaml"))),
            Self::PreCommit => Some((".pre-commit-config.yaml", include_str!("init/pre-commit.yaml"))),
            Self::None => None,
        }
    }

    /// Returns the remaining step that the user must take so that it runs.
    fn step(self) -> Option<&'static str> {
        match self {
            Self::Gitlab => Some("`include` .gitlab/kvrules.yml in .gitlab-ci.yml"),
            Self::PreCommit => Some("run `pre-commit install`"),
            Self::Github | Self::None => None,
        }
    }
}

impl Init {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let ci = self.ci.unwrap_or_else(|| detect_ci(&self.directory));
        let project = Project::find_kind(&self.directory);
        let examples = project.kind.examples.iter().copied();
        let parts: Vec<_> = [CONFIGURATION].into_iter().chain(examples).chain(ci.part()).collect();
        let files: Vec<_> = parts.iter().map(|(name, text)| (self.directory.join(name), *text)).collect();
        let taken: Vec<_> = files.iter().filter(|(path, _)| path.symlink_metadata().is_ok()).collect();
        if !taken.is_empty() {
            let names: Vec<_> =
                taken.iter().map(|(path, _)| format!("`{}`", paths::display_path(path))).collect();
            let verb = if taken.len() == 1 { "exists" } else { "exist" };
            let message = format!("{} already {verb}; nothing was written", names.join(", "));
            return Err(Failure::new(message).help(help_about(&taken, ci)));
        }
        // The job installs the same release as this one.
        let complete = |text: &str| {
            let text = text.replace("@VERSION@", VERSION).replace("@TARGETS@", project.kind.targets);
            text.replace("@INPUTS@", &project.inputs_line())
        };
        let texts: Vec<_> = files.iter().map(|(_, text)| complete(text)).collect();
        let written: Vec<_> =
            files.iter().zip(&texts).map(|((path, _), text)| (path.as_path(), text.as_str())).collect();
        create_all(&written)?;
        for (path, _) in &files {
            terminal.print(&format!("wrote {}\n", paths::display_path(path)))?;
        }
        if let Some(found) = project.describe_found() {
            terminal.print_status(&found);
        }
        self.next(ci, project.kind, terminal);
        Ok(Status::Clean)
    }

    fn next(&self, ci: Ci, kind: &ProjectKind, terminal: &Terminal) {
        let mut steps = Vec::new();
        if self.directory != Path::new(".") {
            steps.push(format!("cd {}", paths::display_path(&self.directory)));
        }
        steps.extend(kind.steps.iter().copied().map(str::to_owned));
        steps.extend(ci.step().map(str::to_owned));
        terminal.print_status(&format!("\nnext steps ({}):", count_noun(steps.len(), "step")));
        for step in steps {
            terminal.print_status(&format!("  {step}"));
        }
    }
}

/// Returns what to do about files that exist.
fn help_about(taken: &[&(PathBuf, &str)], ci: Ci) -> String {
    let is_job = |path: &PathBuf| ci.part().is_some_and(|(name, _)| path.ends_with(name));
    if taken.iter().all(|(path, _)| is_job(path)) {
        "`--ci none` leaves out the CI job".to_owned()
    } else {
        format!("name another directory, or remove {}", if taken.len() == 1 { "it" } else { "them" })
    }
}

/// Returns the CI that a directory seems to use.
fn detect_ci(directory: &Path) -> Ci {
    let gitlab = [".gitlab-ci.yml", ".gitlab"].iter().any(|name| directory.join(name).exists());
    if gitlab { Ci::Gitlab } else { Ci::Github }
}
