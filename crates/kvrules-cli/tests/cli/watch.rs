//! `check --watch`: what is saved, made or removed is seen, however it is saved.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::place::{BAD, GOOD, ODD, Place};

/// Guards against an answer that never comes: nothing is asserted about how long one takes.
const HANG: Duration = Duration::from_secs(600);

/// A running `check --watch`, and the lines that it prints on both streams.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(place: &Place, args: &[&str]) -> Self {
        Self::start_command(place, &[&["check", "--watch", "--output-format", "concise"], args].concat())
    }

    fn start_command(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(args);
        // One pipe for both streams keeps the order in which they are written.
        let (reader, writer) = std::io::pipe().unwrap();
        let child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(reader).lines();
            lines.map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    /// The lines up to the one that says that it waits for the next change.
    fn answer(&self) -> Vec<String> {
        let mut answer = Vec::new();
        loop {
            match self.lines.recv_timeout(HANG) {
                Ok(line) if line.starts_with("watching for changes") => return answer,
                Ok(line) => answer.push(line),
                Err(error) => panic!("{error}; so far {answer:?}"),
            }
        }
    }

    /// Saves a text in a file that is watched, and tells whether the next answer is about that alone: what happened before gave
    /// none.
    fn answers_only(&self, place: &Place, name: &str, text: &str) -> bool {
        place.write(name, format!("{text}# saved again\n"));
        let answer = self.answer();
        let changed: Vec<_> = answer.iter().filter(|line| line.starts_with("changed: ")).collect();
        changed == [&format!("changed: {name}")]
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The codes of the findings in an answer, and its summary behind the colon.
fn reported(answer: &[String]) -> (Vec<&str>, &str) {
    let codes =
        answer.iter().filter_map(|line| line.split_once('[')?.1.split_once(']')).map(|(code, _)| code);
    let summary = answer.iter().find_map(|line| line.strip_prefix("checked ")?.split_once(": "));
    (codes.collect(), summary.map_or("", |(_, found)| found))
}

#[test]
fn a_file_that_is_saved_is_checked_again() {
    let place = Place::with(&[("a.yaml", GOOD), ("b.yaml", ODD)]);
    let watch = Watch::start(&place, &["a.yaml", "b.yaml"]);
    assert_eq!(reported(&watch.answer()), (vec!["KV106"], "1 warning"));
    place.write("a.yaml", BAD);
    let answer = watch.answer();
    assert_eq!(reported(&answer), (vec!["KV205", "KV106"], "1 error, 1 warning"));
    assert!(answer.contains(&"changed: a.yaml".to_owned()), "{answer:?}");
    place.write("a.yaml", GOOD);
    assert_eq!(reported(&watch.answer()), (vec!["KV106"], "1 warning"));
}

#[test]
fn a_file_that_is_saved_under_another_name_and_moved_into_place_is_checked_again() {
    let place = Place::with(&[("d/a.yaml", GOOD)]);
    for arguments in [["d/a.yaml"], ["d"]] {
        place.write("d/a.yaml", GOOD);
        let watch = Watch::start(&place, &arguments);
        watch.answer();
        place.write("d/.a.yaml.new", BAD);
        fs::rename(place.path("d/.a.yaml.new"), place.path("d/a.yaml")).unwrap();
        assert_eq!(reported(&watch.answer()).1, "1 error");
        // Move the old file away first, as some editors do.
        fs::rename(place.path("d/a.yaml"), place.path("d/a.yaml~")).unwrap();
        place.write("d/a.yaml", ODD);
        assert_eq!(reported(&watch.answer()).1, "1 warning");
        fs::remove_file(place.path("d/a.yaml~")).unwrap();
        assert!(watch.answers_only(&place, "d/a.yaml", ODD));
    }
}

#[test]
fn what_does_not_change_a_text_is_passed_over() {
    let place = Place::with(&[("d/a.yaml", GOOD), ("d/b.yaml", GOOD)]);
    let watch = Watch::start(&place, &["d"]);
    watch.answer();
    place.write("d/a.yaml", GOOD);
    place.write("d/other.txt", "x");
    place.write("other.yaml", BAD);
    fs::read(place.path("d/a.yaml")).unwrap();
    assert!(watch.answers_only(&place, "d/b.yaml", GOOD));
}

#[test]
fn files_and_directories_that_come_and_go_are_seen() {
    let place = Place::with(&[("d/a.yaml", GOOD)]);
    let watch = Watch::start(&place, &["d"]);
    assert_eq!(reported(&watch.answer()).1, "no findings");
    place.write("d/b.yaml", BAD);
    assert_eq!(reported(&watch.answer()), (vec!["KV205"], "1 error"));
    fs::remove_file(place.path("d/b.yaml")).unwrap();
    assert_eq!(reported(&watch.answer()).1, "no findings");
    for text in [GOOD.to_owned(), format!("# saved before\n{GOOD}")] {
        fs::create_dir_all(place.path("d/new/deep")).unwrap();
        assert!(watch.answers_only(&place, "d/a.yaml", &text));
        place.write("d/new/deep/c.yaml", ODD);
        assert_eq!(reported(&watch.answer()), (vec!["KV106"], "1 warning"));
        place.write("d/new/deep/c.yaml", BAD);
        assert_eq!(reported(&watch.answer()), (vec!["KV205"], "1 error"));
        fs::remove_dir_all(place.path("d/new")).unwrap();
        assert_eq!(reported(&watch.answer()).1, "no findings");
    }
}

#[test]
fn a_named_file_that_goes_is_missed_until_it_is_back() {
    let place = Place::with(&[("a.yaml", GOOD)]);
    let watch = Watch::start(&place, &["a.yaml"]);
    watch.answer();
    fs::remove_file(place.path("a.yaml")).unwrap();
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.starts_with("error: a.yaml: no such file")), "{answer:?}");
    place.write("a.yaml", ODD);
    assert_eq!(reported(&watch.answer()).1, "1 warning");
}

