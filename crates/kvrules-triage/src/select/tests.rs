//! Selection of findings: codes, severities, ignores next to them.

use kvrules_diagnostics::FileId;

use super::*;

/// A rule with KV303 in its fourth line and KV106 in its third.
const RULES: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile::new(FileId(0), name, text)
}

fn reported(source: &SourceFile, found: &[Diagnostic]) -> Vec<String> {
    let line = |found: &Diagnostic| {
        let at = source.position_at(found.primary.span.start);
        format!("{}:{} {}", at.line, at.column, found.code)
    };
    found.iter().map(line).collect()
}

/// Returns the shown and the ignored findings of a text, with notes left out.
fn applied(name: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let source = file(name, text);
    let reading = kvrules_sources::read_rules(&source);
    let selected = LintSelection::default().select_findings(&reading, &source, None);
    assert!(selected.unselected.is_empty());
    let serious = |found: Vec<Diagnostic>| -> Vec<Diagnostic> {
        found.into_iter().filter(|found| found.level > Level::Info).collect()
    };
    (reported(&source, &serious(selected.shown)), reported(&source, &serious(selected.ignored)))
}

fn yaml(text: &str) -> (Vec<String>, Vec<String>) {
    applied("a.yaml", text)
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn choice(select: Option<&str>, ignore: &str, severity: &[(&str, Grade)]) -> LintChoice {
    let all = |text: &str| text.split_whitespace().map(|one| one.parse().unwrap()).collect();
    LintChoice {
        select: select.map(all),
        ignore: all(ignore),
        severity: severity.iter().map(|(text, grade)| (text.parse().unwrap(), *grade)).collect(),
    }
}

/// The codes that count by these choices, of `RULES` in a file of this name.
fn counting(choices: &[LintChoice]) -> Vec<String> {
    let source = file("a.yaml", RULES);
    let reading = kvrules_sources::read_rules(&source);
    let selected = LintSelection::new(choices, Vec::new()).select_findings(&reading, &source, None);
    let all = selected.shown.len() + selected.ignored.len() + selected.unselected.len();
    assert_eq!(all, reading.diagnostics.len(), "nothing is lost");
    selected.shown.iter().map(|found| format!("{} {}", found.code, found.level.as_str())).collect()
}

#[test]
fn without_a_choice_everything_counts() {
    assert_eq!(counting(&[]), ["KV106 warning", "KV303 warning"]);
}

#[test]
fn what_is_ignored_does_not_count() {
    assert_eq!(counting(&[choice(None, "KV106", &[])]), ["KV303 warning"]);
    assert_eq!(counting(&[choice(None, "unguarded-optional", &[])]), ["KV106 warning"]);
    assert!(counting(&[choice(None, "ALL", &[])]).is_empty());
}

#[test]
fn the_closer_entry_wins_and_between_equals_ignore() {
    assert_eq!(counting(&[choice(Some("KV303"), "KV3", &[])]), ["KV303 warning"]);
    assert_eq!(counting(&[choice(Some("ALL"), "KV3", &[])]), ["KV106 warning"]);
    assert_eq!(counting(&[choice(Some("KV30 KV1"), "KV3", &[])]), ["KV106 warning", "KV303 warning"]);
    assert!(counting(&[choice(Some("KV3"), "KV3", &[])]).is_empty());
}

#[test]
fn a_select_of_the_command_line_replaces_what_the_configuration_chose() {
    let configured = choice(Some("KV1"), "KV106", &[]);
    assert!(counting(std::slice::from_ref(&configured)).is_empty());
    assert_eq!(counting(&[configured.clone(), choice(Some("KV106"), "", &[])]), ["KV106 warning"]);
    // Without a `select`, the options of the command line are added to the configuration.
    let configured = choice(Some("KV1 KV3"), "", &[]);
    assert_eq!(counting(&[configured, choice(None, "KV1", &[])]), ["KV303 warning"]);
}

#[test]
fn the_closest_severity_counts() {
    let severity = [("ALL", Grade::Info), ("KV10", Grade::Error), ("KV1", Grade::Warning)];
    assert_eq!(counting(&[choice(None, "", &severity)]), ["KV106 error", "KV303 info"]);
    assert_eq!(counting(&[choice(None, "", &[("KV3", Grade::Off)])]), ["KV106 warning"]);
    let later = choice(None, "", &[("KV1", Grade::Info)]);
    assert_eq!(counting(&[choice(None, "", &severity), later]), ["KV106 info", "KV303 info"]);
}

#[test]
fn lints_can_be_off_in_some_files() {
    let per_file = || PerFileIgnores {
        files: FilePattern::new("old/**").unwrap(),
        ignore: vec!["KV3".parse().unwrap()],
    };
    let source = file("whatever", RULES);
    let reading = kvrules_sources::read_rules(&source);
    let shown = |path: Option<&str>| {
        let selection = LintSelection::new(&[], vec![per_file()]);
        let selected = selection.select_findings(&reading, &source, path.map(Path::new));
        selected.shown.into_iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(shown(Some("old/a.yaml")), ["KV106"]);
    assert_eq!(shown(Some("new/a.yaml")), ["KV106", "KV303"]);
    assert_eq!(shown(None), ["KV106", "KV303"]);
}

#[test]
fn a_key_ignores_findings_in_its_rule_and_nowhere_else() {
    let two = r#"vm.kubevirt.io/validations: |
  [{
    "name": "a", "rule": "integer", "message": "at most 8 cores", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.cores", "max": 8, "x-kvrules-ignore": ["KV303", "unknown_key"]
  }, {
    "name": "b", "rule": "integer", "message": "at most 8 threads", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.threads", "max": 8, "x-kvrules-ignore": "KV1, KV3"
  }, {
    "name": "c", "rule": "integer", "message": "at most 8 sockets", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.sockets", "max": 8
  }]
"#;
    let (shown, ignored) = yaml(two);
    assert_eq!(shown, ["9:69 KV106", "10:37 KV303"]);
    assert_eq!(ignored, ["3:67 KV106", "4:37 KV303", "6:69 KV106", "7:37 KV303"]);
}

#[test]
fn a_comment_at_a_block_is_for_all_of_it() {
    for text in [
        format!("# kvrules: ignore[KV303] known\n{RULES}"),
        format!("# kvrules: ignore[KV303]\n# and more to say\n{RULES}"),
        RULES.replacen("|\n", "| # kvrules: ignore[KV303]\n", 1),
        RULES.replacen("|\n", "|\t#kvrules:ignore [ KV303 ]\n", 1),
        format!("# words # kvrules: ignore[unguarded-optional]\n{RULES}"),
        format!("# licence\n\n# kvrules: ignore-file[KV303]\n---\n{RULES}"),
        format!("\u{feff}%YAML 1.2\n# kvrules: ignore-file[KV303]\n---\n{RULES}"),
        format!("# kvrules: ignore[KV303]\r\n{}", RULES.replace('\n', "\r\n")),
    ] {
        let (shown, ignored) = yaml(&text);
        assert!(shown.len() == 1 && shown[0].ends_with("KV106"), "{text}\n{shown:?}");
        assert!(ignored.len() == 1 && ignored[0].ends_with("KV303"), "{text}\n{ignored:?}");
    }
}

#[test]
fn a_comment_is_for_its_line_or_the_next_and_not_for_others() {
    let list = "- name: cores\n  rule: integer\n  message: at most 8 cores\n  # kvrules: ignore[KV106]\n  colour: red\n  \
                path: jsonpath::.spec.domain.cpu.cores # kvrules: ignore[KV303]\n  max: 8\n  shade: dark\n";
    let (shown, ignored) = yaml(list);
    assert_eq!(ignored, ["5:3 KV106", "6:32 KV303"]);
    assert!(shown.contains(&"8:3 KV106".to_owned()), "{shown:?}");
    assert!(!shown.iter().any(|shown| shown.contains("KV951")), "{shown:?}");
    // A blank line between the two is one too many.
    let (shown, ignored) = yaml(&format!("# kvrules: ignore[KV303]\n\n{RULES}"));
    assert_eq!(shown, ["1:19 KV951", "5:71 KV106", "6:37 KV303"]);
    assert!(ignored.is_empty());
}

#[test]
fn a_comment_at_either_end_of_a_tall_string_is_for_all_of_it() {
    let quoted = "validations: '[{\"name\": \"cores\", \"rule\": \"integer\", \"message\": \"at most 8\",\n  \
                  \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 8}]' # kvrules: ignore[KV3]\n";
    let (shown, ignored) = yaml(quoted);
    assert!(ignored.iter().any(|ignored| ignored.ends_with("KV303")), "{shown:?} {ignored:?}");
    assert!(!shown.iter().any(|shown| shown.ends_with("KV951")), "{shown:?}");
}

#[test]
fn a_hash_inside_a_text_is_no_comment() {
    let inside = RULES.replacen("  [{", "  # kvrules: ignore[KV303]\n  [{", 1);
    let (shown, ignored) = yaml(&inside);
    assert!(ignored.is_empty() && !shown.iter().any(|shown| shown.contains("KV95")), "{shown:?}");
    for text in [
        "note: '# kvrules: ignore[KV303]'\n",
        "note: \"a\n  # kvrules: ignore[KV9\"\n",
        "note: a#kvrules: ignore[K]\n",
    ] {
        let (shown, ignored) = yaml(&format!("{text}{RULES}"));
        assert!(ignored.is_empty() && !shown.iter().any(|shown| shown.contains("KV95")), "{text}: {shown:?}");
    }
}

#[test]
fn in_markdown_comments_count_inside_of_examples_with_rules() {
    let page = |head: &str| {
        format!(
            "# kvrules: ignore[KV303]\n\n```yaml\na: 1 # kvrules: ignore\n```\n\n```yaml\n{head}{RULES}```\n"
        )
    };
    let (shown, ignored) = applied("a.md", &page(""));
    assert_eq!((shown, ignored.len()), (owned(&["10:71 KV106", "11:37 KV303"]), 0));
    for word in ["ignore", "ignore-file"] {
        let (shown, ignored) = applied("a.md", &page(&format!("# kvrules: {word}[KV303]\n")));
        assert_eq!((shown, ignored), (owned(&["11:71 KV106"]), owned(&["12:37 KV303"])));
    }
    let example = format!("# kvrules: ignore[KV303]\n{RULES}");
    let quoted: String = example.lines().flat_map(|line| ["> ", line, "\n"]).collect();
    let (_, ignored) = applied("a.md", &format!("> ```yaml\n{quoted}> ```\n"));
    assert_eq!(ignored.len(), 1);
}

#[test]
fn ignores_that_do_nothing_are_told() {
    let reported = |line: &str| yaml(&format!("{line}\n{RULES}")).0;
    let rest = ["4:71 KV106", "5:37 KV303"];
    let with = |own: &str| owned(&[&[own], &rest[..]].concat());
    assert_eq!(reported("# kvrules: ignore[KV201]"), with("1:19 KV951"));
    assert_eq!(reported("# kvrules: ignore[KV899]"), with("1:19 KV952"));
    assert_eq!(reported("# kvrules: ignore"), with("1:1 KV953"));
    assert_eq!(reported("# kvrules: ignore[]"), with("1:1 KV953"));
    assert_eq!(reported("# kvrules: ignore[ALL]"), with("1:1 KV953"));
    assert_eq!(reported("# kvrules: ignroe[KV303]"), with("1:1 KV954"));
    assert_eq!(reported("# kvrules: [KV303]"), with("1:1 KV954"));
    assert_eq!(reported("# kvrules: ignore[KV303"), with("1:1 KV954"));
    // A comment in plain words is not an error.
    assert_eq!(reported("# kvrules: see the book"), rest);
    assert_eq!(
        reported("a: 1 # kvrules: ignore[KV1] # kvrules: ignore[KV2]"),
        ["1:24 KV951", "1:47 KV951", "4:71 KV106", "5:37 KV303"][..]
    );
    let below = yaml(&format!("{RULES}# kvrules: ignore-file[KV303]\n")).0;
    assert_eq!(below, ["3:71 KV106", "4:37 KV303", "6:1 KV954"]);
    for value in ["3", "true", "{}", "[1]"] {
        let text = RULES.replace("\"max\": 8", &format!("\"max\": 8, \"x-kvrules-ignore\": {value}"));
        assert!(yaml(&text).0.contains(&"4:59 KV954".to_owned()), "{value}");
    }
}

#[test]
fn each_entry_of_a_list_is_judged_by_itself() {
    let (shown, ignored) = yaml(&format!("# kvrules: ignore[KV303, KV2, KV105 kv1]\n{RULES}"));
    assert_eq!(shown, ["1:26 KV951", "1:31 KV951"]);
    assert_eq!(ignored, ["4:71 KV106", "5:37 KV303"]);
}

#[test]
fn what_is_for_lints_that_do_not_count_is_not_unused() {
    let source = file("a.yaml", &format!("# kvrules: ignore[KV201, KV105]\n{RULES}"));
    let reading = kvrules_sources::read_rules(&source);
    let selection = LintSelection::new(&[choice(None, "KV201", &[])], Vec::new());
    let shown = selection.select_findings(&reading, &source, None).shown;
    assert_eq!(reported(&source, &shown), ["1:26 KV951", "4:71 KV106", "5:37 KV303"]);
    let selection = LintSelection::new(&[choice(None, "KV951", &[])], Vec::new());
    assert_eq!(selection.select_findings(&reading, &source, None).shown.len(), 2, "KV951 does not count");
}

#[test]
fn where_a_text_is_broken_nothing_is_called_unused() {
    let broken = format!("# kvrules: ignore[KV201]\n{}", RULES.replace("\"max\": 8", "\"max\": 8,,"));
    let (shown, _) = yaml(&broken);
    assert!(shown.iter().any(|shown| shown.contains("KV0")), "{shown:?}");
    assert!(!shown.iter().any(|shown| shown.contains("KV951")), "{shown:?}");
}

#[test]
fn what_is_said_about_ignores_can_be_ignored() {
    let (shown, ignored) = yaml(&format!("# kvrules: ignore-file[KV951]\n# kvrules: ignore[KV201]\n{RULES}"));
    assert_eq!((shown.len(), ignored), (2, owned(&["2:19 KV951"])));
}

#[test]
fn many_ignores_at_one_place_take_no_time() {
    let text = "# kvrules: ignore[KV303, KV201]\n".repeat(20_000) + RULES;
    let (shown, ignored) = yaml(&text);
    assert_eq!((shown.len(), ignored.len()), (20_001, 1));
}

#[test]
fn the_severity_of_a_finding_does_not_matter_to_what_hides_others() {
    let source = file("a.yaml", "# kvrules: ignore[KV201]\nvalidations: '[{]'\n");
    let reading = kvrules_sources::read_rules(&source);
    let quiet = LintSelection::new(&[choice(None, "KV0", &[])], Vec::new());
    assert!(quiet.select_findings(&reading, &source, None).shown.iter().all(|found| found.code != "KV951"));
}

#[test]
fn every_finding_is_shown_or_ignored_or_unselected_and_never_two_of_them() {
    let choices = [
        choice(None, "", &[]),
        choice(Some("KV1 KV3 missing_prefix"), "KV10", &[("KV4", Grade::Info)]),
        choice(None, "KV0 KV2", &[("ALL", Grade::Error)]),
    ];
    let heads = [
        "",
        "# kvrules: ignore-file[KV1, KV2, KV4]\n",
        "# kvrules: ignore[KV3 KV10]\n",
        "# kvrules: ignore\n",
    ];
    let (mut seen, mut ignored) = (0, 0);
    for ((_, page), head) in crate::registry::all_pages().flat_map(|page| heads.map(|head| (page, head))) {
        let source = file("page.md", &page.replace("```yaml\n", &format!("```yaml\n{head}")));
        let reading = kvrules_sources::read_rules(&source);
        for choice in &choices {
            let selected = LintSelection::new(std::slice::from_ref(choice), Vec::new())
                .select_findings(&reading, &source, None);
            let own = |found: &&Diagnostic| !found.code.starts_with("KV95");
            let parts =
                selected.shown.iter().filter(own).chain(&selected.ignored).chain(&selected.unselected);
            let key = |found: &Diagnostic| (found.primary.span, found.code, found.message.clone());
            let mut parts: Vec<_> = parts.map(key).collect();
            parts.sort();
            let mut all: Vec<_> = reading.diagnostics.iter().map(key).collect();
            all.sort();
            assert_eq!(parts, all, "{head}{page}");
            seen += all.len();
            ignored += selected.ignored.len();
        }
    }
    assert!(seen > 1000 && ignored > 100, "{seen} findings, {ignored} of them ignored");
}
