//! Tests of the regions of tags, and of what they leave open.
#![allow(clippy::panic, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::{FileId, Span};

use super::Template;
use crate::{Document, Node, SyntaxKind, parse_embedded};

/// The text that YAML gets to see, with line breaks that were put in left out.
fn masked(text: &str) -> String {
    let template = Template::from_source(text).unwrap_or_else(|| panic!("{text} has no tags"));
    assert_eq!(template.masked_text().len(), text.len());
    let lines = template.masked_text().lines().filter(|line| !line.trim().is_empty());
    lines.map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_expression_becomes_a_parameter_of_the_same_length() {
    assert_eq!(masked("a: {{ b }}\n"), "a: ${____}");
    assert_eq!(masked("a: x-{{b}}-{{}}\n"), "a: x-${__}-${_}");
    assert_eq!(masked("a: '{{ b }}'\n"), "a: '${____}'");
    assert_eq!(masked("{{ b }}: c\n"), "${____}: c");
}

#[test]
fn among_values_in_brackets_an_expression_becomes_a_string() {
    assert_eq!(masked("a: [{{ b }}, c]\n"), "a: [\"_____\", c]");
    assert_eq!(masked("a: {b: {{ c }}}\n"), "a: {b: \"_____\"}");
    assert_eq!(masked("a: [\"{{ b }}\", c]\n"), "a: [\"${____}\", c]");
    assert_eq!(masked("a: it's [\nb: {{ c }}\n"), "a: it's [\nb: ${____}");
}

#[test]
fn tags_alone_on_a_line_become_nothing() {
    assert_eq!(masked("{% if a %}\nb: c\n  {%- endif %} {# why #}\nd: e\n"), "b: c\nd: e");
    assert_eq!(masked("a:\n  {{- toYaml .b | nindent 2 }}\n  c: d\n"), "a:\n  c: d");
}

#[test]
fn a_choice_on_one_line_is_one_value() {
    assert_eq!(masked("a: {% if b %}c{% else %}d{% endif %}\n"), format!("a: ${{{}}}", "_".repeat(30)));
    assert_eq!(masked("[1{{ if a }}, 2{{ end }}]\n"), format!("[1{}]", " ".repeat(22)));
}

#[test]
fn in_a_block_of_text_an_expression_is_content() {
    assert_eq!(masked("a: |\n  {{ b }}\n"), "a: |\n  ${____}");
    assert_eq!(masked("a: |\n{{ b | indent 4 }}\n"), "a: |\n  ${_____________}");
    assert_eq!(masked("- a: >- # why\n    {{ b }}\n  c: d\n"), "- a: >- # why\n    ${____}\n  c: d");
    assert_eq!(masked("- |\n {{ b }}\n- c\n"), "- |\n ${____}\n- c");
    // Beside the key, the tag is another entry.
    assert_eq!(masked("a: |\n  b\n{{ c }}\nd: e\n"), "a: |\n  b\nd: e");
}

#[test]
fn a_tag_of_several_lines_keeps_them() {
    let text = "a: \"{{ b\n  | c\n }}\"\nd: e\n";
    assert_eq!(masked(text), "a: \"${_}\n   \"\nd: e");
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root);
    assert_eq!(root.and_then(|root| root.get("d")).map(Node::text), Some("e"));
}

#[test]
fn alternatives_are_not_together_and_a_part_and_what_is_around_it_are() {
    let text = "a\n{% if x %}\nb\n{% elif y %}\nc\n{% else %}\nd\n{% endif %}\n{% if z %}\ne\n{% endif %}\n";
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let place = |what: &str| {
        let at = u32::try_from(text.find(&format!("{what}\n")).unwrap_or(0)).unwrap_or(0);
        Span::new(FileId(0), at, at + 1)
    };
    let together = |one, other| template.are_together([place(one), place(other)].into_iter());
    for (one, other) in [("b", "c"), ("c", "d"), ("b", "d"), ("b", "e")] {
        assert!(!together(one, other) && !together(other, one), "{one} {other}");
    }
    for other in ["b", "c", "d", "e"] {
        assert!(together("a", other) && together(other, "a") && together(other, other));
        assert!(template.is_conditional(place(other)) && !template.is_conditional(place("a")));
    }
}

