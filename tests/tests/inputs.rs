//! Examples in reStructuredText, and templates of Helm and Jinja, as `check` and `compile` see them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]

#[path = "../src/allocations.rs"]
mod allocations;

use kvrules::{FileId, FileReading, SourceFile, TemplateReadability};
use kvrules_syntax::templated::Template;
use proptest::prelude::*;

fn read(name: &str, text: &str) -> FileReading {
    kvrules::read_rules(&SourceFile::new(FileId(0), name, text))
}

/// Code and line of each finding.
fn found(name: &str, text: &str) -> Vec<(&'static str, u32)> {
    let file = SourceFile::new(FileId(0), name, text);
    let line = |finding: &kvrules::Diagnostic| file.position_at(finding.primary.span.start).line;
    kvrules::read_rules(&file).diagnostics.iter().map(|finding| (finding.code, line(finding))).collect()
}

/// The names of the rules that can be compiled, and why others cannot.
fn compiled(reading: &FileReading) -> (Vec<&str>, Vec<(&str, String)>) {
    let rules = reading.sets.iter().flat_map(|set| &set.rules).map(|rule| rule.name.as_str());
    let left_out = reading.sets.iter().flat_map(|set| &set.left_out);
    (rules.collect(), left_out.map(|left| (left.name.as_str(), left.cause.to_string())).collect())
}

const UNDECIDED: &str = "template tags affect this rule: render it first";
const MORE: &str = "template tags may add rules to this annotation: render it first";

const RULE: &str = r#"{"rule": "integer", "name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8}"#;

/// A template as those who build images write it, with Jinja.
const JINJA: &str = r#"apiVersion: template.openshift.io/v1
kind: Template
metadata:
  name: {{ image }}-{{ item.size }}
  annotations:
    description: >-
      Runs {{ lookup('facts', "name}}") }} or newer.
    mirrors: |
{% for mirror in mirrors %}
      {{ mirror }}
{% endfor %}
{% if item.default %}
    default: "true"
{% else %}
    default: "false"
{% endif %}
  labels:
{% for label in labels %}
    os/{{ label }}: "true"
{% endfor %}
objects:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata:
    name: ${NAME}
    annotations:
      vm.kubevirt.io/validations: |
        [
          {
            "name": "memory",
            "path": "jsonpath::.spec.domain.memory.guest",
            "rule": "integer",
            "message": "more memory is needed",
            "min": {{ lookup('facts', image)["least.memory|all"] }}
          }, {
            "name": "cores",
            "path": "jsonpath::.spec.domain.cpu.cores",
            "rule": "integer",
            "message": "at least two cores",
            "min": 2
          }, {
            "name": "bus",
            "path": "jsonpath::.spec.domain.devices.disks[*].disk.buss",
            "rule": "enum",
            "message": "the bus must be one of two",
            "values": ["virtio", "{{ bus | default('sata') }}"]
          }
        ]
  spec:
    template:
      spec:
        domain:
          cpu:
            cores: 1
{% if item.model %}
            model: {{ item.model }}
{% endif %}
          memory:
            guest: {{ item.memory }}
          devices:
            disks:
            - disk:
{% if item.fast %}
                bus: virtio
{% else %}
                bus: sata
{% endif %}
              name: root
parameters:
- name: NAME
  from: '{{ image }}-[a-z0-9]{6}'
  generate: expression
"#;

#[test]
fn in_a_template_what_holds_whatever_is_rendered_is_told() {
    // The limit of the memory is unknown. The path of the last rule is wrong in any case.
    assert_eq!(found("fedora.tpl.yaml", JINJA), [("KV017", 34), ("KV205", 43)]);
}

#[test]
fn rules_with_tags_in_them_are_not_compiled_and_the_others_are() {
    let reading = read("fedora.tpl.yaml", JINJA);
    let (rules, left_out) = compiled(&reading);
    assert_eq!(rules, ["cores"]);
    assert_eq!(left_out, [("memory", UNDECIDED.to_owned()), ("bus", UNDECIDED.to_owned())]);
    // The name of the template is unknown as well.
    assert_eq!(reading.sets[0].name, "fedora");
    assert_eq!(reading.templated, Some(TemplateReadability::Partial));
}

