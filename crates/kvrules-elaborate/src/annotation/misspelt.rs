//! Annotation keys that are nearly those of rules, which nothing reads.

use std::collections::HashMap;

use kvrules_diagnostics::{find_nearest, most_alike};
use kvrules_syntax::kubernetes::find_objects;
use kvrules_syntax::{Document, Entry, Node, SyntaxKind, parse_embedded};

use super::find::{is_holder, looks_like_rules};
use super::{TEMPLATE_ANNOTATIONS, VM_ANNOTATION};

/// Least similarity of two keys for a suggestion.
const LIKE: f64 = 0.8;

/// A key that is nearly the name of an annotation with rules.
#[derive(Clone, Copy, Debug)]
pub struct MisspeltKey<'d> {
    /// The key.
    pub key: Node<'d>,
    /// The name that is read at this place.
    pub intended: &'static str,
}

/// The misspelt keys among the annotations of templates and machines, and of files that hold annotations alone.
pub fn find_misspelt_keys<'d>(documents: &[&'d Document<'d>]) -> Vec<MisspeltKey<'d>> {
    let mut search = MisspeltSearch::default();
    for object in documents.iter().filter_map(|document| document.root()).flat_map(find_objects) {
        match object.kind {
            kind if is_holder(kind) => search.find_in_holder(object.node),
            "" => search.find_in_fragment(object.node),
            _ => {}
        }
    }
    search.found
}

#[derive(Default)]
struct MisspeltSearch<'d> {
    found: Vec<MisspeltKey<'d>>,
    /// Suggestions for the keys seen so far: templates in one file have many keys in common.
    suggestions: HashMap<&'d str, Option<&'static str>>,
}

impl<'d> MisspeltSearch<'d> {
    fn find_in_holder(&mut self, node: Node<'d>) {
        let spec = node.get("spec");
        let inner =
            [spec.and_then(|spec| spec.get("template")), spec.and_then(|spec| spec.get("virtualMachine"))];
        for carrier in std::iter::once(node).chain(inner.into_iter().flatten()) {
            let annotations = carrier.get("metadata").and_then(|metadata| metadata.get("annotations"));
            for entry in annotations.into_iter().flat_map(Node::entries) {
                let suggested = self.suggest(entry.key.text());
                let intended = suggested.or_else(|| holds_rules(entry).then_some(VM_ANNOTATION));
                self.found.extend(intended.map(|intended| MisspeltKey { key: entry.key, intended }));
            }
        }
        for object in node.get("objects").into_iter().flat_map(Node::items) {
            if object.get("kind").and_then(Node::as_str).is_some_and(is_holder) {
                self.find_in_holder(object);
            }
        }
    }

    /// A file of annotations alone may be anything, so that only what holds rules counts.
    fn find_in_fragment(&mut self, node: Node<'d>) {
        let annotations_of = |node: Node<'d>| node.get("annotations");
        let places = [Some(node), annotations_of(node), node.get("metadata").and_then(annotations_of)];
        for entry in places.into_iter().flatten().flat_map(Node::entries).filter(|entry| holds_rules(*entry))
        {
            let intended = self.suggest(entry.key.text()).unwrap_or(VM_ANNOTATION);
            self.found.push(MisspeltKey { key: entry.key, intended });
        }
    }

    fn suggest(&mut self, key: &'d str) -> Option<&'static str> {
        *self.suggestions.entry(key).or_insert_with(|| suggest_annotation(key))
    }
}

/// True if an entry with another name contains rules as their JSON.
fn holds_rules(entry: Entry<'_>) -> bool {
    let is_ours = entry.key.text() == VM_ANNOTATION || TEMPLATE_ANNOTATIONS.contains(&entry.key.text());
    // To look for a byte takes less than to look for a word.
    let is_text = || {
        let text = entry.value.text();
        entry.value.kind() == SyntaxKind::String && text.contains('[') && text.contains("jsonpath::")
    };
    !is_ours && is_text() && parse_embedded(entry.value).root().is_some_and(looks_like_rules)
}

/// The annotation that a key is a misspelling of; none for the annotations themselves and for other words.
fn suggest_annotation(key: &str) -> Option<&'static str> {
    if key == VM_ANNOTATION || TEMPLATE_ANNOTATIONS.contains(&key) {
        return None;
    }
    let name = VM_ANNOTATION.rsplit('/').next().unwrap_or_default();
    let Some((prefix, last)) = key.rsplit_once('/') else {
        let whole = most_alike(key, LIKE, [(VM_ANNOTATION, VM_ANNOTATION)]);
        return whole.or_else(|| most_alike(key, LIKE, [(name, TEMPLATE_ANNOTATIONS[0])]));
    };
    // With the prefix of virtual machines, the name may differ more than with another prefix of KubeVirt.
    let of_machine = VM_ANNOTATION.split('/').next().unwrap_or_default();
    let is_near = prefix.eq_ignore_ascii_case(of_machine) && find_nearest(last, [name]).is_some();
    let of_kubevirt =
        prefix.contains("kubevirt") && (last == name || most_alike(last, LIKE, [(name, ())]).is_some());
    let as_a_whole = most_alike(key, LIKE, [(VM_ANNOTATION, ())]).is_some();
    (is_near || of_kubevirt || as_a_whole).then_some(VM_ANNOTATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_keys_are_misspellings_and_others_are_not() {
        for key in [
            "vm.kubevirt.io/validation",
            "vm.kubevirt.io/Validations",
            "vm.kubevirt.io/validatons",
            "vm.kubevirt.io/valdiations",
            "vm.kubevirt.io.validations",
            "vm.kubevirt/validations",
            "vms.kubevirt.io/validations",
            "kubevirt.io/validations",
            "vm.kubevirt.io/validations ",
            "vm-kubevirt-io/validations",
        ] {
            assert_eq!(suggest_annotation(key), Some(VM_ANNOTATION), "{key}");
        }
        for key in ["validatons", "Validations", "valdiations", "validationss"] {
            assert_eq!(suggest_annotation(key), Some("validations"), "{key}");
        }
        for key in [
            "vm.kubevirt.io/validations",
            "validations",
            "validation",
            "vm.kubevirt.io/os",
            "vm.kubevirt.io/workload",
            "vm.kubevirt.io/flavor",
            "name.os.template.kubevirt.io/fedora40",
            "defaults.template.kubevirt.io/disk",
            "template.kubevirt.io/editable",
            "example.com/validation-state",
            "description",
            "tags",
            "iconClass",
            "validator",
        ] {
            assert_eq!(suggest_annotation(key), None, "{key}");
        }
    }
}