#[test]
fn what_tags_may_add_to_is_open() {
    let text = "a:\n  b: c\n  {{ d }}\ne:\n  f: g\nh: |\n  [{\"i\": {{ j }}}, {\"k\": 1}]\n";
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root).unwrap_or_else(|| panic!("root"));
    let open = |key| root.get(key).map(|node| (node.is_open(), node.is_templated()));
    assert_eq!(open("a"), Some((true, false)));
    assert_eq!(open("e"), Some((false, false)));
    assert_eq!(open("h"), Some((false, true)));
    let json = root.get("h").map_or_else(|| panic!("json"), parse_embedded);
    let items: Vec<_> = json.root().into_iter().flat_map(|root| root.items().collect::<Vec<_>>()).collect();
    assert!(json.problems().is_empty());
    assert_eq!(items.iter().map(|item| item.is_templated()).collect::<Vec<_>>(), [true, false]);
    assert_eq!(items[0].get("i").map(Node::kind), Some(SyntaxKind::Parameter));
}

/// The text that is read of the value of a key, and as it is written.
fn texts(text: &str, key: &str) -> (String, String) {
    let Some(template) = Template::from_source(text) else { panic!("{text} has no tags") };
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root).unwrap_or_else(|| panic!("root"));
    let node = root.get(key).unwrap_or_else(|| panic!("{key}"));
    (node.text().to_owned(), node.text_with_tags().into_owned())
}

#[test]
fn yaml_whose_tags_are_in_prose_and_comments_is_no_template() {
    let plain = [
        "description: |\n  {{- if .Values.a }}\n  b\n",
        "description: |-\n  {{- if .Values.a }}\n  b\n  {{- end }}\n",
        "description: see {{ .Values.a }}\n",
        "description: 'see {{ it''s }}'\n",
        "title: \"{{ \\\"a\\\" }}\"\n",
        "description: >\n  {% if a %}\n  b\n  {% endif %}\n",
        "description: first\n  {{ second }}\n  third\n",
        "properties: {a: {description: 'of {{ b }}', type: string}}\n",
        "a: b # {{ .Values.c }}\n",
        "# {{ if }}\na: b # {% if c %}\n# {{ end }}\n",
        "pattern: '^{{.*}}$'\n",
        "enum: ['{{a}}', b]\n",
        "default: '{{ .metadata.name }}'\n",
        "message: use {{name}} here\n",
        "rule: self != '{{ x }}'\n",
        "rule: \"self != '{{ x }}' && self.matches(\\\"{{.*}}\\\")\"\n",
        "rule: 'self != \"{{ x }}\"'\n",
        "rule: |\n  self != '{{ x }}'\n",
        "description: '${A} and ${{ A }} and <% b %>'\n",
        "a: ${A}\nb: ${{A}}\nc: <%= d %>\n",
    ];
    for text in plain {
        assert!(Template::from_source(text).is_none(), "{text}");
    }
}

#[test]
fn yaml_whose_tags_are_in_other_scalars_is_a_template() {
    let templates = [
        "name: a.{{ .Values.group }}\n",
        "name: '{{ .Release.Name }}'\n",
        "message: at most {{ .Values.most }}\n",
        "rule: self <= {{ .Values.most }}\n",
        "rule: self <= {{ most }}\n",
        "rule: self != '{{ .Values.name }}'\n",
        "default: '{{ .Values.size }}'\n",
        "enum: ['{{ .Values.size }}']\n",
        "a: [{{ b }}]\n",
        "a: {{ b }}\n",
        "'{{ a }}': b\n",
        "description: |\n  {{ a }}\n{{ if b }}\nc: d\n{{ end }}\n",
        "properties: {description: {name: '{{ a }}'}}\n",
    ];
    for text in templates {
        assert!(Template::from_source(text).is_some(), "{text}");
    }
}

