//! Artefacts of annotations, in both versions: what targets make of rules about VirtualMachines, and about objects that a schema describes.

use kvrules::{
    Catalog, Emitter, Exactness, FileId, Options, Request, SourceFile, TargetOutput, all_targets,
    compile_targets, read_catalog, read_rules_with,
};
use kvrules_apiserver::policy::Request as PolicyRequest;
use serde_json::{Value as Json, json};

use super::engines::{
    Answer, Engine, PolicyEngine, definition_engine, interpreter_engine, openapi_engine, read_documents,
    schema_engine,
};
use super::{Claim, refute};
use crate::sentences::annotations::rules::{AnnotationRule, Verdict, write_annotation};
use crate::sentences::annotations::world::{MACHINES, PONDS, World};
use crate::{Random, Tally};

/// Most rules of one annotation.
const RULES: i64 = 3;

/// Objects for one annotation.
const OBJECTS: usize = 40;

/// An annotation, and what it is about.
struct Annotation {
    world: &'static World,
    rules: Vec<AnnotationRule>,
    /// True for version 201901, which has no warnings.
    is_first_version: bool,
    text: String,
}

/// Judges the artefacts of a generated annotation.
pub(super) fn judge_annotation(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let annotation = Annotation::generate(&mut random);
    let Some(outputs) = annotation.compile(tally) else { return };
    let objects: Vec<Json> = (0..OBJECTS).map(|_| annotation.world.random_object(&mut random)).collect();
    for output in &outputs {
        let origin = format!("seed {seed}, case {case}");
        for engine in engines_of(output, annotation.world) {
            let kind = format!("annotation: {} by {}", output.target, engine.name);
            for object in &objects {
                let Answer::Accepted(accepted) = (engine.answer)(&annotation.whole_object(object), None)
                else {
                    tally.unjudged(&format!("{kind}: no answer"));
                    continue;
                };
                let refutation = refute(&annotation.claims_of(output, object), accepted);
                let shown = refutation.map(|reason| annotation.describe(output, object, &reason));
                tally.judge(&kind, &origin, shown);
            }
        }
        for object in &objects {
            annotation.judge_warnings(output, object, &origin, tally);
        }
    }
}

impl Annotation {
    fn generate(random: &mut Random) -> Self {
        let world = if random.chance(1, 2) { &PONDS } else { &MACHINES };
        let is_first_version = random.chance(1, 3);
        let count = random.between(1, RULES);
        let rules: Vec<AnnotationRule> =
            (0..count).map(|index| AnnotationRule::generate(world, &format!("r{index}"), random)).collect();
        let text = write_annotation(&rules, is_first_version);
        Self { world, rules, is_first_version, text }
    }

    /// Every target of the rules; `None` if one of them is refused.
    fn compile(&self, tally: &mut Tally) -> Option<Vec<TargetOutput>> {
        let schema = SourceFile::new(FileId(0), "schema.json", self.world.schema().to_string());
        let read;
        let catalog = if self.world.has_schema {
            read = read_catalog(&schema, None).ok()?;
            &read
        } else {
            Catalog::kubevirt_vm()
        };
        let reading = read_rules_with(&SourceFile::new(FileId(1), "rules.yaml", &*self.text), catalog);
        if reading.sets.first().is_none_or(|set| set.rules.len() != self.rules.len()) {
            tally.unjudged("a rule of an annotation is refused");
            return None;
        }
        let options: Options = [("resource", "example.com/v1/ponds"), ("match", "none")]
            .into_iter()
            .filter(|(option, _)| self.world.has_schema || *option != "resource")
            .map(|(option, value)| (("admission-policy".to_owned(), option.to_owned()), value.to_owned()))
            .collect();
        let request = Request {
            subject: catalog.subject(),
            schema: self.world.has_schema.then_some(&schema),
            options: &options,
            ..Request::for_virtual_machines(&reading.sets)
        };
        let is_judged = |it: &&Emitter| it.enforces_rules() && (!self.world.has_schema || it.name != "crd");
        let targets: Vec<&Emitter> = all_targets().iter().copied().filter(is_judged).collect();
        let outputs = compile_targets(&targets, &request);
        if let Err(error) = &outputs {
            tally.unjudged(&format!("a target of an annotation fails: {error}"));
        }
        outputs.ok()
    }

