//! Context of lints: the files, annotations and rules that they check.

use std::{borrow::Cow, cell::OnceCell, ops::Deref, rc::Rc, sync::Arc};

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_elaborate::{
    ElaboratedAnnotation,
    annotation::{ALL_KEYS, Annotation, Key, RuleKind},
    catalog::Catalog,
};
use kvrules_ir::{AnnotationDialect, ElaboratedRule, Rule};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{Document, Entry, Node, Problem, ProblemKind, SyntaxKind, templated::Template};
use kvrules_template_validator::divergence::{PredictedDifference, StandaloneRule, predict_differences};

use crate::{
    machines::{OwnMachine, own_machines},
    message_text::code,
    paths::{WrittenPath, path_in_string, rule_paths},
    relations::{Relations, find_relations},
    templates::{ExaminedTemplate, examine_templates},
};

/// A file with everything that was understood of it.
#[derive(Debug)]
pub struct LintedFile<'a> {
    /// The text.
    pub source: &'a SourceFile,
    /// The documents of the text whose problems are to be reported.
    pub documents: &'a [&'a Document<'a>],
    /// The annotations in them.
    pub annotations: &'a [LintedAnnotation<'a>],
    /// The templates of the documents, once a lint has asked for them.
    templates: OnceCell<Vec<ExaminedTemplate<'a>>>,
}

/// An elaborated annotation with what lints find out about all of its rules.
#[derive(Debug)]
pub struct LintedAnnotation<'d> {
    /// The annotation.
    pub elaborated: ElaboratedAnnotation<'d>,
    /// The machines next to it, computed on first use.
    machines: OnceCell<Vec<OwnMachine>>,
    /// Relations between its rules, computed on first use.
    relations: OnceCell<Relations>,
}

impl<'d> From<ElaboratedAnnotation<'d>> for LintedAnnotation<'d> {
    fn from(elaborated: ElaboratedAnnotation<'d>) -> Self {
        Self { elaborated, machines: OnceCell::new(), relations: OnceCell::new() }
    }
}

impl<'d> Deref for LintedAnnotation<'d> {
    type Target = ElaboratedAnnotation<'d>;

    fn deref(&self) -> &Self::Target {
        &self.elaborated
    }
}

/// One rule, as it is written. Made once, and examined by every lint.
#[derive(Debug)]
pub struct RuleView<'a> {
    /// The text that the rule is in.
    pub source: &'a SourceFile,
    /// The fields that its paths can name.
    pub catalog: &'a Catalog,
    /// The annotation that the rule is in.
    pub annotation: &'a Annotation<'a>,
    /// The same with what it means.
    pub(crate) annotated: &'a LintedAnnotation<'a>,
    /// The rule: a map.
    pub node: Node<'a>,
    /// The rule as it is read; none if it cannot be.
    pub read: Option<&'a Rule>,
    /// Meaning of the rule; `None` if it cannot be expressed.
    pub meaning: Option<&'a ElaboratedRule>,
    /// True if a parser had to guess where strings and objects in it end, or template tags decide its content, so that
    /// keys may be lost or made up.
    pub uncertain: bool,
    /// The entry of each known key, in the order of [`ALL_KEYS`].
    entries: [Option<Entry<'a>>; ALL_KEYS.len()],
    /// Predicted behaviour of the deployed validator, computed on first use; rules that repeat each other share it.
    pub(crate) foreseen: Rc<OnceCell<Vec<PredictedDifference>>>,
    /// Index of an earlier rule that has the same content, read in the same way, so that lints of the content find the same.
    pub(crate) repeats: Option<usize>,
    /// The paths, once a lint has asked for them.
    paths: OnceCell<Vec<WrittenPath<'a>>>,
}

impl LintedAnnotation<'_> {
    /// The VirtualMachines that stand next to the rules.
    pub(crate) fn own_machines(&self) -> &[OwnMachine] {
        self.machines.get_or_init(|| own_machines(self))
    }

    /// Returns the relations between the rules.
    pub(crate) fn relations(&self) -> &Relations {
        self.relations.get_or_init(|| find_relations(&self.understood()))
    }

    /// The rules whose meaning is beyond doubt.
    fn understood(&self) -> Vec<&ElaboratedRule> {
        let mut meanings = self.elaboration.rules.iter().peekable();
        let nodes = self.annotation.rules();
        let rules = nodes.filter_map(|node| {
            let meaning = meanings.next_if(|rule| rule.origin.span() == Some(node.span()))?;
            (!node.is_open() && !is_uncertain(&self.annotation, node)).then_some(meaning)
        });
        rules.collect()
    }

    /// True if every rule could be read and every path resolves.
    fn is_sound(&self) -> bool {
        self.set.unread.is_empty() && self.elaboration.unresolved.is_empty()
    }
}

