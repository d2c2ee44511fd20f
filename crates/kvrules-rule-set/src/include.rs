//! Rules of other RuleSet files, whose paths get a prefix.
//!
//! A file that is included in several ways counts once for each path that it is included under, so that the rules are no more than those
//! of all files at all these paths.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use kvrules_diagnostics::{Diagnostic, FileId, SourceFile, Span};
use kvrules_syntax::{Node, parse_stream};

use crate::lints;
use crate::mapping::check_mapping;
use crate::path::{PathStep, RulePath};
use crate::rule_set::AuthoredRule;
use crate::shape::schema_at;
use crate::subject::RuleSubject;
use crate::subject_definitions::{SubjectDefinitions, is_rule_set};

/// Maximum number of files within each other.
const MOST_LEVELS: usize = 16;

/// Maximum number of inclusions of one RuleSet, those in included files among them.
const MOST_INCLUSIONS: usize = 500;

/// Maximum number of rules that one RuleSet includes.
const MOST_RULES: usize = 5_000;

/// An entry of `include`.
struct Inclusion<'d> {
    file: Node<'d>,
    /// The path that the paths of the included rules start from.
    under: RulePath,
    name_prefix: String,
}

/// Returns the files that a document includes, as they are written.
pub(crate) fn included_files(spec: Node<'_>) -> Vec<String> {
    let files = spec.get("include").into_iter().flat_map(Node::items).filter_map(|item| item.get("file"));
    files.filter_map(Node::as_str).map(str::to_owned).collect()
}

/// Returns a file that another includes, from the folder of the outermost: `lib/a.yaml` includes `b.yaml`, which is `lib/b.yaml`.
///
/// ```
/// assert_eq!(kvrules_rule_set::included_name("lib/a.yaml", "../b.yaml"), "b.yaml");
/// ```
pub fn included_name(of: &str, file: &str) -> String {
    if file.starts_with('/') {
        return file.to_owned();
    }
    let folder = of.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if folder.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

/// Reads a list of rules whose paths start from a prefix.
type ReadRules<'a> = dyn Fn(Node<'_>, &RulePath, &mut Vec<Diagnostic>) -> Vec<AuthoredRule> + 'a;

/// Reads the rules of included files.
pub(crate) struct IncludedReader<'a> {
    definitions: &'a SubjectDefinitions,
    subject: &'a RuleSubject,
    read: &'a ReadRules<'a>,
    state: RefCell<InclusionState>,
}

/// The inclusions of one RuleSet that were read.
#[derive(Default)]
struct InclusionState {
    /// Each file with the path that it is included under.
    read: HashSet<(String, String)>,
    rules: usize,
    /// True after a limit was exceeded. The rest is left out, since there may be far more of it.
    is_exceeded: bool,
}

impl<'a> IncludedReader<'a> {
    pub(crate) fn new(
        definitions: &'a SubjectDefinitions,
        subject: &'a RuleSubject,
        read: &'a ReadRules<'a>,
    ) -> Self {
        Self { definitions, subject, read, state: RefCell::default() }
    }

    /// Reads the rules that a document includes, each at its entry of `include`.
    pub(crate) fn read_included(&self, spec: Node<'_>, findings: &mut Vec<Diagnostic>) -> Vec<AuthoredRule> {
        self.read_level(spec, &[], &RulePath::default(), findings)
    }

    /// Reads the files that a document includes; `chain` leads to its file.
    fn read_level(
        &self,
        spec: Node<'_>,
        chain: &[String],
        prefix: &RulePath,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<AuthoredRule> {
        let Some(include) = spec.get("include") else { return Vec::new() };
        if !include.is_list() {
            let message = "`include` must be a list of files";
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(include.span(), message));
        }
        let mut rules = Vec::new();
        let mut own = HashSet::new();
        for item in include.items() {
            let Some(inclusion) = self.read_inclusion(item, prefix, findings) else { continue };
            let file = chain.last().map_or("", String::as_str);
            let name = included_name(file, inclusion.file.text());
            let context = (name, inclusion.under.to_string());
            if !own.insert(context.clone()) {
                let message = format!("`{}` is included twice under one path", context.0);
                let finding = lints::RULE_SET_SHAPE.diagnostic_at(inclusion.file.span(), message);
                findings
                    .push(finding.with_help("remove this entry, or include the file `under` another path"));
                continue;
            }
            rules.extend(self.read_context(&inclusion, chain, context, findings));
        }
        rules
    }

