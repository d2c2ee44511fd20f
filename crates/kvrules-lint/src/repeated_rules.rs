//! Rules that repeat another rule of the same file, as those in the templates of a bundle do.

use std::{collections::HashMap, rc::Rc};

use kvrules_syntax::{Node, NodeStyle, Notation};

use crate::RuleView;

/// Lets rules that repeat an earlier one share what is predicted for it, and notes which they repeat.
pub(crate) fn share_predictions(rules: &mut [RuleView<'_>]) {
    let mut earlier = HashMap::new();
    for index in 0..rules.len() {
        let (before, rest) = rules.split_at_mut(index);
        let Some(rule) = rest.first_mut() else { continue };
        let span = rule.node.span();
        let text = rule.source.text().get(span.start as usize..span.end as usize).unwrap_or_default();
        let at = *earlier.entry(text).or_insert(index);
        if let Some(first) = before.get(at).filter(|first| is_repeated(first, rule)) {
            rule.foreseen = Rc::clone(&first.foreseen);
            rule.repeats = Some(at).filter(|_| rule.is_checked_as(first));
        }
    }
}

/// True if two rules have the same content and the same meaning, so that the same is predicted for both.
fn is_repeated(one: &RuleView<'_>, other: &RuleView<'_>) -> bool {
    one.is_predictable() == other.is_predictable()
        && one.read == other.read
        && one.meaning == other.meaning
        && (is_read_one_way(one) && is_read_one_way(other) || is_same_content(one.node, other.node))
}

/// True if the same text says the same wherever this holds: it is valid JSON in a literal block.
fn is_read_one_way(rule: &RuleView<'_>) -> bool {
    rule.node.notation() == Notation::Json(Some(NodeStyle::Literal))
        && rule.annotation.json().is_some_and(|json| json.problems().is_empty())
}

/// True if two nodes that are written alike have the same content in the same notation. The same text may be read in two ways: in a block,
/// and in quotation marks.
fn is_same_content(one: Node<'_>, other: Node<'_>) -> bool {
    let form = |node: Node<'_>| (node.kind(), node.style(), node.notation());
    let mut others = children(other);
    form(one) == form(other)
        && one.text() == other.text()
        && children(one).all(|child| others.next().is_some_and(|other| is_same_content(child, other)))
        && others.next().is_none()
}

/// The items of a list; the keys and values of a map.
fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.items().chain(node.entries().flat_map(|entry| [entry.key, entry.value]))
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::{FileId, SourceFile};
    use kvrules_elaborate::{ElaboratedAnnotation, annotation::find_annotations, catalog::Catalog};
    use kvrules_syntax::source_stream;

    use super::*;
    use crate::{LintedAnnotation, LintedFile};

    /// For each rule of a text, the first rule whose predictions it has.
    fn sharers(text: &str) -> Vec<usize> {
        let source = SourceFile::new(FileId(0), "rules.yaml", text);
        let stream = source_stream(&source);
        let found = stream.documents.iter().flat_map(find_annotations);
        let annotations: Vec<LintedAnnotation<'_>> = found
            .map(|found| ElaboratedAnnotation::new(found, "rules", Catalog::kubevirt_vm()).into())
            .collect();
        let documents: Vec<_> = stream.documents.iter().collect();
        let file = LintedFile::new(&source, &documents, &annotations);
        let mut rules: Vec<_> = file.rules().collect();
        share_predictions(&mut rules);
        let first = |rule: &RuleView<'_>| {
            rules.iter().position(|other| Rc::ptr_eq(&rule.foreseen, &other.foreseen)).unwrap()
        };
        rules.iter().map(first).collect()
    }

    const RULE: &str = r#"{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8}"#;

    fn document(rules: &str) -> String {
        format!("kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: {rules}\n")
    }

    #[test]
    fn the_same_rule_of_two_documents_is_predicted_once() {
        let one = document(&format!("|\n      [{RULE}]"));
        let other = document(&format!("|\n      [{RULE}, {}]", RULE.replace('8', "9")));
        assert_eq!(sharers(&format!("{one}---\n{other}---\n{other}")), [0, 0, 2, 0, 2]);
    }

    #[test]
    fn the_same_text_in_another_notation_is_another_rule() {
        let rule = RULE.replace(r#""max": 8"#, r#""max": "\u0038""#);
        let block = document(&format!("|\n      [{rule}]"));
        let flow = document(&format!("[{rule}]"));
        assert_eq!(sharers(&format!("{block}---\n{flow}")), [0, 1]);
        let quoted = RULE.replace('"', "'");
        let block = document(&format!("|\n      [{quoted}]"));
        let single = document(&format!("'[{}]'", quoted.replace('\'', "''")));
        assert_eq!(sharers(&format!("{block}---\n{single}")), [0, 1]);
    }
}
