//! Flavors checked against definitions: by what these mean, or as Nova would.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_extra_specs::lints::{EXTRA_SPEC_VALUE, UNKNOWN_EXTRA_SPEC, UNUSUAL_SPELLING};
use kvrules_extra_specs::nova::api::{key_error, text_error};
use kvrules_extra_specs::nova::{NovaOutcome, NovaRefusalKind, NovaValidator};
use kvrules_extra_specs::{
    Checker, Definition, DefinitionRegistry, Finding, FlavorSpec, Flavors, ValidationMode,
};

use super::layers::definition_layers;

/// Mode in which flavors are checked against the definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckMode {
    /// Strictness of the check. If unset, strict by default, and under `nova` as released Nova does, which checks names
    /// in the namespaces that it knows.
    pub validation: Option<ValidationMode>,
    /// True to decide as Nova's code does instead of by the meaning of the definitions.
    pub nova: bool,
}

/// Definitions, ready to evaluate flavors by.
#[derive(Debug)]
pub struct FlavorChecker {
    registry: DefinitionRegistry,
    nova: Option<NovaValidator>,
    mode: CheckMode,
}

/// Findings about flavors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlavorFindings {
    /// Errors and remarks, in the order of the text. An error means that a pair is rejected.
    pub findings: Vec<Diagnostic>,
    /// Keys without definition that `permissive` lets pass.
    pub logged: Vec<Diagnostic>,
}

impl FlavorChecker {
    /// Creates a checker with Nova's definitions, followed by an operator's own.
    ///
    /// ```
    /// use kvrules::FileId;
    /// use kvrules::extra_specs::{CheckMode, FlavorChecker, parse_arguments, parse_definitions};
    ///
    /// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
    ///             - {name: 'acme:tier', description: The service level., value: {type: string, enum: [gold, silver]}}\n";
    /// let own = parse_definitions(FileId(0), text).0.expand_definitions();
    /// let checker = FlavorChecker::new(vec![own], CheckMode::default());
    /// let findings = |pair: &str| checker.check_flavors(&parse_arguments(FileId(1), &[pair])).findings;
    /// assert!(findings("acme:tier=gold").is_empty());
    /// assert_eq!(findings("acme:tier=bronze")[0].code, "KX201");
    /// ```
    pub fn new(own: Vec<Vec<Definition>>, mode: CheckMode) -> Self {
        let layers = definition_layers(own);
        let nova = mode.nova.then(|| NovaValidator::from_definitions(&layers.concat()));
        Self { registry: DefinitionRegistry::new(layers), nova, mode }
    }

    /// Returns the definitions.
    ///
    /// ```
    /// use kvrules::extra_specs::{CheckMode, FlavorChecker};
    ///
    /// let checker = FlavorChecker::new(Vec::new(), CheckMode::default());
    /// let found = checker.registry().find_definition("hw:numa_cpus.0").unwrap();
    /// assert_eq!(found.definition.name, "hw:numa_cpus.{num}");
    /// ```
    pub fn registry(&self) -> &DefinitionRegistry {
        &self.registry
    }

    /// Checks the extra specs of flavors; returns the findings. Without findings if the mode switches validation off.
    ///
    /// ```
    /// use kvrules::FileId;
    /// use kvrules::extra_specs::{CheckMode, FlavorChecker, ValidationMode, parse_arguments};
    ///
    /// let flavors = parse_arguments(FileId(0), &["hw:numa_nodes=0", "acme:tier=gold"]);
    /// let check = |validation| FlavorChecker::new(Vec::new(), CheckMode { validation, nova: false }).check_flavors(&flavors);
    /// let strict = check(None);
    /// assert_eq!(strict.findings.iter().map(|found| found.code).collect::<Vec<_>>(), ["KX201", "KX203"]);
    /// let permissive = check(Some(ValidationMode::Permissive));
    /// assert_eq!((permissive.findings.len(), permissive.logged[0].code), (1, "KX203"));
    /// ```
    pub fn check_flavors(&self, flavors: &Flavors) -> FlavorFindings {
        let mut evaluated = FlavorFindings::default();
        let validation = self.mode.validation.unwrap_or_default();
        if validation == ValidationMode::Off {
            return evaluated;
        }
        evaluated.findings.extend_from_slice(&flavors.misshapen);
        let checker = Checker::new(&self.registry, validation);
        for spec in flavors.flavors.iter().flat_map(|flavor| &flavor.specs) {
            let findings = checker.check_one(&spec.key, &spec.value);
            match &self.nova {
                None => {
                    for finding in findings {
                        evaluated.add_finding(self.mode, spec, finding);
                    }
                }
                Some(nova) => evaluated.take_nova(self.mode.validation, nova, spec, &findings),
            }
        }
        for property in flavors.images.iter().flat_map(|image| &image.properties) {
            if let Some(finding) = checker.check_property(&property.key, &property.value) {
                evaluated.add_finding(self.mode, property, finding);
            }
        }
        evaluated.findings.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        // Flavors may share extra specs, by aliases of YAML.
        evaluated.findings.dedup();
        evaluated
    }
}