    /// Reads the rules of a file under a path, unless they have been read.
    fn read_context(
        &self,
        inclusion: &Inclusion<'_>,
        chain: &[String],
        context: (String, String),
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<AuthoredRule> {
        let span = inclusion.file.span();
        let chain: Vec<String> = chain.iter().cloned().chain([context.0.clone()]).collect();
        let written = chain_text(&chain);
        let mut report = |message: String, help: &str| {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message).with_help(help));
            Vec::new()
        };
        let around = chain.split_last().map_or(&[][..], |(_, around)| around);
        if around.contains(&context.0) {
            return report(
                format!("`{}` includes itself: {written}", context.0),
                "remove one of these inclusions",
            );
        }
        if chain.len() > MOST_LEVELS {
            let message = format!("more than {MOST_LEVELS} files include each other: {written}");
            return report(message, "include the file from one that is nearer");
        }
        let is_new = {
            let mut state = self.state.borrow_mut();
            !state.is_exceeded && state.read.insert(context)
        };
        if !is_new {
            return Vec::new();
        }
        if self.state.borrow().read.len() > MOST_INCLUSIONS {
            self.state.borrow_mut().is_exceeded = true;
            let message = format!("more than {MOST_INCLUSIONS} files are included, the last by {written}");
            return report(message, "split the RuleSet, or include fewer files");
        }
        self.read_file(inclusion, &chain, findings)
    }

    fn read_inclusion<'d>(
        &self,
        item: Node<'d>,
        prefix: &RulePath,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Inclusion<'d>> {
        if !check_mapping(findings, item, "an entry of `include`", &["file", "under", "namePrefix"]) {
            return None;
        }
        let mut report = |span: Span, message: String| {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message));
        };
        let Some(file) = item.get("file").filter(|file| file.as_str().is_some()) else {
            report(item.span(), "an entry of `include` needs a `file`".to_owned());
            return None;
        };
        let under = match item.get("under") {
            None => RulePath::default(),
            Some(node) => match node.as_str().map(RulePath::parse) {
                Some(Ok(path)) if !path.has_each() => path,
                Some(Err(error)) => {
                    report(node.span_of(error.range), error.message);
                    return None;
                }
                _ => {
                    report(node.span(), "`under` must be a path without `[*]`".to_owned());
                    return None;
                }
            },
        };
        let under = prefix.join_path(&under);
        let leads_on = schema_at(&self.subject.schema, &under).is_some()
            && under.0.iter().all(|step| matches!(step, PathStep::Field(_)));
        if !leads_on {
            let span = item.get("under").map_or(item.span(), Node::span);
            let message = format!("`{}` has no field `{under}`", self.subject.version.kind);
            findings.push(lints::UNKNOWN_PATH.diagnostic_at(span, message));
            return None;
        }
        let name_prefix = item.get("namePrefix").and_then(Node::as_str).unwrap_or_default().to_owned();
        Some(Inclusion { file, under, name_prefix })
    }

    fn read_file(
        &self,
        inclusion: &Inclusion<'_>,
        chain: &[String],
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<AuthoredRule> {
        let span = inclusion.file.span();
        let name = chain.last().map_or("", String::as_str);
        let mut report = |message: String| {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message));
            Vec::new()
        };
        let text = match self.definitions.included.get(name) {
            Some(Ok(text)) => text,
            Some(Err(cause)) => return report(cause.clone()),
            None => return report(format!("`{name}` was not read")),
        };
        let stream = parse_stream(FileId(0), text);
        let sets: Vec<_> = stream.documents.iter().filter(|document| is_rule_set(document)).collect();
        let [document] = sets.as_slice() else {
            return report(format!("`{name}` must have one RuleSet, not {}", sets.len()));
        };
        let root = document.root().filter(|_| !document.has_unread_parts() && document.template().is_none());
        let Some(spec) = root.and_then(|root| root.get("spec")) else {
            return report(format!("`{name}` cannot be read; `kvrules check {name}` reports why"));
        };
        let mut own = Vec::new();
        let mut rules = match spec.get("rules") {
            Some(rules) => (self.read)(rules, &inclusion.under, &mut own),
            None => Vec::new(),
        };
        self.count_rules(rules.len(), inclusion, chain, &mut own);
        rules.extend(self.read_level(spec, chain, &inclusion.under, &mut own));
        for rule in &mut rules {
            rule.span = span;
            rule.name = format!("{}{}", inclusion.name_prefix, rule.name);
        }
        let file = SourceFile::new(FileId(0), name, text.as_str());
        findings.extend(own.into_iter().map(|found| at_inclusion(found, &file, span)));
        rules
    }

    /// Counts rules that are included, and reports it once if they are too many.
    fn count_rules(
        &self,
        number: usize,
        inclusion: &Inclusion<'_>,
        chain: &[String],
        findings: &mut Vec<Diagnostic>,
    ) {
        let mut state = self.state.borrow_mut();
        state.rules += number;
        if state.rules > MOST_RULES && !state.is_exceeded {
            state.is_exceeded = true;
            let message =
                format!("more than {MOST_RULES} rules are included, the last by {}", chain_text(chain));
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(inclusion.file.span(), message);
            findings.push(finding.with_help("split the RuleSet"));
        }
    }
}

/// The files from the first that is included to the last.
fn chain_text(chain: &[String]) -> String {
    let files: Vec<String> = chain.iter().map(|file| format!("`{file}`")).collect();
    files.join(", which includes ")
}

/// A finding in an included file, at the entry that includes it.
fn at_inclusion(mut found: Diagnostic, file: &SourceFile, span: Span) -> Diagnostic {
    let line = file.position_at(found.primary.span.start).line;
    // A finding of a deeper file is at its entry of `include` already.
    found.message = format!("{}:{line}: {}", file.name(), found.message);
    found.primary.span = span;
    found.secondary.clear();
    found.fix = None;
    found
}

/// The rules of documents by their names: no two may be equal.
pub(crate) fn report_duplicates(rules: &mut Vec<AuthoredRule>, findings: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<String, Span> = BTreeMap::new();
    rules.retain(|rule| {
        let is_first = known.insert(rule.name.clone(), rule.span).is_none();
        if !is_first {
            let message = format!("duplicate rule name `{}`", rule.name);
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(rule.span, message);
            findings.push(finding.with_help("give the included rules a `namePrefix`"));
        }
        is_first
    });
}
