//! The sections of a page as a tree for formats that fold: a list of steps that open and close fields, so that templates need no
//! recursion, which a deep schema would exhaust.

use std::collections::{HashMap, HashSet};

use minijinja::{Value, context};

use crate::resources::{ResourceEntry, ResourcePage, ResourceSection};

/// Returns the steps of a page: `section` and `end-section` around a part of the page, `object` and `end-object` around what is about
/// an object in a field, `field` and `end-field` around a field.
pub(super) fn page_tree(page: &ResourcePage, sections: &[Value]) -> Value {
    let anchors =
        page.sections.iter().zip(sections).map(|(section, view)| (section.anchor.as_str(), (section, view)));
    let nested = page.sections.iter().flat_map(|section| &section.entries).flat_map(|entry| &entry.sections);
    let nested: HashSet<&str> = nested.filter_map(|reference| reference.anchor.as_deref()).collect();
    let mut tree = TreeSteps { sections: anchors.collect(), steps: Vec::new(), entered: HashSet::new() };
    for (section, view) in page.sections.iter().zip(sections) {
        if !nested.contains(section.anchor.as_str()) {
            tree.steps.push(context! { step => "section", section => view.clone() });
            tree.add_entries(section, view, 0);
            tree.steps.push(context! { step => "end-section", is_folded => section.is_folded });
        }
    }
    tree.steps.into_iter().collect()
}

struct TreeSteps<'a> {
    sections: HashMap<&'a str, (&'a ResourceSection, &'a Value)>,
    steps: Vec<Value>,
    /// Sections that are in the tree already.
    entered: HashSet<&'a str>,
}

impl<'a> TreeSteps<'a> {
    fn add_entries(&mut self, section: &'a ResourceSection, view: &Value, depth: usize) {
        let views = view.get_attr("entries").unwrap_or_default();
        for (index, entry) in section.entries.iter().enumerate() {
            let view = views.get_item(&Value::from(index)).unwrap_or_default();
            self.add_field(entry, view, depth);
        }
    }

    fn add_field(&mut self, entry: &'a ResourceEntry, view: Value, depth: usize) {
        let inner: Vec<(&ResourceSection, &Value)> = entry
            .sections
            .iter()
            .filter_map(|reference| self.sections.get(reference.anchor.as_deref()?).copied())
            .filter(|(section, _)| self.entered.insert(&section.anchor))
            .collect();
        let rules = entry.rules.len() + inner.iter().map(|(section, _)| section.rules.len()).sum::<usize>();
        let has_body =
            entry.description.is_some() || !entry.facts.is_empty() || rules > 0 || !inner.is_empty();
        // Variables and bindings of a policy have no type; they are few, and readers look for them.
        let is_open = depth == 0 && (entry.short_name == "spec" || entry.summary.is_none());
        let has_fields = !inner.is_empty();
        self.steps
            .push(context! { step => "field", entry => view, rules, has_body, has_fields, is_open, depth });
        for (section, view) in inner {
            self.steps.push(context! { step => "object", section => view.clone() });
            self.add_entries(section, view, depth + 1);
            self.steps.push(context! { step => "end-object" });
        }
        self.steps.push(context! { step => "end-field", has_body });
    }
}