#[test]
fn a_chart_with_conditions_around_rules_has_no_finding_of_an_error() {
    let text = format!(
        r#"{{{{- if .Values.enabled }}}}
{{{{- $name := include "chart.name" . }}}}
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {{{{ $name }}}}
  labels:
    {{{{- toYaml .Values.labels | nindent 4 }}}}
    tier: back
  annotations:
    vm.kubevirt.io/validations: |
      [
        {{{{- range .Values.limits }}}}
        {RULE}
        {{{{- end }}}}
        {{{{- if .Values.strict }}}},
        {RULE}
        {{{{- else }}}},
        {RULE}
        {{{{- end }}}}
      ]
spec:
  template:
    spec:
      domain:
        cpu:
          {{{{- with .Values.cores }}}}
          cores: {{{{ . }}}}
          {{{{- else }}}}
          cores: 16
          {{{{- end }}}}
        devices: {{{{ toYaml .Values.devices | nindent 10 }}}}
{{{{- end }}}}
"#
    );
    let reading = read("vm.yaml", &text);
    let codes: Vec<_> = reading.diagnostics.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["KV017"], "{:?}", reading.diagnostics);
    let (rules, left_out) = compiled(&reading);
    assert!(rules.is_empty());
    assert_eq!(left_out.len(), 4);
    assert_eq!(left_out[3], ("", MORE.to_owned()));
}

#[test]
fn rules_that_come_from_a_tag_alone_are_refused_and_not_called_missing() {
    let wholes = [
        "vm.kubevirt.io/validations: {{ toJson .Values.rules | quote }}\n",
        "vm.kubevirt.io/validations: '{{ rules | tojson }}'\n",
        "vm.kubevirt.io/validations: |\n{{ .Files.Get \"rules.json\" | indent 2 }}\n",
        "vm.kubevirt.io/validations: |\n  {{- .Files.Get \"rules.json\" | nindent 2 }}\n",
        "vm.kubevirt.io/validations: |\n  [\n    {{ range .rules }}\n    {{ end }}\n  ]\n",
        "vm.kubevirt.io/validations: |\n  [{{ a }}]\n",
        "vm.kubevirt.io/validations:\n  {{- toYaml . | nindent 2 }}\n",
    ];
    for text in wholes {
        let reading = read("rules.yaml", text);
        let codes: Vec<_> = reading.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["KV017"], "{text}: {:?}", reading.diagnostics);
        assert_eq!(compiled(&reading), (vec![], vec![("", MORE.to_owned())]), "{text}");
    }
}

#[test]
fn a_key_under_a_condition_is_neither_missing_nor_twice() {
    let text = r#"vm.kubevirt.io/validations: |
  [
    {
      "rule": "integer",
      {% if long %}
      "name": "a-long-name",
      {% else %}
      "name": "short",
      {% endif %}
      "path": "jsonpath::.spec.domain.cpu.cores",
      {{ extra }}
      "message": "too few"{% if least %},
      "min": 2{% endif %}
    }
  ]
"#;
    assert_eq!(found("rules.yaml", text), [("KV017", 5)]);
}

#[test]
fn a_mistake_in_the_literal_text_is_told_with_tags_all_around_it() {
    let text = r#"{% if a %}
vm.kubevirt.io/validations: |
  [
    {
      "rule": "intege",
      "name": "{{ name }}",
      "path": "jsonpath::.spec.domain.cpu.coress",
      "message": "too few"
      "max": 2,
      "max": 3
    }
  ]
{% endif %}
"#;
    let found = found("rules.yaml", text);
    for expected in [("KV017", 6), ("KV012", 8), ("KV004", 10), ("KV107", 5), ("KV205", 7)] {
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }
}