impl FlavorFindings {
    /// Takes up what the definitions say.
    fn add_finding(&mut self, mode: CheckMode, spec: &FlavorSpec, finding: Finding) {
        let is_about_value = [&EXTRA_SPEC_VALUE, &UNUSUAL_SPELLING].contains(&finding.lint);
        let span = if is_about_value { spec.value_span } else { spec.key_span };
        let is_logged = finding.is_unknown_key() && mode.validation == Some(ValidationMode::Permissive);
        let found = finding.lint.diagnostic_at(span, finding.message).help_if(finding.help);
        if is_logged {
            self.logged.push(Diagnostic { level: Level::Info, ..found });
        } else {
            self.findings.push(found);
        }
    }

    /// Adds Nova's findings. Suggestions come from the definitions.
    fn take_nova(
        &mut self,
        mode: Option<ValidationMode>,
        nova: &NovaValidator,
        spec: &FlavorSpec,
        findings: &[Finding],
    ) {
        // The API validates the schema of a request before it calls the validator.
        let by_schema = match key_error(&spec.key) {
            Some(message) => Some((&UNKNOWN_EXTRA_SPEC, spec.key_span, message)),
            None => text_error(&spec.key, &spec.value)
                .map(|message| (&EXTRA_SPEC_VALUE, spec.value_span, message)),
        };
        if let Some((lint, span, message)) = by_schema {
            self.findings.push(lint.diagnostic_at(span, message));
            return;
        }
        let outcome = match mode {
            Some(mode) => nova.check_in(mode, &spec.key, &spec.value),
            None => nova.check_pair(&spec.key, &spec.value),
        };
        let help = findings
            .iter()
            .find(|finding| finding.is_rejection() || finding.is_unknown_key())
            .and_then(|finding| finding.help.clone());
        let (lint, span, message) = match outcome {
            NovaOutcome::Accepted => {
                let unknown = findings.iter().find(|finding| finding.is_unknown_key());
                if let (Some(ValidationMode::Permissive), Some(unknown)) = (mode, unknown) {
                    let found = unknown.lint.diagnostic_at(spec.key_span, unknown.message.clone());
                    self.logged.push(Diagnostic { help, level: Level::Info, ..found });
                }
                return;
            }
            NovaOutcome::Refused(refusal) => match refusal.kind {
                NovaRefusalKind::UnknownName | NovaRefusalKind::NameFormat => {
                    (&UNKNOWN_EXTRA_SPEC, spec.key_span, refusal.text)
                }
                _ => (&EXTRA_SPEC_VALUE, spec.value_span, refusal.text),
            },
            NovaOutcome::Crash(class) => {
                (&EXTRA_SPEC_VALUE, spec.key_span, format!("Nova crashes with `{class}` at `{}`", spec.key))
            }
            NovaOutcome::Unstable { crash } => {
                let message = format!(
                    "Nova rejects `{}` or crashes with `{crash}`, which varies from run to run",
                    spec.key
                );
                (&UNKNOWN_EXTRA_SPEC, spec.key_span, message)
            }
            NovaOutcome::Undecided => {
                (&EXTRA_SPEC_VALUE, spec.key_span, format!("unknown behavior of Nova for `{}`", spec.key))
            }
        };
        self.findings.push(lint.diagnostic_at(span, message).help_if(help));
    }
}