/// Number of different rule sets of a file that others are compared with.
const MOST_COMPARED: usize = 16;

/// Notes of annotations that repeat an earlier one, as those of a bundle do, that their rules are unrelated if those of the
/// earlier one are.
pub(crate) fn share_relations(annotations: &[LintedAnnotation<'_>]) {
    let mut earlier: Vec<(Vec<&ElaboratedRule>, &LintedAnnotation<'_>)> = Vec::new();
    for annotated in annotations {
        let rules = annotated.understood();
        let same = earlier.iter().find(|(known, _)| *known == rules).map(|(_, same)| *same);
        if same.is_some_and(|same| same.relations().is_empty()) {
            // Fails only for an annotation whose relations are known already.
            let _ = annotated.relations.set(Relations::new());
        } else if same.is_none() && earlier.len() < MOST_COMPARED && !rules.is_empty() {
            earlier.push((rules, annotated));
        }
    }
}

impl<'a> LintedFile<'a> {
    /// A file whose documents' problems are to be reported, with the annotations in them.
    pub fn new(
        source: &'a SourceFile,
        documents: &'a [&'a Document<'a>],
        annotations: &'a [LintedAnnotation<'a>],
    ) -> Self {
        Self { source, documents, annotations, templates: OnceCell::new() }
    }

    /// The templates of the documents, see [`examine_templates`].
    pub(crate) fn examined_templates(&self) -> &[ExaminedTemplate<'a>] {
        self.templates.get_or_init(|| examine_templates(self.documents))
    }

    /// Everything that a parser read: the documents, and the JSON inside them.
    pub fn parsed_documents(&self) -> impl Iterator<Item = &'a Document<'a>> {
        let inside = self.annotations.iter().filter_map(|annotated| annotated.annotation.json());
        self.documents.iter().copied().chain(inside)
    }

    /// The template that the file is; none if it has no template tags.
    pub fn template(&self) -> Option<&'a Template> {
        self.documents.iter().find_map(|document| document.template())
    }

    /// Every rule.
    pub fn rules(&self) -> impl Iterator<Item = RuleView<'a>> {
        let source = self.source;
        self.annotations.iter().flat_map(move |annotated| {
            let ElaboratedAnnotation { annotation, set, elaboration, catalog } = &annotated.elaborated;
            let sound = annotated.is_sound();
            let (mut read, mut meanings) = (set.rules.iter().peekable(), elaboration.rules.iter().peekable());
            annotation.rules().map(move |node| {
                // Both lists are in the order of the text, without the rules that could not be read or elaborated.
                let place = Some(node.span());
                let read = read.next_if(|rule| rule.origin.span() == place);
                let meaning = meanings.next_if(|rule| rule.origin.span() == place);
                let uncertain = node.is_open() || is_uncertain(annotation, node);
                let entries = known_entries(node);
                // If the annotation is sound, all of its paths were resolved already.
                let paths = if sound { OnceCell::from(Vec::new()) } else { OnceCell::new() };
                let foreseen = Rc::default();
                RuleView {
                    source,
                    catalog,
                    annotation,
                    annotated,
                    node,
                    read: read.map(Arc::as_ref),
                    meaning,
                    uncertain,
                    entries,
                    foreseen,
                    repeats: None,
                    paths,
                }
            })
        })
    }
}

/// The entry of each known key: the last one that the rule itself has, else one that it merges in.
fn known_entries(rule: Node<'_>) -> [Option<Entry<'_>>; ALL_KEYS.len()] {
    let mut entries = [None; ALL_KEYS.len()];
    for entry in rule.entries() {
        let known = Key::from_text(entry.key.text()).and_then(|key| entries.get_mut(key as usize));
        if let Some(place) = known {
            *place = Some(entry);
        }
    }
    if rule.has_merges() {
        for (place, key) in entries.iter_mut().zip(ALL_KEYS) {
            *place = place.or_else(|| rule.entry(key.as_str()));
        }
    }
    entries
}

fn is_uncertain(annotation: &Annotation<'_>, rule: Node<'_>) -> bool {
    let span = rule.span();
    let inside = |problem: &&Problem| (span.start..=span.end).contains(&problem.span.start);
    let guessed = |problem: &Problem| match problem.kind {
        ProblemKind::JsonUnclosed | ProblemKind::JsonInnerQuote | ProblemKind::JsonUnexpected => true,
        ProblemKind::JsonMissingValue => !problem.detail.is_empty(),
        _ => false,
    };
    annotation.json().is_some_and(|json| json.problems().iter().filter(inside).any(guessed))
}

impl<'a> RuleView<'a> {
    /// The form that the rule is written in.
    pub fn dialect(&self) -> AnnotationDialect {
        self.annotation.form().dialect
    }