#[test]
fn the_placeholder_of_a_tag_is_never_shown() {
    let texts =
        [JINJA, "vm.kubevirt.io/validations: |\n  [{\"name\": \"a-{{ b }}\", \"rule\": \"integer\"}]\n"];
    for text in texts {
        for finding in read("x.yaml", text).diagnostics {
            assert!(!format!("{finding:?}").contains("${_"), "{finding:?}");
        }
    }
}

#[test]
fn a_template_that_is_no_yaml_counts_as_unread_where_it_mentions_rules() {
    let text = "kind: Template\n{{ include \"head\" . }}\n- validations\n";
    let reading = read("x.yaml", text);
    assert!(matches!(reading.templated, Some(TemplateReadability::Unread(_))), "{reading:?}");
    assert_eq!(found("x.yaml", text), [("KV017", 2)]);
    assert_eq!(
        read("x.yaml", &text.replace("validations", "labels")).templated,
        Some(TemplateReadability::Partial)
    );
}

#[test]
fn files_without_tags_are_no_templates() {
    let plain = ["a: ${{CORES}}\n", "a: {b: {c: 1}}\n", "# {{ in a comment }}\na: b\n", "a: {# b\n  c: d}\n"];
    for text in plain {
        assert_eq!(read("x.yaml", text).templated, None, "{text}");
    }
    let json =
        format!("{{\"vm.kubevirt.io/validations\": {:?}}}", format!("[{RULE}]").replace("8 cores", "{{8}}"));
    assert_eq!(read("x.json", &json).templated, None);
    assert_eq!(read("x.json", &json).count_rules(), 1);
}

#[test]
fn examples_in_restructuredtext_are_checked_where_they_stand() {
    let bad = RULE.replace("cpu.cores", "cpu.coress");
    let text = format!(
        "Rules\n=====\n\n.. code-block:: yaml\n   :linenos:\n\n   vm.kubevirt.io/validations: |\n     [{RULE}]\n\n\
         .. note::\n\n   .. code:: json\n\n      [{bad}]\n\n.. highlight:: yaml\n\nAs in::\n\n  \
         vm.kubevirt.io/validations: '[{bad}]'\n\n.. code-block:: python\n\n   [{bad}]\n"
    );
    let lines: Vec<u32> = found("rules.rst", &text)
        .into_iter()
        .filter(|(code, _)| *code == "KV205")
        .map(|(_, line)| line)
        .collect();
    assert_eq!(lines, [14, 14, 20, 20]);
    assert_eq!(read("rules.rst", &text).count_rules(), 3);
    let file = SourceFile::new(FileId(0), "rules.rst", text.as_str());
    let finding =
        kvrules::read_rules(&file).diagnostics.into_iter().find(|finding| finding.code == "KV205").unwrap();
    assert!(text[finding.primary.span.to_range()].contains("coress"));
}

#[test]
fn fences_of_every_kind_are_examples_in_markdown() {
    let bad = RULE.replace("cpu.cores", "cpu.coress");
    let annotation = |before: &str| format!("{before}vm.kubevirt.io/validations: |\n{before}  [{bad}]\n");
    let cases = [
        format!("~~~yaml\n{}~~~\n", annotation("")),
        format!("1. see\n\n   ```yaml\n{}   ```\n", annotation("   ")),
        format!("> ```yaml\n{}> ```\n", annotation("> ")),
        format!("> - x\n>   ~~~~ {{.yaml}}\n{}>   ~~~~\n", annotation(">   ")).replace("{.yaml}", "yaml"),
        format!("````yml title=\"x\"\n{}````\n", annotation("")),
    ];
    for text in cases {
        let file = SourceFile::new(FileId(0), "x.md", text.as_str());
        let findings = kvrules::read_rules(&file).diagnostics;
        let places: Vec<_> = findings
            .iter()
            .filter(|finding| finding.code == "KV205")
            .map(|finding| &text[finding.primary.span.to_range()])
            .collect();
        assert_eq!(places, ["coress", "coress"], "{text}");
    }
}

