//! The rules that VirtualMachines are evaluated by, prepared for both engines.

use std::sync::{Arc, OnceLock};

use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile, Sources, Span};
use kvrules_elaborate::{
    ElaboratedAnnotation,
    annotation::{self, Annotation, VM_ANNOTATION},
    catalog::Catalog,
};
use kvrules_eval::Program;
use kvrules_ir::{ElaboratedRule, OmissionCause, OmissionKind, OmittedRule, OmittedRuleContent};
use kvrules_lint::{LintedAnnotation, LintedFile};
use kvrules_syntax::{Node, parse_json};
use kvrules_template_validator::divergence::{PreparedAnnotation as Both, WrittenRule};
use kvrules_template_validator::{DecodeError, Rules as SspRules};
use serde_json::json;

/// The rules of one annotation.
#[derive(Debug)]
pub(super) struct PreparedRules {
    /// The annotation's text, as it stands.
    pub(super) text: String,
    /// Each rule with its meaning decided.
    pub(super) rules: Vec<(ElaboratedRule, Program)>,
    /// The rules that have no meaning that can be evaluated.
    pub(super) left_out: Vec<OmittedRule>,
    /// The reason why the rules cannot be trusted, if any.
    pub(super) unsound: Option<UnsoundRules>,
    /// The rules as the deployed validator reads them.
    pub(super) ssp: Result<SspRules, DecodeError>,
    /// Each member of the list of rules, as the deployed validator counts them.
    pub(super) members: Vec<RuleListMember>,
    /// The annotation's key.
    pub(super) key: String,
    /// The rules as both engines take them, once a difference was met.
    both: OnceLock<Both>,
}

/// A member of the list of rules.
#[derive(Debug)]
pub(super) struct RuleListMember {
    /// Index among the rules with a meaning; `None` without one.
    pub(super) rule: Option<usize>,
    /// True if it only warns, for the deployed validator.
    pub(super) only_warns: bool,
}

/// Rules that do not say what their author thinks.
#[derive(Clone, Debug)]
pub struct UnsoundRules {
    /// The text that the findings are in.
    pub sources: Arc<Sources>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// True if rules with a finding do not say what their author thinks. Consumers ignore a rule of an unknown kind.
// Template validation annotations 201902, Validation rules
fn prevents_evaluation(found: &Diagnostic) -> bool {
    found.level == Level::Error && !found.is_of(&kvrules_lint::lints::UNKNOWN_KIND)
}

impl PreparedRules {
    /// The rules of an annotation in its file; `text` is its text.
    pub(super) fn new(
        source: &SourceFile,
        annotation: Annotation<'_>,
        text: &str,
        catalog: &Catalog,
    ) -> Self {
        let key = annotation.key_text().to_owned();
        let members: Vec<_> =
            annotation.root().into_iter().flat_map(Node::items).map(rule_location).collect();
        let annotated = [LintedAnnotation::from(ElaboratedAnnotation::new(annotation, "rules", catalog))];
        let found = kvrules_lint::lint_file(&LintedFile::new(source, &[], &annotated));
        let errors: Vec<_> = found.into_iter().filter(prevents_evaluation).collect();
        let [LintedAnnotation { elaborated: ElaboratedAnnotation { elaboration, .. }, .. }] = annotated;
        let mut left_out = elaboration.left_out;
        let mut rules = Vec::new();
        for rule in elaboration.rules {
            match Program::new(&rule) {
                Ok(program) => rules.push((rule, program)),
                Err(error) => {
                    left_out.push(OmittedRule {
                        name: rule.name,
                        cause: OmissionCause::new(OmissionKind::Regex, error.to_string()),
                        content: rule.written.0.map_or(OmittedRuleContent::Unknown, OmittedRuleContent::Rule),
                        origin: rule.origin,
                    });
                }
            }
        }
        let unsound = (!errors.is_empty()).then(|| {
            let mut sources = Sources::default();
            sources.add_file(source.name(), source.text());
            UnsoundRules { sources: Arc::new(sources), diagnostics: errors }
        });
        let members = members.into_iter().map(|(span, only_warns)| RuleListMember {
            rule: rules.iter().position(|(rule, _)| rule.origin.span() == Some(span)),
            only_warns,
        });
        Self {
            members: members.collect(),
            rules,
            left_out,
            unsound,
            ssp: SspRules::decode_annotation(text),
            text: text.to_owned(),
            key,
            both: OnceLock::new(),
        }
    }

    /// The rules as both engines take them.
    pub(super) fn as_both_engines(&self) -> &Both {
        self.both.get_or_init(|| Both::new(&self.key, &self.text))
    }

    /// The rules in a text that stands in no file as it is, because parameters were put in.
    pub(super) fn of_text(key: &str, text: &str, name: &str, catalog: &Catalog) -> Option<Self> {
        let metadata = json!({"annotations": {key: text}});
        let holder = if key == VM_ANNOTATION {
            json!({"kind": "VirtualMachine", "metadata": metadata})
        } else {
            json!({"kind": "Template", "metadata": metadata})
        };
        let source = SourceFile::new(FileId(0), format!("{name} (parameters put in)"), holder.to_string());
        let document = parse_json(FileId(0), source.text());
        let annotation = annotation::find_annotations(&document).into_iter().next()?;
        Some(Self::new(&source, annotation, text, catalog))
    }
}

/// Returns the location of a member of the list of rules, and true if it only warns for the deployed validator.
fn rule_location(rule: Node<'_>) -> (Span, bool) {
    (rule.span(), WrittenRule::new(rule).just_warning)
}
