//! The targets of one request: which of them apply, and their files.

use crate::resource_schema::set_name;
use crate::{Emission, EmitError, Emitter, OutputFile, Request};
use kvrules_apiserver::definition::ResourceVersion;

/// Files of one target, and their fidelity.
#[derive(Debug)]
pub struct TargetOutput {
    /// The target's name.
    pub target: &'static str,
    /// Its files with the rule sets, and their fidelity to each rule. Empty if it expresses none.
    pub emission: Emission,
    /// Its files with the definitions of extra specs, and their fidelity to each definition. Empty if it expresses none.
    pub extra_specs: Emission,
    /// Its files with the schemas of CustomResourceDefinitions, and their fidelity to each keyword and rule. Empty if it
    /// expresses none.
    pub resources: Emission,
}

/// A target that cannot be made of a request, whatever its rules are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnavailableTarget {
    /// The target's name.
    pub target: &'static str,
    /// The part that it needs and that the request lacks.
    pub cause: String,
}

/// Parts the targets that express anything of a request into those that can be generated from it and those that cannot.
///
/// ```
/// use kvrules::{FileId, Request, SourceFile, Subject};
///
/// let rules = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "s", "rule": "integer", "message": "m", "path": "jsonpath::.size", "max": 8}]
/// "#;
/// let schema = SourceFile::new(FileId(0), "box.json", r#"{"properties": {"size": {"type": "integer"}}}"#);
/// let catalog = kvrules::read_catalog(&schema, None)?;
/// let sets = kvrules::read_rules_with(&SourceFile::new(FileId(1), "rules.yaml", rules), &catalog).sets;
/// let request = Request {
///     subject: &Subject::default(),
///     schema: Some(&schema),
///     ..Request::for_virtual_machines(&sets)
/// };
/// let (made, unavailable) = kvrules::partition_targets(kvrules::all_targets(), &request);
/// let names: Vec<_> = unavailable.iter().map(|left_out| left_out.target).collect();
/// assert_eq!(names, ["admission-policy", "crd"]);
/// assert!(made.iter().all(|target| target.name != "glance-metadefs"), "it expresses no rules");
/// # Ok::<(), Vec<kvrules::Diagnostic>>(())
/// ```
pub fn partition_targets(
    targets: &[&'static Emitter],
    request: &Request<'_>,
) -> (Vec<&'static Emitter>, Vec<UnavailableTarget>) {
    let (mut made, mut left_out) = (Vec::new(), Vec::new());
    for target in targets.iter().copied().filter(|target| is_applicable(target, request)) {
        match target.unavailable_reason(request).filter(|_| !request.sets.is_empty()) {
            None => made.push(target),
            Some(cause) => left_out.push(UnavailableTarget { target: target.name, cause }),
        }
    }
    (made, left_out)
}

/// True if a target expresses the rule sets, the definitions of extra specs or the CustomResourceDefinitions of a request, whichever
/// it has.
///
/// ```
/// use kvrules::extra_specs::shipped_document;
/// use kvrules::{Request, find_emitter, is_applicable};
///
/// let definitions = shipped_document().expand_definitions();
/// let request = Request { definitions: &definitions, ..Request::for_virtual_machines(&[]) };
/// assert!(is_applicable(find_emitter("json-schema").unwrap(), &request));
/// assert!(!is_applicable(find_emitter("openapi").unwrap(), &request), "it expresses rules only");
/// ```
pub fn is_applicable(target: &Emitter, request: &Request<'_>) -> bool {
    (target.rule_sets.is_some() && !request.sets.is_empty())
        || (target.extra_specs.is_some() && !request.definitions.is_empty())
        || target.expresses_versions(request)
}

/// Generates the files of each target from the rule sets and the definitions of a request, in memory. Targets that
/// express nothing of it are left out.
///
/// # Errors
///
/// The first target that cannot be generated, with the reason.
///
/// ```
/// use kvrules::{FileId, Request, SourceFile};
///
/// let text = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}]
/// "#;
/// let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text)).sets;
/// let targets = [kvrules::find_emitter("openapi").unwrap()];
/// let outputs = kvrules::compile_targets(&targets, &Request::for_virtual_machines(&sets))?;
/// assert_eq!(outputs[0].emission.fidelity[0].fidelity.as_str(), "exact");
/// assert!(outputs[0].emission.files[0].text.contains("maximum: 8"));
/// # Ok::<(), kvrules::EmitError>(())
/// ```
pub fn compile_targets(
    targets: &[&'static Emitter],
    request: &Request<'_>,
) -> Result<Vec<TargetOutput>, EmitError> {
    let applicable = targets.iter().filter(|target| is_applicable(target, request));
    applicable.map(|target| compile_target(target, request)).collect()
}

fn compile_target(target: &'static Emitter, request: &Request<'_>) -> Result<TargetOutput, EmitError> {
    let of_rules = target.rule_sets.as_ref().filter(|_| !request.sets.is_empty());
    let of_extra_specs = target.extra_specs.as_ref().filter(|_| !request.definitions.is_empty());
    let emission = of_rules.map_or_else(|| Ok(Emission::default()), |form| (form.emit)(request));
    let name_target = |EmitError { message }| EmitError {
        message: format!("cannot generate the target `{}`: {message}", target.name),
    };
    let emission = emission.map_err(name_target)?;
    let extra_specs = of_extra_specs.map(|form| (form.emit)(request)).unwrap_or_default();
    let resources = target.emit_versions(request).map(|emission| name_rules(emission, request.resources));
    Ok(TargetOutput {
        target: target.name,
        emission,
        extra_specs,
        resources: resources.map_err(name_target)?,
    })
}

/// Names rules as their authors do.
fn name_rules(mut emission: Emission, versions: &[ResourceVersion]) -> Emission {
    // The keywords of the subject's schema are no rules of a RuleSet.
    emission.fidelity.retain(|entry| {
        let version = versions.iter().find(|version| set_name(version) == entry.set);
        let authored = version.and_then(|version| version.authored.as_ref());
        authored.is_none_or(|authored| authored.rule_names.contains_key(&entry.rule))
    });
    for entry in &mut emission.fidelity {
        if let Some(version) = versions.iter().find(|version| set_name(version) == entry.set) {
            entry.rule = version.shown_rule_name(&entry.rule).to_owned();
        }
    }
    for restated in &mut emission.restated {
        if let Some(version) = versions.iter().find(|version| set_name(version) == restated.set) {
            restated.rule = version.shown_rule_name(&restated.rule).to_owned();
        }
    }
    emission
}

impl TargetOutput {
    /// Returns all files.
    ///
    /// ```
    /// use kvrules::extra_specs::shipped_document;
    ///
    /// let definitions = shipped_document().expand_definitions();
    /// let request = kvrules::Request { definitions: &definitions, ..kvrules::Request::for_virtual_machines(&[]) };
    /// let outputs = kvrules::compile_targets(kvrules::all_targets(), &request)?;
    /// let schema = outputs.iter().find(|output| output.target == "json-schema").unwrap();
    /// assert_eq!(schema.output_files().next().unwrap().path, "extra-specs.schema.json");
    /// # Ok::<(), kvrules::EmitError>(())
    /// ```
    pub fn output_files(&self) -> impl Iterator<Item = &OutputFile> {
        self.emission.files.iter().chain(&self.extra_specs.files).chain(&self.resources.files)
    }
}