    /// Returns the span for a finding about the rule as a whole: its opening bracket.
    pub fn head_span(&self) -> Span {
        let span = self.node.span();
        Span { end: span.end.min(span.start + 1), ..span }
    }

    /// The entry of a key.
    pub fn find_entry(&self, key: Key) -> Option<Entry<'a>> {
        self.entries.get(key as usize).copied().flatten()
    }

    /// The value of a key, unless it is null or could not be read.
    pub fn key_value(&self, key: Key) -> Option<Node<'a>> {
        let value = self.find_entry(key)?.value;
        (!matches!(value.kind(), SyntaxKind::Null | SyntaxKind::Hole)).then_some(value)
    }

    /// A text with the values of the template's parameters; `None` if one of them has no value.
    pub fn fill_parameters<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        self.annotation.parameters.fill_text(text).ok()
    }

    /// The kind, if it is one of the known ones.
    pub fn kind(&self) -> Option<RuleKind> {
        RuleKind::from_text(&self.fill_parameters(self.key_value(Key::Rule)?.as_str()?)?)
    }

    /// The arguments that the rule has and its kind takes.
    pub fn arguments(&self) -> impl Iterator<Item = (Key, Node<'a>)> {
        let keys = self.kind().into_iter().flat_map(RuleKind::arguments);
        keys.filter_map(|key| Some((key, self.key_value(key)?)))
    }

    /// The number that an argument is, if it is one that is written out or that a parameter stands for.
    pub fn number_argument(&self, key: Key) -> Option<(Node<'a>, Quantity)> {
        let (node, text) = self.number_text(key)?;
        Some((node, Quantity::parse(text).ok()?))
    }

    /// The text of the number that an argument is, if it is one that is written out or that a parameter stands for.
    pub(crate) fn number_text(&self, key: Key) -> Option<(Node<'a>, &'a str)> {
        let node = self.key_value(key)?;
        let text = match node.kind() {
            SyntaxKind::Number => node.text(),
            SyntaxKind::Parameter => {
                let name = kvrules_syntax::find_parameters(node.text()).next()?.name;
                self.annotation.parameters.default_value(name)?
            }
            _ => return None,
        };
        Some((node, text))
    }

    /// The rule as it is read and what it means, where both are beyond doubt.
    pub(crate) fn understood(&self) -> Option<(&'a Rule, &'a ElaboratedRule)> {
        if self.uncertain { None } else { Some((self.read?, self.meaning?)) }
    }

    /// A path as it is written, sound or not. It is parsed for this: ask only if there is something to say.
    pub(crate) fn written(&self, node: Node<'a>) -> Option<WrittenPath<'a>> {
        path_in_string(self, node)
    }

    /// True if lints of the content find the same in another rule with the same content and meaning: neither the parameters of a template
    /// nor template tags decide what either is.
    pub(crate) fn is_checked_as(&self, other: &RuleView<'_>) -> bool {
        let form = |rule: &RuleView<'_>| (rule.dialect(), rule.uncertain, rule.annotated.is_sound());
        let is_fixed =
            !self.source.span_text(self.node.span()).contains('$') && self.node.tags_around().is_none();
        is_fixed && form(self) == form(other)
    }

    /// The paths of the rule, if any of them may be wrong: see [`rule_paths`].
    pub(crate) fn paths(&self) -> &[WrittenPath<'a>] {
        self.paths.get_or_init(|| rule_paths(self))
    }

    /// Returns the predicted behaviour of the deployed validator, where it differs from the rule's meaning.
    pub(crate) fn foreseen(&self) -> &[PredictedDifference] {
        self.foreseen.get_or_init(|| {
            if !self.is_predictable() {
                return Vec::new();
            }
            predict_differences(&StandaloneRule::new(self.node, self.read, self.meaning, None, false))
        })
    }

    /// True if the deployed validator reads the rule, and its behaviour can be compared with the rule's meaning.
    pub(crate) fn is_predictable(&self) -> bool {
        // The validator does not read rules of other objects or of the older form. A rule without a meaning has
        // a finding already, whose page describes what the validator does.
        let is_evaluated = self.catalog.subject().is_virtual_machine()
            && self.dialect() != AnnotationDialect::Annotation201901;
        !self.uncertain && self.meaning.is_some() && is_evaluated
    }

    /// Returns the noun for an object that the rule is about: `machine` or `object`.
    pub(crate) fn thing(&self) -> &'static str {
        if self.catalog.subject().is_virtual_machine() { "machine" } else { "object" }
    }

    /// Returns the title of the rule in a message: its name in backticks, or that the rule has no name.
    pub fn message_title(&self) -> String {
        match self.key_value(Key::Name).and_then(Node::as_str).filter(|name| !name.is_empty()) {
            Some(name) => format!("rule {}", code(name)),
            None => "rule without a name".to_owned(),
        }
    }
}
