//! Coverage in the format of lcov, which editors and CI services read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kvrules_diagnostics::render::one_line;
use kvrules_diagnostics::{Sources, Span};
use kvrules_syntax::pointer::find_node;
use kvrules_syntax::{Document, Node, source_stream};

use super::coverage::RuleCoverage;
use super::sites::{MeasuredRules, RuleSite};

/// Renders coverage: a line for each rule, a branch for each outcome.
pub fn render_lcov(measured: &[(&MeasuredRules<'_>, Vec<RuleCoverage>)], sources: &Sources) -> String {
    let mut files: BTreeMap<String, Vec<(u32, &RuleCoverage)>> = BTreeMap::new();
    for (rules, coverage) in measured {
        for one in coverage {
            let Some(span) = find_site(rules, &one.site, sources) else { continue };
            let Some(source) = sources.get(span.file) else { continue };
            let line = source.position_at(span.start).line;
            files.entry(source.name().to_owned()).or_default().push((line, one));
        }
    }
    let mut text = String::new();
    for (name, mut rules) in files {
        rules.sort_by_key(|(line, _)| *line);
        let _ = writeln!(text, "TN:\nSF:{}", one_line(&name));
        let (mut all, mut hit) = (0, 0);
        for (line, rule) in &rules {
            let outcomes = [rule.satisfied, rule.violated].into_iter();
            let branches = rule.branches.iter().flat_map(|it| [it.is_true, it.is_false]);
            let boundaries = rule.boundaries.iter().flat_map(|it| [it.inside.1, it.outside.1]);
            for (index, count) in outcomes.chain(branches).chain(boundaries).enumerate() {
                let _ = writeln!(text, "BRDA:{line},0,{index},{count}");
                all += 1;
                hit += usize::from(count > 0);
            }
        }
        let _ = writeln!(text, "BRF:{all}\nBRH:{hit}");
        let mut lines: BTreeMap<u32, usize> = BTreeMap::new();
        for (line, rule) in &rules {
            *lines.entry(*line).or_default() += rule.evaluated;
        }
        for (line, count) in &lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let hit = lines.values().filter(|count| **count > 0).count();
        let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    text
}

impl MeasuredRules<'_> {
    /// Returns the location of an expression in its file.
    pub fn find_span(&self, site: &RuleSite, sources: &Sources) -> Option<Span> {
        find_site(self, site, sources)
    }
}

fn find_site(rules: &MeasuredRules<'_>, site: &RuleSite, sources: &Sources) -> Option<Span> {
    if site.span.is_some() {
        return site.span;
    }
    let source = sources.get(rules.origin.file?)?;
    let stream = source_stream(source);
    let documents = stream.documents.iter().filter_map(Document::root);
    let root = documents.filter(|root| root.is_map()).nth(rules.origin.document)?;
    // A restated document, such as a template of Gatekeeper, has no expression at the same place.
    let node = find_node(root, &site.expression_pointer()).map(Node::span);
    Some(node.unwrap_or(rules.origin.span))
}
