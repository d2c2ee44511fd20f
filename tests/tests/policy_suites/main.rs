//! Suites that other projects wrote for admission policies, held to the library that emulates the server. They lie beside the
//! checkout, and are skipped where they do not. Kyverno and Gatekeeper have documents of their own for the same expressions,
//! which a test restates as policies.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod evaluator;
mod gatekeeper;
mod kaptest;
mod kat;
mod kubescape;
mod kyverno;

use std::path::{Path, PathBuf};

use kvrules_apiserver::policy::acceptance::review_policy;
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use kvrules_tests::suites::{self, find_files};
use serde_json::{Value, json};

/// Returns the folder of a suite if it is there.
fn shared(path: &str) -> Option<PathBuf> {
    kvrules_testdata::find_path(&format!("suites/{path}"))
}

/// The documents of a file; none if it is not there.
fn documents(path: &Path) -> Vec<Value> {
    suites::parse_documents(&std::fs::read_to_string(path).unwrap_or_default())
}

/// The first document of a file; null if there is none.
fn document(path: &Path) -> Value {
    documents(path).into_iter().next().unwrap_or_default()
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> Vec<&'a Value> {
    documents.iter().filter(|it| it["kind"] == kind).collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The resource of a kind, as English makes plurals.
fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with('a') => format!("{stem}ies"),
        _ if kind.ends_with("endpoints") => kind,
        _ if kind.ends_with('s') => format!("{kind}es"),
        _ => format!("{kind}s"),
    }
}

/// A request for an object, an old one, or both.
fn request(object: &Value, old: &Value) -> Request {
    let of = if object.is_null() { old } else { object };
    let group = text(&of["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group);
    let resource = plural(text(&of["kind"]));
    match (object.is_null(), old.is_null()) {
        (false, true) => Request::for_creation(group, &resource, object.clone()),
        (true, _) => Request::for_deletion(group, &resource, old.clone()),
        (false, false) => Request::for_update(group, &resource, object.clone(), old.clone()),
    }
}

/// Returns the verdict of policies and bindings on a request: `allow`, `warn`, `deny: TEXT`, or `unknown: FEATURE`.
fn verdict(policies: &[&Value], bindings: &[&Value], request: &Request) -> String {
    let policies: Vec<_> = policies.iter().map(|it| Policy::from_json(it)).collect();
    let bindings: Vec<_> = bindings.iter().map(|it| Binding::from_json(it)).collect();
    match admit_request(&policies, &bindings, request) {
        Err(feature) => format!("unknown: {feature}"),
        Ok(answer) => match answer.denial {
            Some(denial) => format!("deny: {}", denial.cause),
            None if answer.warnings.is_empty() => "allow".to_owned(),
            None => "warn".to_owned(),
        },
    }
}

/// A binding that denies, with the parameter of a name if there is one.
fn binding(policy: &str, param: Option<&str>) -> Value {
    let mut binding = json!({
        "metadata": {"name": "suite"},
        "spec": {"policyName": policy, "validationActions": ["Deny"]},
    });
    if let Some(param) = param {
        binding["spec"]["paramRef"] = json!({"name": param, "parameterNotFoundAction": "Deny"});
    }
    binding
}

/// Number of agreeing cases, and the others.
#[derive(Default)]
struct Tally {
    agreed: usize,
    differing: Vec<String>,
    /// Cases with a feature that the library refuses by name, or that only the project's own engine has.
    left_out: Vec<String>,
}

impl Tally {
    /// Compares a verdict with the one that a suite expects, by its first word.
    fn compare(&mut self, name: &str, expected: &str, verdict: &str) {
        if verdict.starts_with("unknown: ") {
            self.left_out.push(format!("{name}: {verdict}"));
            return;
        }
        let is_equal = verdict.split(':').next() == Some(expected);
        self.add(name, is_equal, &format!("expected {expected}, found {verdict}"));
    }

    fn add(&mut self, name: &str, agrees: bool, difference: &str) {
        if agrees {
            self.agreed += 1;
        } else {
            self.differing.push(format!("{name}: {difference}"));
        }
    }

    fn finish(self, suite: &str, agreed: usize, left_out: usize) {
        let all = self.agreed + self.differing.len();
        println!("{suite}: {} of {all} agree, {} left out", self.agreed, self.left_out.len());
        for line in &self.left_out {
            println!("  left out: {line}");
        }
        assert!(self.differing.is_empty(), "{}", self.differing.join("\n"));
        assert_eq!((self.agreed, self.left_out.len()), (agreed, left_out), "{suite}");
    }
}

/// Returns the server's errors for a policy, a line each.
fn refusals(policy: &Value) -> Vec<String> {
    let refusals = review_policy(policy);
    refusals.iter().map(|it| format!("{}: {}", it.field, it.message)).collect()
}