    /// The object that servers and validators get.
    fn whole_object(&self, object: &Json) -> Json {
        if self.world.has_schema {
            return object.clone();
        }
        json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "machine"},
            "spec": {"template": object}})
    }

    fn is_warning(&self, rule: &AnnotationRule) -> bool {
        !self.is_first_version && rule.0["justWarning"] == true
    }

    /// The claims of a target about the rules that reject; a rule that warns accepts everything.
    fn claims_of(&self, output: &TargetOutput, object: &Json) -> Vec<Claim> {
        let claim = |rule: &AnnotationRule| {
            let is_violated = rule.verdict(self.world, object) == Verdict::Violated;
            Claim { holds: self.is_warning(rule) || !is_violated, ..self.claim_of(output, rule) }
        };
        self.rules.iter().map(claim).collect()
    }

    fn claim_of(&self, output: &TargetOutput, rule: &AnnotationRule) -> Claim {
        let name = rule.0["name"].as_str().unwrap_or_default();
        let found = output.emission.fidelity.iter().find(|claim| claim.rule == name);
        let exactness = found.map_or(Exactness::Unsupported, |claim| claim.fidelity.exactness());
        Claim { rule: name.to_owned(), holds: true, exactness }
    }

    /// Judges the warnings of a policy.
    fn judge_warnings(&self, output: &TargetOutput, object: &Json, origin: &str, tally: &mut Tally) {
        let warning = |rule: &&AnnotationRule| self.is_warning(rule);
        let claims: Vec<Claim> = self
            .rules
            .iter()
            .filter(warning)
            .map(|rule| Claim {
                holds: rule.verdict(self.world, object) != Verdict::Violated,
                ..self.claim_of(output, rule)
            })
            .collect();
        let engine = PolicyEngine::of_output(output).filter(|_| !claims.is_empty());
        let Some(engine) = engine.filter(|_| output.target == "admission-policy") else { return };
        let kind = "annotation: warnings of admission-policy by the server's emulation";
        let Some(warns) = engine.warns(&creation_of(self.world, &self.whole_object(object))) else {
            tally.unjudged(&format!("{kind}: no answer"));
            return;
        };
        let refutation = refute(&claims, !warns);
        let shown = refutation.map(|reason| self.describe(output, object, &format!("warning: {reason}")));
        tally.judge(kind, origin, shown);
    }

    fn describe(&self, output: &TargetOutput, object: &Json, reason: &str) -> String {
        let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
        let claims: Vec<String> = output
            .emission
            .fidelity
            .iter()
            .map(|claim| format!("{}: {}", claim.rule, claim.fidelity.as_str()))
            .collect();
        format!("{}object {object}\n{reason}\n{}\n{}", self.text, claims.join("\n"), files.join("\n---\n"))
    }
}

fn creation_of(world: &World, object: &Json) -> PolicyRequest {
    let (group, version, resource) = if world.has_schema {
        ("example.com", "v1", "ponds")
    } else {
        ("kubevirt.io", "v1", "virtualmachines")
    };
    PolicyRequest {
        version: version.to_owned(),
        ..PolicyRequest::for_creation(group, resource, object.clone())
    }
}

fn engines_of(output: &TargetOutput, world: &'static World) -> Vec<Engine> {
    let documents: Vec<Json> = output.output_files().flat_map(|file| read_documents(&file.text)).collect();
    let first = documents.first();
    match output.target {
        "json-schema" => first.and_then(schema_engine).into_iter().collect(),
        "openapi" => first.and_then(openapi_engine).into_iter().collect(),
        "crd" => {
            // It may have keywords for rules, which an interpreter of CEL does not evaluate.
            let definition = documents.iter().find(|it| it["kind"] == "CustomResourceDefinition");
            definition.and_then(definition_engine).into_iter().collect()
        }
        "admission-policy" => {
            let answer = |engine: PolicyEngine| Engine {
                name: "the server's emulation",
                sees_defaults: false,
                answer: Box::new(move |object, _| engine.answer(&creation_of(world, object))),
            };
            PolicyEngine::of_output(output).map(answer).into_iter().collect()
        }
        // The list is for the root of a schema.
        "cel" => first.map(in_root_schema).as_ref().and_then(interpreter_engine).into_iter().collect(),
        "annotation" => first.and_then(|it| annotation_engine(it, world)).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn in_root_schema(list: &Json) -> Json {
    let rules = list.get("x-kubernetes-validations").unwrap_or(list);
    json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"x-kubernetes-validations": rules}}}]}})
}

/// The rules of an annotation, which the judge evaluates itself.
fn annotation_engine(annotation: &Json, world: &'static World) -> Option<Engine> {
    let list = match annotation {
        Json::Object(fields) => fields.values().next()?,
        other => other,
    };
    let parsed = list.as_str().and_then(|text| serde_json::from_str(text).ok());
    let rules: Vec<AnnotationRule> =
        parsed.as_ref().unwrap_or(list).as_array()?.iter().cloned().map(AnnotationRule).collect();
    let answer = move |object: &Json, _: Option<&Json>| {
        let object = if world.has_schema { object } else { &object["spec"]["template"] };
        let rejects = |rule: &AnnotationRule| {
            rule.0["justWarning"] != true && rule.verdict(world, object) == Verdict::Violated
        };
        Answer::Accepted(!rules.iter().any(rejects))
    };
    Some(Engine { name: "the judge's evaluator", sees_defaults: false, answer: Box::new(answer) })
}
