//! Output of each format, for one small set of findings.

use crate::sample::{render, sample};
use kvrules_diagnostics::Sources;
use kvrules_diagnostics::render::{RenderFormat, RenderOptions};

#[test]
fn human_quotes_the_source_with_carets() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Human, &diagnostics, &sources), @r#"
    error[KV102]: the rule `größe` has no `rule` key
     --> rules/größe 1.yaml:3:10
      |
    2 | - name: größe
      |         ----- the rule
    3 |   path: "名前 [*]" # 名
      |          ^^^^ asked for by this path
      |
     ::: long.json:1:24012
      |
    1 | ... 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "min": 5, "max": 4, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z...
      |                                                                  ----- named here too
      |
      = help: add `rule: integer`

    warning[KV001]: a tab, 50% wrong: stands\nhere
     --> rules/größe 1.yaml:4:2
      |
    4 |     min: 4
      |     ^^^

    info[KV102]: a list
     --> rules/größe 1.yaml:5:10
      |
    5 |     valid: |
      |  __________^
    6 | |     [
    7 | |       1,
    8 | |     ]
      | |_____^

    error[KV200]: `max` is below `min`
     --> long.json:1:24019
      |
    1 | ... 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "min": 5, "max": 4, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z": 2, "z...
      |                                                               -         ^ less than 5
      |
      = help: swap them,
              or drop one

    error[KV900]: no such file
    "#);
}

#[test]
fn human_uses_colour_when_asked() {
    let (diagnostics, sources) = sample();
    let color = |color| {
        let options = RenderOptions { color, ..RenderOptions::default() };
        kvrules_diagnostics::render::render_diagnostics(RenderFormat::Human, &diagnostics, &sources, &options)
    };
    assert!(color(true).contains("\u{1b}["));
    assert!(!color(false).contains('\u{1b}'));
    assert_eq!(without_colour(&color(true)), color(false));
}

#[test]
fn concise_is_one_line_a_finding() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Concise, &diagnostics, &sources), @r#"
    rules/größe 1.yaml:3:10: error[KV102] the rule `größe` has no `rule` key
    rules/größe 1.yaml:4:2: warning[KV001] a tab, 50% wrong: stands\nhere
    rules/größe 1.yaml:5:10: info[KV102] a list
    long.json:1:24019: error[KV200] `max` is below `min`
    error[KV900] no such file
    "#);
}

#[test]
fn json_is_an_array_of_findings() {
    let (diagnostics, sources) = sample();
    let shown = [diagnostics[0].clone(), diagnostics[4].clone()];
    insta::assert_snapshot!(render(RenderFormat::Json, &shown, &sources), @r#"
    [
      {
        "code": "KV102",
        "name": "missing_key",
        "level": "error",
        "message": "the rule `größe` has no `rule` key",
        "help": "add `rule: integer`",
        "label": "asked for by this path",
        "file": "rules/größe 1.yaml",
        "start": {
          "line": 3,
          "column": 10,
          "offset": 32
        },
        "end": {
          "line": 3,
          "column": 12,
          "offset": 38
        },
        "secondary": [
          {
            "label": "the rule",
            "file": "rules/größe 1.yaml",
            "start": {
              "line": 2,
              "column": 9,
              "offset": 15
            },
            "end": {
              "line": 2,
              "column": 14,
              "offset": 22
            }
          },
          {
            "label": "named here too",
            "file": "long.json",
            "start": {
              "line": 1,
              "column": 24012,
              "offset": 24011
            },
            "end": {
              "line": 1,
              "column": 24017,
              "offset": 24016
            }
          }
        ],
        "fix": null
      },
      {
        "code": "KV900",
        "name": "lost",
        "level": "error",
        "message": "no such file",
        "help": null,
        "label": null,
        "file": null,
        "start": null,
        "end": null,
        "secondary": [],
        "fix": null
      }
    ]
    "#);
}

#[test]
fn sarif_is_a_log_with_one_run() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Sarif, &diagnostics[..1], &sources), @r#"
    {
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        {
          "tool": {
            "driver": {
              "name": "kvrules",
              "version": "0.1.0",
              "rules": [
                {
                  "id": "KV102",
                  "name": "MissingKey",
                  "shortDescription": {
                    "text": "missing key"
                  },
                  "help": {
                    "text": "See `kvrules explain KV102` for details."
                  },
                  "defaultConfiguration": {
                    "level": "error"
                  }
                }
              ]
            }
          },
          "columnKind": "unicodeCodePoints",
          "results": [
            {
              "ruleId": "KV102",
              "ruleIndex": 0,
              "level": "error",
              "message": {
                "text": "the rule `größe` has no `rule` key\nhelp: add `rule: integer`"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "rules/gr%C3%B6%C3%9Fe%201.yaml"
                    },
                    "region": {
                      "startLine": 3,
                      "startColumn": 10,
                      "endLine": 3,
                      "endColumn": 12
                    }
                  },
                  "message": {
                    "text": "asked for by this path"
                  }
                }
              ],
              "relatedLocations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "rules/gr%C3%B6%C3%9Fe%201.yaml"
                    },
                    "region": {
                      "startLine": 2,
                      "startColumn": 9,
                      "endLine": 2,
                      "endColumn": 14
                    }
                  },
                  "message": {
                    "text": "the rule"
                  }
                },
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "long.json"
                    },
                    "region": {
                      "startLine": 1,
                      "startColumn": 24012,
                      "endLine": 1,
                      "endColumn": 24017
                    }
                  },
                  "message": {
                    "text": "named here too"
                  }
                }
              ],
              "partialFingerprints": {
                "kvrules/v1": "8b2890ff7443c976"
              }
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn github_is_one_workflow_command_a_finding() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Github, &diagnostics, &sources), @r#"
    ::error file=rules/größe 1.yaml,line=3,endLine=3,col=10,endColumn=12,title=KV102::the rule `größe` has no `rule` key%0Ahelp: add `rule: integer`
    ::warning file=rules/größe 1.yaml,line=4,endLine=4,col=2,endColumn=5,title=KV001::a tab, 50%25 wrong: stands%0Ahere
    ::notice file=rules/größe 1.yaml,line=5,endLine=8,title=KV102::a list
    ::error file=long.json,line=1,endLine=1,col=24019,endColumn=24020,title=KV200::`max` is below `min`%0Ahelp: swap them,%0Aor drop one
    ::error title=KV900::no such file
    "#);
}

