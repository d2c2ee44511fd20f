//! Verdict of an object by the rules of a source.

use std::sync::Arc;

use kvrules::crd::KubernetesVersion;
use kvrules::eval::{
    Definitions, Engine, Evaluation, EvaluationRules, Evaluator, Options, PolicyFile, PolicyFileRole,
    PolicyRules, RequestSetup, StoredObjects,
};
use kvrules::{Diagnostic, FileId, FileReading, Level, SourceFile, compile_policies, has_compiled_units};
use serde_json::{Value, json};

use crate::check::CheckedSource;
use crate::messages::{ObjectRequest, Refusal};

/// The verdicts of the objects in a text, with a trace.
pub(crate) fn evaluate_object(request: &ObjectRequest) -> Result<String, Refusal> {
    let read = CheckedSource::read(&request.source)?;
    let (reading, file) =
        (&read.checked.reading, read.file().ok_or_else(|| Refusal("no source".to_owned()))?);
    // As the command, which evaluates no RuleSet with errors.
    let error = reading.diagnostics.iter().find(|found| found.level == Level::Error);
    if let Some(error) = error.filter(|_| has_compiled_units(file)) {
        return Err(Refusal(format!("the RuleSet has errors, first: {}", error.message)));
    }
    let engine = engine_for(reading);
    let stored = Some(&request.old).filter(|old| !old.trim().is_empty());
    if stored.is_some() && engine == Engine::Spec {
        return Err(Refusal("these rules do not compare with an old object; leave it empty".to_owned()));
    }
    let stored = stored.map(|old| read_stored(old)).transpose()?;
    let options = Options { engine, trace: true, stored, ..Options::default() };
    let mut evaluator = evaluator_for(options, file, reading)?;
    let object = SourceFile::new(FileId(0), "object.yaml", request.object.as_str());
    let evaluations = evaluator.evaluate_objects(&object);
    let name = match engine {
        Engine::Crd => "crd",
        Engine::Policy => "policy",
        Engine::Spec | Engine::Ssp | Engine::Both => "spec",
    };
    let objects: Vec<Value> = evaluations.iter().map(object_verdict).collect();
    Ok(json!({"engine": name, "objects": objects}).to_string())
}

/// The engine that `kvrules eval` chooses, with the source as `--rules`, or as `--schema` if it is a definition.
fn engine_for(reading: &FileReading) -> Engine {
    let contents = std::slice::from_ref(&reading.contents);
    match EvaluationRules::Given(contents, &reading.rule_sets).default_engine() {
        Engine::Spec if reading.contents.has_definitions() => Engine::Crd,
        engine => engine,
    }
}

fn evaluator_for(options: Options, file: &SourceFile, reading: &FileReading) -> Result<Evaluator, Refusal> {
    match options.engine {
        Engine::Crd => {
            let definitions = Definitions::read_for_server(file, KubernetesVersion::NEWEST);
            let definitions = definitions.map_err(|found| first_message(&found))?;
            Ok(Evaluator::new(Options { definitions: Some(Arc::new(definitions)), ..options }))
        }
        Engine::Policy => {
            let text = if reading.rule_sets.is_empty() {
                file.text().to_owned()
            } else {
                compile_policies(file, reading, KubernetesVersion::NEWEST)
                    .map_err(|error| Refusal(error.message))?
            };
            let source = SourceFile::new(FileId(0), file.name(), text);
            let rules = PolicyFile { source: &source, role: PolicyFileRole::Rules, is_searched: false };
            let policies = PolicyRules::read_files(&[rules], RequestSetup::default());
            let policies = policies.map_err(|found| first_message(&found))?;
            Ok(Evaluator::new(Options { policies: Some(Arc::new(policies)), ..options }))
        }
        _ if !reading.rule_sets.is_empty() => {
            let rule_sets = Some(Arc::new(reading.rule_sets.clone()));
            Ok(Evaluator::new(Options { rule_sets, ..options }))
        }
        _ => {
            let mut evaluator = Evaluator::new(options);
            evaluator.use_rules(file, None).map_err(Refusal)?;
            Ok(evaluator)
        }
    }
}

fn read_stored(old: &str) -> Result<Arc<StoredObjects>, Refusal> {
    let source = SourceFile::new(FileId(0), "old.yaml", old);
    StoredObjects::read_objects(&source).map(Arc::new).map_err(|found| first_message(&found))
}

fn first_message(found: &[Diagnostic]) -> Refusal {
    Refusal(found.first().map_or_else(|| "it cannot be read".to_owned(), |found| found.message.clone()))
}

fn object_verdict(evaluation: &Evaluation) -> Value {
    json!({
        "name": evaluation.name,
        "line": evaluation.at.line,
        "spec": evaluation.spec,
        "crd": evaluation.crd,
        "policy": evaluation.policy,
        "error": evaluation.fault.as_ref().map(|fault| &fault.message),
    })
}
