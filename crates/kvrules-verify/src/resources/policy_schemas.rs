//! Schemas with the validations of a policy, compared with the policy.
//!
//! Each validation is tried by itself: objects are generated that its expression treats differently, the policy with this validation
//! alone evaluates the creation of each, and the schema with its rule alone validates the object.

use jsonschema::Validator;
use kvrules_apiserver::definition::{ExpressionErrors, PolicyOrigin, ResourceVersion};
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use kvrules_diagnostics::Exactness;
use kvrules_emit::resource_schema::{KEYWORDS, set_name};
use kvrules_emit::{Emission, EmitError, Emitter, Fidelity, RuleFidelity};
use kvrules_generate::without_rules;
use kvrules_ir::Formula;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{LiftedExpression, PolicyLifter, PolicySubject, definition_rules};
use kvrules_syntax::pointer::escape_step;
use serde_json::{Value, json};

use super::{VerifiedVersion, run_emission};
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict};
use crate::report::RuleReport;

/// Number of objects that each validation is tried with.
const OBJECTS: usize = 200;

/// The most objects that are tried in search of an error.
const SMALLER_OBJECTS: usize = 4_000;

type EmitVersion<'a> = dyn Fn(&ResourceVersion) -> Result<Emission, EmitError> + 'a;

/// Verifies the claims about the validations of the policy that the rules of a version are.
pub(super) fn verify_policy_schema(
    target: &Emitter,
    version: &ResourceVersion,
    origin: &PolicyOrigin,
    emit: &EmitVersion<'_>,
) -> VerifiedVersion {
    let set = set_name(version);
    let report = |rule: &str, claim: &Fidelity, finding, objects| RuleReport {
        rule: rule.to_owned(),
        sets: vec![set.clone()],
        claim: claim.clone(),
        finding,
        objects,
    };
    let fidelity = match run_emission(target, emit(version)) {
        Ok((_, fidelity)) => fidelity,
        Err(cause) => {
            let finding = ClaimFinding::Fault(ClaimFault::CannotRun(cause));
            let rules = vec![report(KEYWORDS, &Fidelity::Exact, finding, 0)];
            return VerifiedVersion { rules, objects: 0, ..VerifiedVersion::default() };
        }
    };
    let mut objects = 0;
    let rules = fidelity.iter().filter(|entry| entry.rule != KEYWORDS).map(|entry| {
        let (finding, tried) = verify_validation(target, version, origin, entry, emit);
        objects += tried;
        report(&entry.rule, &entry.fidelity, finding, tried)
    });
    let rules = rules.collect();
    VerifiedVersion { rules, objects, ..VerifiedVersion::default() }
}

/// Verifies the claim about one validation; returns the number of objects too.
fn verify_validation(
    target: &Emitter,
    version: &ResourceVersion,
    origin: &PolicyOrigin,
    entry: &RuleFidelity,
    emit: &EmitVersion<'_>,
) -> (ClaimFinding, usize) {
    if entry.fidelity.exactness() == Exactness::Unsupported {
        return (ClaimFinding::Unsupported, 0);
    }
    let Some(index) = origin.validations.get(&entry.rule) else {
        return (ClaimFinding::Inconclusive("it is not a validation".to_owned()), 0);
    };
    let alone = version_with(version, &entry.rule, *index);
    let validator = match run_emission(target, emit(&alone)) {
        Ok((validator, _)) => validator,
        Err(cause) => return (ClaimFinding::Fault(ClaimFault::CannotRun(cause)), 0),
    };
    let document = policy_with(&origin.document, version, *index);
    let claims_errors = origin.errors == ExpressionErrors::Unknown
        && matches!(entry.fidelity.exactness(), Exactness::Wider | Exactness::Incomparable);
    match ValidationTrial::run(&document, version, &validator, claims_errors) {
        Ok(trial) => (trial.finding(entry.fidelity.exactness() == Exactness::Exact), trial.objects),
        Err(cause) => (ClaimFinding::Inconclusive(cause), 0),
    }
}