#[test]
fn gitlab_is_an_array_of_issues() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Gitlab, &diagnostics[1..2], &sources), @r#"
    [
      {
        "description": "KV001: a tab, 50% wrong: stands\nhere",
        "check_name": "tab",
        "fingerprint": "18ff613015b0e6a3",
        "severity": "minor",
        "location": {
          "path": "rules/größe 1.yaml",
          "lines": {
            "begin": 4
          }
        }
      }
    ]
    "#);
}

#[test]
fn junit_is_a_suite_for_each_file() {
    let (diagnostics, sources) = sample();
    insta::assert_snapshot!(render(RenderFormat::Junit, &diagnostics, &sources), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="kvrules check" tests="5" failures="3" errors="0">
      <testsuite name="rules/größe 1.yaml" tests="3" failures="1" errors="0" skipped="0">
        <testcase classname="rules/größe 1.yaml" name="KV102 missing_key 3:10" file="rules/größe 1.yaml" line="3">
          <failure message="the rule `größe` has no `rule` key" type="error">rules/größe 1.yaml:3:10: error[KV102] the rule `größe` has no `rule` key
    help: add `rule: integer`</failure>
        </testcase>
        <testcase classname="rules/größe 1.yaml" name="KV001 tab 4:2" file="rules/größe 1.yaml" line="4">
          <system-out>rules/größe 1.yaml:4:2: warning[KV001] a tab, 50% wrong: stands\nhere</system-out>
        </testcase>
        <testcase classname="rules/größe 1.yaml" name="KV102 missing_key 5:10" file="rules/größe 1.yaml" line="5">
          <system-out>rules/größe 1.yaml:5:10: info[KV102] a list</system-out>
        </testcase>
      </testsuite>
      <testsuite name="long.json" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="long.json" name="KV200 empty_range 1:24019" file="long.json" line="1">
          <failure message="`max` is below `min`" type="error">long.json:1:24019: error[KV200] `max` is below `min`
    help: swap them,
    or drop one</failure>
        </testcase>
      </testsuite>
      <testsuite name="kvrules" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="kvrules" name="KV900 lost">
          <failure message="no such file" type="error">error[KV900] no such file</failure>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn no_findings_are_an_empty_document_of_the_format() {
    let sources = Sources::default();
    for format in [RenderFormat::Human, RenderFormat::Concise, RenderFormat::Jsonl, RenderFormat::Github] {
        assert_eq!(render(format, &[], &sources), "");
    }
    for format in [RenderFormat::Json, RenderFormat::Gitlab] {
        assert_eq!(render(format, &[], &sources), "[]\n");
    }
    let sarif: serde_json::Value = serde_json::from_str(&render(RenderFormat::Sarif, &[], &sources)).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"], serde_json::json!([]));
}

#[test]
fn every_format_has_a_name_that_leads_back_to_it() {
    for format in RenderFormat::ALL {
        assert_eq!(RenderFormat::from_name(format.name()), Some(format));
    }
    assert_eq!(RenderFormat::from_name("yaml"), None);
}

/// The text without its colour sequences.
fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}
