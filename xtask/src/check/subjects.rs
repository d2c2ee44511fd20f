//! Subjects of commits since the last release. Without a release tag they are checked from the commit that added the
//! list of words.

use std::path::Path;
use std::process::Command;

use super::words;
use crate::workspace::Finding;

const LENGTH: usize = 72;

/// Result of the check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subjects {
    /// The findings, the number of commits, and the commit or tag after which they begin.
    Checked { findings: Vec<Finding>, commits: usize, since: String },
    /// Reason why nothing was checked.
    Skipped(String),
}

pub(super) fn check(root: &Path) -> Subjects {
    let Some(top) = git(root, &["rev-parse", "--show-toplevel"]) else {
        return Subjects::Skipped("no git repository".into());
    };
    // A copy of the sources inside another repository has other commits.
    if Path::new(&top).canonicalize().ok() != root.canonicalize().ok() {
        return Subjects::Skipped("no git repository of its own".into());
    }
    if git(root, &["rev-parse", "--is-shallow-repository"]).as_deref() != Some("false") {
        return Subjects::Skipped("shallow clone; run `git fetch --unshallow --tags`".into());
    }
    let tag = git(root, &["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]);
    let since = tag.or_else(|| {
        let added = git(root, &["log", "--diff-filter=A", "--format=%h", "--", words::LIST])?;
        added.lines().last().map(str::to_owned)
    });
    let Some(since) = since else {
        return Subjects::Skipped(format!("no release tag, and no commit that adds {}", words::LIST));
    };
    let range = format!("{since}..HEAD");
    let Some(log) = git(root, &["log", "--no-merges", "--format=%h %s", &range]) else {
        return Subjects::Skipped(format!("no log of {range}"));
    };
    Subjects::Checked { findings: findings(&log), commits: log.lines().count(), since }
}

/// Returns the violations in lines of a short id and a subject.
fn findings(log: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in log.lines() {
        let Some((id, subject)) = line.split_once(' ') else { continue };
        let length = subject.chars().count();
        if length > LENGTH {
            let text = format!(
                "subject of commit {id} has {length} characters, more than {LENGTH}; reword it, and move details to the body"
            );
            findings.push(Finding::new("git log", 1, text));
        }
    }
    findings
}

/// Standard output of a git command that succeeds and has any.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim_end().to_owned();
    (output.status.success()).then_some(text).filter(|text| !text.is_empty() || args[0] == "log")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A folder for one test, empty at first and removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("xtask-subjects-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("xtask")).unwrap();
            Self(path)
        }

        fn git(&self, args: &[&str]) {
            let identity =
                ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
            let output = Command::new("git").args(identity).args(args).current_dir(&self.0).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }

        fn commit(&self, subject: &str) {
            self.git(&["commit", "--quiet", "--no-verify", "--allow-empty", "-m", subject]);
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_subject_of_seventy_two_characters_passes_and_one_more_does_not() {
        assert_eq!(findings(&format!("abc {}\n", "é".repeat(72))), []);
        let found = findings(&format!("abc Fix\ndef {}\n", "x".repeat(73)));
        assert_eq!(found.len(), 1);
        assert!(found[0].text.starts_with("subject of commit def has 73 characters"), "{found:?}");
    }

    #[test]
    fn commits_are_checked_from_the_list_of_words_or_the_last_tag() {
        let folder = Folder::new("range");
        folder.git(&["init", "--quiet"]);
        folder.commit(&"before ".repeat(20));
        assert!(matches!(check(&folder.0), Subjects::Skipped(_)));
        fs::write(folder.0.join(words::LIST), "").unwrap();
        folder.git(&["add", "."]);
        folder.commit(&"begin ".repeat(20));
        folder.commit(&"planted ".repeat(20));
        folder.commit("Fix");
        let Subjects::Checked { findings, commits, .. } = check(&folder.0) else { panic!("skipped") };
        assert_eq!((findings.len(), commits), (1, 2));
        folder.git(&["tag", "v1.0.0"]);
        let expected = Subjects::Checked { findings: Vec::new(), commits: 0, since: "v1.0.0".into() };
        assert_eq!(check(&folder.0), expected);
    }

    #[test]
    fn a_folder_without_git_and_a_shallow_clone_are_skipped() {
        let folder = Folder::new("shallow");
        assert!(matches!(check(&folder.0), Subjects::Skipped(_)));
        folder.git(&["init", "--quiet", "whole"]);
        let whole = Folder(folder.0.join("whole"));
        whole.commit("One");
        whole.commit("Two");
        let from = format!("file://{}", whole.0.display());
        folder.git(&["clone", "--quiet", "--depth", "1", &from, "part"]);
        assert_eq!(
            check(&folder.0.join("part")),
            Subjects::Skipped("shallow clone; run `git fetch --unshallow --tags`".into())
        );
    }
}