#[test]
fn hostile_templates_take_work_in_proportion_to_their_length() {
    let hostile = |many: usize| {
        [
            "{{ ".repeat(many),
            "{{ { ".repeat(many) + "}}",
            "{{ { }}".repeat(many),
            "a: {{ ' }}\n".repeat(many),
            "{% if x %}".repeat(many),
            "{% if x %}\n".repeat(many),
            "{% if x %}\n".repeat(many) + &"{% endif %}\n".repeat(many),
            "{% if x %}".repeat(many) + "\n" + &"{% endif %}".repeat(many),
            "a: {{ x }}\n".repeat(many),
            "{{/* ".repeat(many) + "}}",
            "{# {{ x }}".repeat(many),
            "{% raw %}".repeat(many) + "{{ x }}",
            "[{{ x }},\n".repeat(many),
            "# ".to_owned() + &"{{ x }}".repeat(many),
        ]
    };
    let read = |text: &str| {
        let (length, bytes) =
            allocations::allocated_by(|| Template::from_source(text).map(|it| it.masked_text().len()));
        assert!(length.is_none_or(|length| length == text.len()));
        bytes
    };
    for (short, long) in hostile(10_000).iter().zip(&hostile(100_000)) {
        let (few, many) = (read(short), read(long));
        let shown: String = long.chars().take(20).collect();
        // A buffer that grows by doubling may take up to twice as much.
        assert!(many <= 20 * few.max(1_000), "{shown}: {few} bytes, and {many} for ten times the length");
    }
}

#[test]
fn a_template_with_very_many_tags_is_checked_and_does_not_stop_anything() {
    let rule = RULE.replace("cores\", \"path", "{{ x }}\", \"path");
    let rules = vec![rule; 2_000].join(",\n    ");
    let text =
        format!("{{% for x in y %}}\nvm.kubevirt.io/validations: |\n  [\n    {rules}\n  ]\n{{% endfor %}}\n");
    assert_eq!(found("x.yaml", &text), [("KV017", 4)]);
}

proptest! {
    #[test]
    fn masking_keeps_the_length_and_where_lines_begin(
        parts in prop::collection::vec(
            prop_oneof![
                Just("{{".to_owned()), Just("}}".to_owned()), Just("{%".to_owned()), Just("%}".to_owned()),
                Just("{{ x }}".to_owned()), Just("{% if x %}".to_owned()), Just("{% else %}".to_owned()),
                Just("{% endif %}".to_owned()), Just("{{- end -}}".to_owned()), Just("\n".to_owned()),
                Just("\r\n  ".to_owned()), Just("a: |\n  ".to_owned()), Just("- [".to_owned()),
                Just("{#".to_owned()), Just("#}".to_owned()), Just("'".to_owned()), Just("\"".to_owned()),
                "[ -~é😀\n]{0,6}",
            ],
            0..40,
        )
    ) {
        let text = parts.concat();
        if let Some(template) = Template::from_source(&text) {
            let masked = template.masked_text();
            prop_assert_eq!(masked.len(), text.len());
            let breaks = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            let kept = breaks(masked);
            prop_assert!(breaks(&text).iter().all(|at| kept.binary_search(at).is_ok()));
            // Outside of tags nothing changes, except for blanks next to tags on a line of their own.
            let mut at = 0;
            for region in template.regions() {
                prop_assert!(at <= region.range.start && region.range.end <= text.len());
                let same = |text: &str| text.split_whitespace().collect::<String>();
                let before = at..region.range.start;
                // A placeholder may begin in the blanks before a tag on a line of its own.
                if !text[before.clone()].trim().is_empty() {
                    prop_assert_eq!(same(&text[before.clone()]), same(&masked[before]));
                }
                // It may also end in the blanks after such a tag, even between the two bytes of a line break.
                let behind = &text[region.range.end..];
                at = text.len() - behind.trim_start_matches([' ', '\t', '\r']).len();
            }
        }
        let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "x.yaml", text.as_str()));
        for finding in reading.diagnostics {
            prop_assert!(text.get(finding.primary.span.to_range()).is_some());
        }
    }
}
