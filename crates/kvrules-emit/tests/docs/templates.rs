//! Templates of the user's own.

use kvrules_emit::Template;

use crate::support::*;

fn with(templates: &[(&str, &str)]) -> Result<String, String> {
    let template =
        |(name, text): &(&str, &str)| Template { name: (*name).to_owned(), text: (*text).to_owned() };
    let templates: Vec<Template> = templates.iter().map(template).collect();
    let files = files("markdown", &[windows()], &templates)?;
    let wording: Vec<String> = files.iter().map(|file| format!("{}: {}", file.path, file.text)).collect();
    Ok(wording.concat())
}

#[test]
fn a_template_replaces_the_built_in_one_of_its_name() {
    let wording = with(&[
        ("markdown/rule_set.md.j2", "{% include \"markdown/_rules.md.j2\" %}"),
        ("markdown/_rules.md.j2", "{% for rule in set.rules %}{{ rule.name }} {% endfor %}"),
        ("markdown/index.md.j2", "{{ sets | length }} {{ version }}"),
        ("restructuredtext/index.rst.j2", "{% not for this target"),
    ]);
    let expected = "index.md: 1 0.0.0\nwindows10-desktop-large.md: minimal-required-memory windows-virtio-bus \
                    windows-disk-bus windows-cd-bus\n";
    assert_eq!(wording.as_deref(), Ok(expected));
}

#[test]
fn a_template_lays_facts_out_without_naming_them() {
    let facts = "{% for fact in facts %}{{ fact.kind }}={{ fact.form }} {% endfor %}";
    let wording = with(&[
        (
            "markdown/rule_set.md.j2",
            "{% set facts = set.rules[0].facts %}{% include \"markdown/_facts.md.j2\" %}",
        ),
        ("markdown/_facts.md.j2", facts),
        ("markdown/index.md.j2", ""),
    ]);
    let expected = "index.md: \nwindows10-desktop-large.md: field=line type=line limits=line absence=line condition=line \
                    severity=line message=line\n";
    assert_eq!(wording.as_deref(), Ok(expected));
}

#[test]
fn a_broken_template_is_named_with_its_line_and_what_is_wrong() {
    let wrong = |name, text| with(&[(name, text)]).unwrap_err();
    let lines = [
        wrong("markdown/index.md.j2", "a\n{% for %}"),
        wrong("markdown/rule_set.md.j2", "a\n\n{{ set.titel }}"),
        wrong("markdown/rule_set.md.j2", "{{ set.title | loud }}"),
        wrong("markdown/index.md.j2", "{% include \"markdown/_x.md.j2\" %}"),
        wrong("markdown/ruleset.md.j2", ""),
        with(&[
            ("markdown/index.md.j2", "\n{% include \"markdown/_x.md.j2\" %}"),
            ("markdown/_x.md.j2", "\n\n{{ y }}"),
        ])
        .unwrap_err(),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}
