//! Reading a baseline, with places for what is wrong in it.

use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_syntax::{Node, SyntaxKind, parse_json};

use super::{Baseline, Entry, VERSION};

/// Reads a baseline, or returns all errors in it.
pub(super) fn read_baseline(file: &SourceFile) -> Result<Baseline, Vec<Diagnostic>> {
    let document = parse_json(file.id(), file.text());
    if file.text().trim().is_empty() {
        return Err(vec![fault_diagnostic(Span::new(file.id(), 0, 0), "the baseline is empty".to_owned())]);
    }
    // Further errors in JSON usually follow from the first, so only that one is reported.
    if let Some(problem) = document.problems().first() {
        return Err(vec![fault_diagnostic(problem.span, "invalid JSON in the baseline".to_owned())]);
    }
    let mut reader = BaselineReader { faults: Vec::new() };
    let baseline = document.root().map(|root| reader.read_root(root)).unwrap_or_default();
    if reader.faults.is_empty() { Ok(baseline) } else { Err(reader.faults) }
}

struct BaselineReader {
    faults: Vec<Diagnostic>,
}

impl BaselineReader {
    fn read_root(&mut self, root: Node<'_>) -> Baseline {
        let mut baseline = Baseline::default();
        match root.get("version") {
            Some(version) if version.text() == VERSION.to_string() => {}
            Some(version) => {
                self.add_fault(version, format!("unsupported version of the baseline; expected {VERSION}"));
                return baseline;
            }
            None => self.add_fault(root, "missing `version` in the baseline".to_owned()),
        }
        let Some(findings) = root.get("findings").filter(|findings| findings.is_list()) else {
            self.add_fault(
                root.get("findings").unwrap_or(root),
                "missing list `findings` in the baseline".to_owned(),
            );
            return baseline;
        };
        for node in findings.items() {
            if let Some((entry, count)) = self.read_entry(node) {
                let retained = baseline.entries.entry(entry).or_default();
                *retained = retained.saturating_add(count);
            }
        }
        baseline
    }

    fn read_entry(&mut self, node: Node<'_>) -> Option<(Entry, u32)> {
        let texts = ["file", "code", "message"].map(|key| self.read_text(node, key));
        // These keys are optional.
        let names = ["rule_set", "rule"].map(|key| {
            let stands = node.get(key).is_some_and(|value| value.kind() != SyntaxKind::Null);
            if stands { self.read_text(node, key) } else { None }
        });
        let count = self.read_count(node);
        let ([file, code, message], [rule_set, rule]) = (texts, names);
        Some((Entry { file: file?, code: code?, rule_set, rule, message: message? }, count?))
    }

    fn read_text(&mut self, node: Node<'_>, key: &str) -> Option<String> {
        let text = node.get(key).and_then(Node::as_str);
        if text.is_none() {
            self.add_fault(node.get(key).unwrap_or(node), format!("a finding has no string `{key}`"));
        }
        text.map(str::to_owned)
    }

    fn read_count(&mut self, node: Node<'_>) -> Option<u32> {
        let count = node.get("count").filter(|value| value.kind() == SyntaxKind::Number);
        let count = count.and_then(|value| value.text().parse().ok()).filter(|count| *count > 0);
        if count.is_none() {
            self.add_fault(
                node.get("count").unwrap_or(node),
                "a finding needs a `count` of at least 1".to_owned(),
            );
        }
        count
    }

    fn add_fault(&mut self, node: Node<'_>, message: String) {
        let span = node.span();
        // For a list or an object, mark only the opening bracket.
        let end = if node.is_list() || node.is_map() { span.end.min(span.start + 1) } else { span.end };
        self.faults.push(fault_diagnostic(Span { end, ..span }, message));
    }
}

fn fault_diagnostic(span: Span, message: String) -> Diagnostic {
    Diagnostic::refused_input("baseline", span, message)
        .with_help("`kvrules check --write-baseline` rewrites it")
}
