//! The verdicts recorded from a Kubernetes API server and from the KubeVirt template validator, when they are there:
//! which patterns compile, the exact text when one does not, and which values match.

#![expect(clippy::print_stdout, reason = "the run shows how many recorded cases agreed")]
#![expect(clippy::indexing_slicing, reason = "a JSON value answers null for what is not there")]

use std::collections::BTreeMap;

use kvrules_regex::parse;
use serde_json::Value;

/// The rows of a recorded file; none, with a line that says so, when it is not there.
fn rows(file: &str) -> Vec<Value> {
    kvrules_testdata::read_rows(file).unwrap_or_default()
}

/// Counts cases that agree and keeps those that do not.
#[derive(Default)]
struct Tally {
    agreed: usize,
    differed: Vec<String>,
}

impl Tally {
    fn compare(&mut self, what: &str, ours: &str, recorded: &str) {
        if ours == recorded {
            self.agreed += 1;
        } else {
            self.differed.push(format!("{what}: ours `{ours}`, recorded `{recorded}`"));
        }
    }

    fn report(&self, name: &str) {
        println!("{name}: {} agreed, {} differed", self.agreed, self.differed.len());
        for line in &self.differed {
            println!("  {line}");
        }
        assert!(self.differed.is_empty(), "{name}: recorded cases differ");
    }
}

const ACCEPTED: &str = "accepted";

fn compiled(pattern: &str) -> String {
    parse(pattern).map_or_else(|error| error.go_text(), |_| ACCEPTED.to_owned())
}

/// Returns `true` or `false` for whether the pattern is found, as a string to compare.
fn found(pattern: &str, text: &str) -> String {
    let matcher = parse(pattern).ok().and_then(|regex| regex.compile_matcher().ok());
    matcher.map_or("no matcher".to_owned(), |matcher| matcher.is_match(text).to_string())
}

/// Every string under a key, at any depth.
fn strings_under<'v>(value: &'v Value, key: &str, out: &mut Vec<&'v str>) {
    match value {
        Value::Object(map) => {
            out.extend(map.get(key).and_then(Value::as_str));
            map.values().for_each(|inner| strings_under(inner, key, out));
        }
        Value::Array(list) => list.iter().for_each(|inner| strings_under(inner, key, out)),
        _ => {}
    }
}

fn strings<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    let mut out = Vec::new();
    strings_under(value, key, &mut out);
    out
}

#[test]
fn the_api_server_accepts_and_refuses_the_same_patterns() {
    let mut tally = Tally::default();
    for row in rows("kubernetes/crd-cases.jsonl") {
        let patterns = strings(&row["crd"], "pattern");
        let details = strings(&row["expect"]["errors"], "detail");
        let refusals: Vec<&str> = details
            .iter()
            .filter_map(|text| text.find("error parsing regexp").and_then(|at| text.get(at..)))
            .collect();
        if row["expect"]["accepted"] == true {
            for pattern in patterns {
                tally.compare(pattern, &compiled(pattern), ACCEPTED);
            }
        } else if let ([pattern], [refusal, ..]) = (&patterns[..], &refusals[..]) {
            tally.compare(pattern, &compiled(pattern), refusal);
        } else if let ([pattern], []) = (&patterns[..], &refusals[..])
            && row["family"] == "patterns"
        {
            tally.compare(pattern, &compiled(pattern), ACCEPTED);
        }
    }
    tally.report("patterns of CRDs");
}

#[test]
fn the_api_server_finds_the_same_matches() {
    let mut tally = Tally::default();
    for row in rows("kubernetes/crd-cases.jsonl") {
        let schema = row["crd"].to_string();
        let loose =
            ["\"not\"", "\"anyOf\"", "\"oneOf\"", "\"enum\""].iter().any(|word| schema.contains(word));
        let patterns = strings(&row["crd"], "pattern");
        let (false, "patterns", [pattern]) = (loose, row["family"].as_str().unwrap_or(""), &patterns[..])
        else {
            continue;
        };
        let objects = row["objects"].as_array().into_iter().flatten();
        let values: BTreeMap<&str, &Value> =
            objects.filter_map(|object| Some((object["name"].as_str()?, &object["object"]))).collect();
        for verdict in row["expect"]["objects"].as_array().into_iter().flatten() {
            let Some(object) = verdict["name"].as_str().and_then(|name| values.get(name)) else { continue };
            let fields = strings(object, "field");
            let mismatch =
                strings(verdict, "detail").iter().any(|text| text.contains("in body should match '"));
            let ([text], true) = (&fields[..], mismatch || verdict["valid"] == true) else { continue };
            let what = format!("{pattern} on {text:?}");
            tally.compare(&what, &found(pattern, text), &(!mismatch).to_string());
        }
    }
    tally.report("values under patterns of CRDs");
}

/// The regex rules of the validator's cases, each with its recorded status.
fn regex_rules() -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for row in rows("kubevirt/evaluator-cases.jsonl") {
        let rules: Value =
            row["rules"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let rules = rules.as_array().cloned().unwrap_or_default();
        for rule in rules.iter().filter(|rule| rule["rule"] == "regex") {
            let same_name = rules.iter().filter(|other| other["name"] == rule["name"]).count();
            let statuses = row["expected"]["status"].as_array().into_iter().flatten();
            let mut mine = statuses.filter(|status| status["name"] == rule["name"]);
            let (1, Some(status), Some(pattern)) = (same_name, mine.next(), rule["regex"].as_str()) else {
                continue;
            };
            out.push((pattern.to_owned(), status.clone()));
        }
    }
    out
}

#[test]
fn the_template_validator_accepts_and_refuses_the_same_patterns() {
    let mut tally = Tally::default();
    for (pattern, status) in regex_rules() {
        let (error, message) =
            (status["error"].as_str().unwrap_or(""), status["message"].as_str().unwrap_or(""));
        if error.starts_with("error parsing regexp") {
            tally.compare(&pattern, &compiled(&pattern), error);
        } else if message.starts_with("All [") || message.starts_with("Some of [") {
            tally.compare(&pattern, &compiled(&pattern), ACCEPTED);
        }
    }
    tally.report("patterns of regex rules");
}

#[test]
fn the_template_validator_finds_the_same_matches() {
    let mut tally = Tally::default();
    for (pattern, status) in regex_rules() {
        let message = status["message"].as_str().unwrap_or("");
        for (opening, closing, expected) in
            [("All [", "] match ", true), ("Some of [", "] do not match ", false)]
        {
            let Some(rest) = message.strip_prefix(opening) else { continue };
            let Some(text) = rest.strip_suffix(&format!("{closing}{pattern}")) else { continue };
            // Several values are printed with commas between them; one is certain.
            if text.is_empty() || !text.contains(", ") {
                let what = format!("{pattern} on {text:?}");
                tally.compare(&what, &found(&pattern, text), &expected.to_string());
            }
        }
    }
    tally.report("values under regex rules");
}