/// The version with one of its rules.
fn version_with(version: &ResourceVersion, name: &str, validation: usize) -> ResourceVersion {
    let mut alone = ResourceVersion { schema: without_rules(&version.schema).into(), ..version.clone() };
    let rule = definition_rules(&version.schema).into_iter().find(|rule| rule.name_by_place() == name);
    if let (Some(rule), Some(keywords)) = (rule, alone.schema.as_object_mut()) {
        keywords.insert(VALIDATIONS.to_owned(), json!([kvrules_emit::rule_entry_at(&version.schema, &rule)]));
    }
    if let Some(origin) = alone.authored.as_mut().and_then(|authored| authored.policy.as_mut()) {
        origin.validations = [(format!("{VALIDATIONS}[0]"), validation)].into();
    }
    alone
}

/// The policy with one of its validations, for the creation of objects of the version.
fn policy_with(document: &Value, version: &ResourceVersion, validation: usize) -> Value {
    let mut document = document.clone();
    if let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) {
        let kept = spec.get("validations").and_then(|all| all.get(validation)).cloned();
        spec.insert("validations".to_owned(), json!([kept]));
        let rule = json!({"apiGroups": [version.group], "apiVersions": [version.version],
            "resources": [version.plural], "operations": ["CREATE"]});
        spec.insert("matchConstraints".to_owned(), json!({"resourceRules": [rule]}));
    }
    document
}

/// Fields that every object has. A name is one that servers may fill in.
const HEAD: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The objects that lack one field of an object, and what is below it.
fn without_fields(object: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    collect_fields(object, "", &mut pointers);
    pointers.retain(|(parent, name)| !parent.is_empty() || !HEAD.contains(&name.as_str()));
    let remove = |(parent, name): (String, String)| {
        let mut smaller = object.clone();
        smaller.pointer_mut(&parent)?.as_object_mut()?.remove(&name)?;
        Some(smaller)
    };
    pointers.into_iter().filter_map(remove).collect()
}

/// The JSON pointers of the objects in a value, each with the name of a field.
fn collect_fields(value: &Value, parent: &str, found: &mut Vec<(String, String)>) {
    for (name, below) in value.as_object().into_iter().flatten() {
        found.push((parent.to_owned(), name.clone()));
        collect_fields(below, &format!("{parent}/{}", escape_step(name)), found);
    }
}

/// True if an expression of a policy with one validation ends in an error for a request.
fn ends_in_error(policy: &Policy, request: &Request) -> bool {
    let is_error =
        |expression| matches!(policy.evaluate_expression(expression, request, &Value::Null), Some(Err(_)));
    policy.truth_expressions().into_iter().any(is_error)
}

/// Departures of a schema from a validation, with the objects that show them.
#[derive(Default)]
struct ValidationTrial {
    objects: usize,
    /// The smallest object that the schema accepts and for which the policy ends in an error.
    error: Option<Value>,
    /// The smallest object that the schema accepts and that violates the policy.
    wider: Option<Value>,
    /// The smallest object that the schema rejects and the policy admits.
    narrower: Option<Value>,
}

