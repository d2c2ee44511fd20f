//! Extra specs as Markdown for a chapter.

use std::fmt::Write as _;

use crate::markdown::{
    escape_cell, hanging_blocks, inline_code, render_example, render_list, render_place, render_targets,
};
use crate::pages::{Examples, Text};
use crate::specs::{Parameter, Spec};

/// Locations where extra specs are described.
pub(crate) trait SpecAnchors {
    /// Remembers that an extra spec is described here; false where this chapter has described it before.
    fn describe_spec(&mut self, spec: &Spec) -> bool;
    /// A link from here to where an extra spec is described, if it is anywhere.
    fn link_spec(&self, name: &str) -> Option<String>;
}

/// Describes extra specs, one below the other.
pub(crate) fn describe_specs(specs: &[&Spec], level: usize, anchors: &mut dyn SpecAnchors) -> String {
    specs.iter().map(|spec| self::describe_spec(spec, level, anchors)).collect()
}

/// A table with a line for each extra spec.
pub(crate) fn spec_table(specs: &[&Spec], anchors: &dyn SpecAnchors) -> String {
    let line = |spec: &&Spec| {
        let status = if spec.status == "supported" { String::new() } else { format!(" ({})", spec.status) };
        let summary = escape_cell(&spec.summary.markdown);
        format!("| {}{status} | {summary} |\n", link_in_cell(&spec.name, &spec.title, anchors))
    };
    let lines: String = specs.iter().map(line).collect();
    format!("| extra spec | description |\n|---|---|\n{lines}\n")
}

fn link_in_cell(name: &str, title: &str, anchors: &dyn SpecAnchors) -> String {
    let shown = escape_cell(&inline_code(title));
    anchors.link_spec(name).map(|link| format!("[{shown}]({link})")).unwrap_or(shown)
}

fn describe_spec(spec: &Spec, level: usize, anchors: &mut dyn SpecAnchors) -> String {
    let is_new = anchors.describe_spec(spec);
    let anchor = if is_new { format!(" {{#{}}}", spec.label) } else { String::new() };
    let mut out = format!("{} {}{anchor}\n\n", "#".repeat(level), inline_code(&spec.title));
    if let Some(own) = spec.body.as_ref().and_then(|body| body.markdown.as_ref()) {
        let _ = writeln!(out, "{}\n", own.trim_end());
        return out;
    }
    let _ = writeln!(out, "{}\n\n{}\n", spec.description.markdown, spec.sentence.markdown);
    for (label, words) in spec_facts(spec, anchors) {
        let _ = writeln!(out, "- **{label}:** {words}");
    }
    out.push('\n');
    out
}

/// Returns the facts about an extra spec, with a label each, in the words of the pages that `kvrules docs` makes.
fn spec_facts<'a>(spec: &'a Spec, anchors: &dyn SpecAnchors) -> Vec<(&'a str, String)> {
    let link = |name: &str| {
        let shown = inline_code(name);
        anchors.link_spec(name).map(|link| format!("[{shown}]({link})")).unwrap_or(shown)
    };
    let instead = spec.replacement.as_ref();
    let instead = instead.map(|other| format!(" Use {} instead.", link(&other.name))).unwrap_or_default();
    let mut facts = vec![
        ("Support", format!("{}{instead}", spec.status_text.markdown)),
        ("Type", spec.type_text.markdown.clone()),
    ];
    facts.extend(spec.value_description.as_ref().map(|text| ("Value", hanging_blocks(&text.markdown))));
    facts.extend(spec.limits.iter().map(|limit| (limit.label.as_str(), limit.text.markdown.clone())));
    facts.extend(values_fact(spec));
    if let Some(pattern) = &spec.pattern {
        facts.push(("Regular expression", inline_code(&pattern.code)));
        facts.extend(pattern.reading.as_ref().map(|text| ("In words", text.markdown.clone())));
    }
    facts.extend(parameters_fact(&spec.parameters));
    facts.extend(example_facts(("Valid keys", "Invalid keys"), &spec.keys));
    facts.extend(example_facts(("Passes", "Fails"), &spec.examples));
    if !spec.virt_drivers.is_empty() {
        facts.push(("Virt drivers", render_list(spec.virt_drivers.iter().map(|name| inline_code(name)))));
    }
    if !spec.requires.is_empty() {
        facts.push(("Requires", render_list(spec.requires.iter().map(|other| link(&other.name)))));
    }
    facts.extend(spec.since.as_ref().map(|since| ("Since", inline_code(since))));
    facts.extend(spec.image_property.as_ref().map(|property| ("Image property", inline_code(property))));
    facts.extend(spec.metadef.as_ref().map(|metadef| {
        (
            "In Glance",
            format!("property {} of {}", inline_code(&metadef.property), inline_code(&metadef.file)),
        )
    }));
    facts.extend(spec.said_by.iter().map(|said| (said.label.as_str(), render_targets(said))));
    facts.extend(spec.source.as_ref().map(|source| ("Defined in", render_place(source))));
    if !spec.members.is_empty() {
        facts.push(("Names", render_list(spec.members.iter().map(|member| inline_code(&member.name)))));
    }
    facts
}

fn values_fact(spec: &Spec) -> Option<(&'static str, String)> {
    let items =
        spec.values.iter().map(|value| list_item(&inline_code(&value.code), value.description.as_ref()));
    (!spec.values.is_empty()).then(|| ("Allowed values", items.collect()))
}

fn parameters_fact(parameters: &[Parameter]) -> Option<(&'static str, String)> {
    let items = parameters.iter().map(|parameter| {
        let reading = parameter.pattern.reading.as_ref();
        let reading = reading.map(|text| format!(" ({})", text.markdown)).unwrap_or_default();
        let name = inline_code(&format!("{{{}}}", parameter.name));
        list_item(
            &format!("{name} is {}{reading}", inline_code(&parameter.pattern.code)),
            parameter.description.as_ref(),
        )
    });
    (!parameters.is_empty()).then(|| ("Parameters", items.collect()))
}

/// An item of a list within a list.
fn list_item(head: &str, description: Option<&Text>) -> String {
    let said = description.map(|text| format!(": {}", hanging_blocks(&text.markdown).replace('\n', "\n  ")));
    format!("\n  - {head}{}", said.unwrap_or_default())
}

fn example_facts(
    (passes, fails): (&'static str, &'static str),
    examples: &Examples,
) -> Vec<(&'static str, String)> {
    let sorts = [(passes, &examples.passes), (fails, &examples.fails)];
    let some = sorts.into_iter().filter(|(_, examples)| !examples.is_empty());
    some.map(|(label, examples)| (label, render_list(examples.iter().map(render_example)))).collect()
}