#[test]
fn tags_in_a_scalar_have_no_effect_beyond_it() {
    let text = "name: a.{{ b }}\nc: |\n  {{- if d }}\n  e\nf:\n  g: h\ni: |\n  {{ end }}\nj: k\n";
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root).unwrap_or_else(|| panic!("root"));
    let open = |key| root.get(key).map(|node| (node.is_open(), node.is_templated()));
    assert!(!root.is_open());
    assert_eq!(open("c"), Some((true, true)));
    assert_eq!(open("f"), Some((false, false)));
    assert_eq!(open("j"), Some((false, false)));
    assert_eq!(root.get("name").map(Node::text), Some("a.${____}"));
}

#[test]
fn a_condition_inside_of_a_block_of_text_opens_nothing_around_it() {
    let text = "{{ if x }}\na: b\n{{ end }}\nd:\n  e: |\n    {{- if f }}\n    g\n    {{- end }}\n\n  h: i\n";
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root).unwrap_or_else(|| panic!("root"));
    let found = root.get("d").unwrap_or_else(|| panic!("d"));
    assert!(root.is_open() && !found.is_open());
    assert_eq!(found.get("h").map(|node| (node.is_open(), node.is_templated())), Some((false, false)));
}

#[test]
fn texts_are_known_as_they_are_written() {
    let cases = [
        ("name: a-{{ b }}.c\n", "a-${____}.c", "a-{{ b }}.c"),
        ("name: 'a {{ b }} it''s'\n", "a ${____} it's", "a {{ b }} it's"),
        ("name: \"a\\t{{ b }}\"\n", "a\t${____}", "a\t{{ b }}"),
        ("name: |\n  a\n  {{ b }}!\n", "a\n${____}!\n", "a\n{{ b }}!\n"),
        ("name: >-\n  a\n  {{ b }}!\n", "a ${____}!", "a {{ b }}!"),
        ("x: {{ y }}\nname: |-\n  a\n  b{{b}}\n   c\n", "a\nb${__}\n c", "a\nb{{b}}\n c"),
        ("x: {{ y }}\nname: {{ z }}\n", "${____}", "{{ z }}"),
        ("x: {{ y }}\nname: 'a {{ z }}'\n", "a ${____}", "a {{ z }}"),
    ];
    for (text, masked, written) in cases {
        assert_eq!(texts(text, "name"), (masked.to_owned(), written.to_owned()), "{text}");
    }
    let lines = "x: {{ y }}\nname: |-\n  a\n  {{ if b }}\n  c\n  {{ end }}\n  d\n";
    assert_eq!(texts(lines, "name").1, "a\n{{ if b }}\nc\n{{ end }}\nd");
}

#[test]
fn json_in_a_scalar_of_yaml_is_read_around_its_tags() {
    let text = "a: b-{{ c }}\nh: |\n  [{\"i\": {{ j }}},\n  {{ if k }}\n  {\"l\": 1},\n  {{ end }}\n  {\"m\": \"{{ n }}\"}]\n";
    let template = Template::from_source(text).unwrap_or_else(|| panic!("tags"));
    let stream = template.parse(FileId(0));
    let root = stream.documents.first().and_then(Document::root).unwrap_or_else(|| panic!("root"));
    let json = root.get("h").map_or_else(|| panic!("json"), parse_embedded);
    assert!(json.problems().is_empty(), "{:?}", json.problems());
    let items: Vec<_> = json.root().into_iter().flat_map(|root| root.items().collect::<Vec<_>>()).collect();
    assert_eq!(items.iter().map(|item| item.is_templated()).collect::<Vec<_>>(), [true, true, true]);
    assert!(json.root().is_some_and(Node::is_open));
    assert_eq!(items[0].get("i").map(Node::kind), Some(SyntaxKind::Parameter));
    let place = items[1].get("l").map(|node| node.span().to_range()).unwrap_or_default();
    assert_eq!(text.get(place), Some("1"));
}