impl ValidationTrial {
    /// Tries objects of the version. If the schema claims to accept objects for which the expression ends in an error, one is
    /// looked for.
    fn run(
        document: &Value,
        version: &ResourceVersion,
        validator: &Validator,
        claims_errors: bool,
    ) -> Result<Self, String> {
        let subject = PolicySubject::of_version(version);
        let policy = Policy::from_json(document);
        let lifter = PolicyLifter::new(document, &policy, &subject);
        let lift = |expression| lifter.lift_unconfirmed(expression).map(|(_, formulas)| formulas);
        let of_all: Result<Vec<LiftedExpression>, _> =
            policy.truth_expressions().into_iter().map(lift).collect();
        let of_all = of_all.map_err(|opaque| opaque.to_string())?;
        let all = |formula: fn(&LiftedExpression) -> &Formula| {
            Formula::all_of(of_all.iter().map(|it| formula(it).clone()))
        };
        let formulas = LiftedExpression { holds: all(|it| &it.holds), fails: all(|it| &it.fails) };
        let requests: Vec<Request> = lifter
            .generate_requests(&formulas)
            .take(OBJECTS * 2)
            .flatten()
            .map(|(_, request, _)| request)
            .take(OBJECTS)
            .collect();
        let server = ObjectSchema::new(&subject.object).without_metadata_checks();
        let policies = [Policy::from_json(document)];
        let mut trial = Self::default();
        for request in &requests {
            trial.try_object(request, &server, &policies, validator)?;
        }
        if claims_errors {
            trial.find_error(&requests, &server, &policies, validator)?;
        }
        Ok(trial)
    }

    /// Looks for an object for which the expression ends in an error: generated objects differ where the expression compares, and
    /// errors come from what else is missing.
    fn find_error(
        &mut self,
        requests: &[Request],
        server: &ObjectSchema,
        policies: &[Policy; 1],
        validator: &Validator,
    ) -> Result<(), String> {
        let smaller = requests.iter().flat_map(|request| {
            let object = |object| Request { object, ..request.clone() };
            without_fields(&request.object).into_iter().map(object)
        });
        for request in smaller.take(SMALLER_OBJECTS) {
            if self.error.is_some() {
                break;
            }
            self.try_object(&request, server, policies, validator)?;
        }
        Ok(())
    }

    /// Compares the answers to the creation of an object that the schema of its kind accepts.
    fn try_object(
        &mut self,
        request: &Request,
        server: &ObjectSchema,
        policies: &[Policy; 1],
        validator: &Validator,
    ) -> Result<(), String> {
        let admission = server.admit_object(&request.object, None);
        if !admission.is_accepted() {
            return Ok(());
        }
        let stored = Request { object: admission.stored, ..request.clone() };
        let [policy] = policies;
        let binding = Binding::for_policy("verify", &policy.name);
        let answer = admit_request(policies, &[binding], &stored).map_err(|unsupported| unsupported.0)?;
        self.objects += 1;
        let side = match (answer.denial.is_some(), validator.is_valid(&request.object)) {
            (true, true) if ends_in_error(policy, &stored) => &mut self.error,
            (true, true) => &mut self.wider,
            (false, false) => &mut self.narrower,
            _ => return Ok(()),
        };
        let length = |object: &Value| object.to_string().len();
        if side.as_ref().is_none_or(|known| length(&request.object) < length(known)) {
            *side = Some(request.object.clone());
        }
        Ok(())
    }

    fn finding(&self, is_exact: bool) -> ClaimFinding {
        let verdict = |rejects: bool| ObjectVerdict { rejects, warns: false };
        let fault = |object: &Value, is_wider: bool| {
            ClaimFinding::Fault(ClaimFault::UnclaimedDeparture {
                way: if is_wider { Exactness::Wider } else { Exactness::Narrower },
                object: object.clone(),
                expected: verdict(is_wider),
                actual: verdict(!is_wider),
            })
        };
        match (&self.wider, &self.narrower, &self.error) {
            (Some(object), ..) => fault(object, true),
            (_, Some(object), _) => fault(object, false),
            (.., Some(object)) if is_exact => fault(object, true),
            (.., Some(object)) => ClaimFinding::AsClaimed { wider: Some(object.clone()), narrower: None },
            _ if self.objects == 0 => {
                ClaimFinding::Inconclusive("no object of the kind was generated".to_owned())
            }
            _ if is_exact => ClaimFinding::Exact,
            _ => ClaimFinding::Inconclusive("no generated object shows the difference".to_owned()),
        }
    }
}