#[test]
fn a_configuration_that_changes_is_read_again() {
    let place = Place::with(&[("kvrules.toml", "inputs = ['a.yaml']\n"), ("a.yaml", GOOD), ("b.yaml", BAD)]);
    let watch = Watch::start(&place, &[]);
    assert_eq!(reported(&watch.answer()).1, "no findings");
    place.write("kvrules.toml", "inputs = ['b.yaml']\n");
    assert_eq!(reported(&watch.answer()).1, "1 error");
    place.write("kvrules.toml", "input = []\n");
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.contains("unknown key `input`")), "{answer:?}");
    place.write("kvrules.toml", "inputs = ['a.yaml']\n");
    assert_eq!(reported(&watch.answer()).1, "no findings");
}

#[test]
fn a_schema_that_changes_is_read_again() {
    let pond = |field: &str| format!("type: object\nproperties:\n  {field}: {{type: integer}}\n");
    let rules = GOOD.replace(".spec.domain.cpu.cores", ".depth");
    let place = Place::with(&[("pond.yaml", pond("depth").as_str()), ("a.yaml", &rules)]);
    let watch = Watch::start(&place, &["a.yaml", "--schema", "pond.yaml"]);
    assert_eq!(reported(&watch.answer()).0.iter().filter(|code| **code == "KV205").count(), 0);
    place.write("pond.yaml", pond("width"));
    assert!(reported(&watch.answer()).0.contains(&"KV205"));
}

#[test]
fn a_baseline_that_changes_is_read_again() {
    let place = Place::with(&[("a.yaml", ODD)]);
    let accept = |names: &[&str]| {
        let args = ["check", "--quiet", "--baseline", "b.json", "--write-baseline"];
        assert_eq!(place.run(&[&args, names].concat()).code, Some(0));
    };
    accept(&["a.yaml"]);
    let accepted = place.read("b.json");
    let watch = Watch::start(&place, &["a.yaml", "--baseline", "b.json"]);
    assert!(reported(&watch.answer()).0.is_empty());
    place.write("b.json", "{");
    assert!(watch.answer().iter().any(|line| line.starts_with("error")));
    fs::remove_file(place.path("b.json")).unwrap();
    assert!(watch.answer().iter().any(|line| line.starts_with("error: cannot read the baseline")));
    place.write("b.json", &accepted);
    assert!(reported(&watch.answer()).0.is_empty());
}

#[test]
#[cfg(unix)]
fn a_file_behind_a_link_is_watched_where_it_lies() {
    let place = Place::with(&[("store/one.yaml", GOOD), ("store/two.yaml", BAD), ("d/none.txt", "")]);
    let link = |to: &str| {
        std::os::unix::fs::symlink(place.path(to), place.path("d/new")).unwrap();
        fs::rename(place.path("d/new"), place.path("d/a.yaml")).unwrap();
    };
    link("store/one.yaml");
    let watch = Watch::start(&place, &["--follow-links", "d"]);
    watch.answer();
    place.write("store/one.yaml", ODD);
    assert_eq!(reported(&watch.answer()).1, "1 warning");
    link("store/two.yaml");
    assert_eq!(reported(&watch.answer()).1, "1 error");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it() {
    use std::os::unix::process::ExitStatusExt as _;
    const INTERRUPT: i32 = 2;
    // A job that a shell started in the background ignores interrupts, and so do its children.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    if u64::from_str_radix(ignored.trim(), 16).unwrap() & (1 << (INTERRUPT - 1)) != 0 {
        eprintln!("skipped: interrupting `check --watch`: interrupts are ignored here");
        return;
    }
    let place = Place::with(&[("a.yaml", BAD)]);
    let mut watch = Watch::start(&place, &["a.yaml"]);
    watch.answer();
    let id = watch.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // A shell reports this as 130.
    assert_eq!(watch.child.wait().unwrap().signal(), Some(INTERRUPT));
    assert_eq!(place.files("."), ["a.yaml"], "nothing is left behind");
}

#[test]
fn standard_input_cannot_be_watched() {
    let run = Place::with(&[]).run_with_input(&["check", "--watch", "-"], GOOD);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "error: standard input (`-`) cannot be watched\n");
}

const SUITE: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleTests
rules: [../policy.yaml]
base: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {size: small}}
cases:
- {name: a small one is accepted, expect: accept}
";

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - {expression: object.data.size == 'small', message: must be small}
";

#[test]
fn suites_run_again_after_a_change_of_their_rules_or_cases() {
    let place = Place::with(&[("policy.yaml", POLICY), ("suites/sizes.test.yaml", SUITE)]);
    let watch = Watch::start_command(&place, &["test", "--watch", "suites"]);
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.contains("1 case passed")), "{answer:?}");
    // The rules are outside of the folder that is searched.
    place.write("policy.yaml", POLICY.replace("== 'small'", "== 'large'"));
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line == "changed: policy.yaml"), "{answer:?}");
    assert!(answer.iter().any(|line| line.contains("0 cases passed, 1 failed")), "{answer:?}");
    place.write("suites/sizes.test.yaml", SUITE.replace("expect: accept", "expect: reject"));
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.contains("1 case passed")), "{answer:?}");
    // A new suite counts too, and one that cannot be read is an error that does not end the run.
    place.write("suites/other.test.yaml", SUITE.replace("[../policy.yaml]", "[../none.yaml]"));
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.contains("none.yaml")), "{answer:?}");
    place.write("none.yaml", POLICY);
    let answer = watch.answer();
    assert!(answer.iter().any(|line| line.contains("2 cases passed")), "{answer:?}");
}
