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
