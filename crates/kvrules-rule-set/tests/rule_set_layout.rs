//! The layout of RuleSets keeps values and comments, and a second run changes nothing.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;

use kvrules_diagnostics::FileId;
use kvrules_generate::PseudoRandom;
use kvrules_rule_set::{LayoutRefusal, lay_out_rule_set};
use kvrules_syntax::parse_stream;
use kvrules_syntax::value::ValueReader;
use serde_json::Value;

fn lay_out(text: &str) -> Result<String, LayoutRefusal> {
    let stream = parse_stream(FileId(0), text);
    let laid_out = lay_out_rule_set(text, &stream.documents[0])?;
    let mut whole = text.to_owned();
    whole.replace_range(laid_out.range, &laid_out.text);
    Ok(whole)
}

fn value(text: &str) -> Value {
    let stream = parse_stream(FileId(0), text);
    ValueReader::for_kubernetes().read_value(stream.documents[0].root().unwrap()).unwrap()
}

const UGLY: &str = "\
# head
kind: RuleSet
apiVersion: \"kvrules.dev/v1alpha1\"   # version
metadata:
    name:   web
spec:
    rules:
      # about replicas
      - path: spec.replicas   # where

        # its name
        name: replicas
        integer: {max: 10,   min: 2}
        when:
           - {path: metadata.labels.tier, in: [web]}
           - path: spec.paused
             in: [false]
        message: 'web tiers
          run 2'


      - {name: ports, path: \"spec.template.spec.containers[*].ports\", uniqueBy: [containerPort, protocol], message: \"a long text, 'quoted'\"}  # tail
      - # odd
        cel: |
            self.a == 1
              && true

            || false
        name: c
    subject: {kind: Deployment, # inner
       apiVersion: apps/v1}
    examples: {accept: []}
    # end
# really the end
---
other: {a:   1}
";

const TIDY: &str = "\
# head
apiVersion: \"kvrules.dev/v1alpha1\" # version
kind: RuleSet
metadata:
  name: web
spec:
  subject:
    kind: Deployment # inner
    apiVersion: apps/v1
  rules:
  # about replicas
  # its name
  - name: replicas
    path: spec.replicas # where
    integer: {max: 10, min: 2}
    when:
    - {path: metadata.labels.tier, in: [web]}
    - path: spec.paused
      in: [false]
    message: \"web tiers run 2\"

  - name: ports
    path: \"spec.template.spec.containers[*].ports\"
    uniqueBy: [containerPort, protocol]
    message: \"a long text, 'quoted'\" # tail
  # odd
  - name: c
    cel: |
      self.a == 1
        && true

      || false
  examples: {accept: []}
    # end
# really the end
---
other: {a:   1}
";

#[test]
fn keys_are_in_order_and_comments_stay_with_them() {
    let tidy = lay_out(UGLY).unwrap();
    assert_eq!(tidy, TIDY);
    assert_eq!(lay_out(&tidy).unwrap(), tidy);
    assert_eq!(value(&tidy), value(UGLY));
}

#[test]
fn what_the_layout_could_lose_is_refused() {
    let head = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\n";
    for rest in [
        "spec: &a {x: 1}\nmetadata: *a\n",
        "spec: {x: !!str 5}\n",
        "spec: {x: 1, x: 2}\n",
        "spec: {x: [1\n",
        "spec: {<<: {x: 1}}\n? a\n: b\nmetadata: &x y\n",
        "metadata: {name: |+\n",
        "spec:\n  x: |2\n      a\n",
        "spec:\n  x: | # comment\n    a\n",
        "spec:\n  x: |+\n    a\n\n\n",
    ] {
        let text = format!("{head}{rest}");
        assert!(lay_out(&text).is_err(), "{text}: {:?}", lay_out(&text));
    }
    for text in [
        "{\"apiVersion\": \"kvrules.dev/v1alpha1\", \"kind\": \"RuleSet\"}",
        "  apiVersion: x\n  kind: RuleSet\n",
    ] {
        assert!(lay_out(text).is_err(), "{text}");
    }
}

/// A value in lines or in braces, with comments and odd spaces.
fn write_random(chance: &mut PseudoRandom, level: usize, indent: usize, is_flow: bool, out: &mut String) {
    let keys = ["name", "path", "severity", "message", "integer", "spec", "rules", "\"a b\"", "x"];
    let scalars =
        ["1", "a", "\"q # no comment\"", "'it''s'", "true", "null", "a: b", "0x10", "\"multi\\nline\"", "~"];
    let kind = if level > 3 { 0 } else { chance.number_below(5) };
    if kind < 2 {
        let scalar = scalars[chance.number_below(scalars.len())];
        let scalar = if scalar == "a: b" { "a:b" } else { scalar };
        let _ = write!(out, " {scalar}");
        return;
    }
    let is_flow = is_flow || chance.number_below(3) == 0;
    let count = 1 + chance.number_below(3);
    let is_map = kind != 2;
    if is_flow {
        out.push_str(if is_map { " {" } else { " [" });
        for number in 0..count {
            if number > 0 {
                out.push(',');
            }
            if is_map {
                let _ = write!(
                    out,
                    "{}{}:",
                    " ".repeat(chance.number_below(3)),
                    keys[(number + level * 2) % keys.len()]
                );
            }
            write_random(chance, level + 1, indent, true, out);
        }
        out.push_str(if is_map { "}" } else { " ]" });
        return;
    }
    let deeper = indent + 1 + chance.number_below(4);
    for number in 0..count {
        comment(chance, out);
        out.push('\n');
        if chance.number_below(4) == 0 {
            let _ = write!(out, "\n{}# own {}\n", " ".repeat(deeper), chance.number_below(99));
        }
        out.push_str(&" ".repeat(deeper));
        if is_map {
            let _ = write!(out, "{}:", keys[(number + level * 2) % keys.len()]);
        } else {
            out.push('-');
        }
        write_random(chance, level + 1, deeper, false, out);
    }
}

fn comment(chance: &mut PseudoRandom, out: &mut String) {
    if chance.number_below(4) == 0 {
        let _ = write!(out, "  # c{}", chance.number_below(99));
    }
}

#[test]
fn values_and_comments_survive_in_generated_documents() {
    let mut chance = PseudoRandom::new();
    let mut laid_out = 0;
    for _ in 0..2000 {
        let mut text = "kind: RuleSet\napiVersion: kvrules.dev/v1alpha1\nspec:".to_owned();
        write_random(&mut chance, 0, 0, false, &mut text);
        comment(&mut chance, &mut text);
        text.push('\n');
        let stream = parse_stream(FileId(0), &text);
        if !stream.documents[0].problems().is_empty() {
            continue;
        }
        let tidy = lay_out(&text).unwrap_or_else(|refusal| panic!("{text}\n{refusal:?}"));
        assert_eq!(value(&tidy), value(&text), "{text}\n{tidy}");
        let comments = |text: &str| {
            let behind = text.split("# ").skip(1).filter_map(|rest| rest.lines().next());
            let is_comment =
                |it: &&str| it.trim_start_matches("own ").trim_start_matches('c').parse::<u8>().is_ok();
            let mut found: Vec<_> = behind.map(str::trim).filter(is_comment).map(str::to_owned).collect();
            found.sort();
            found
        };
        assert_eq!(comments(&tidy), comments(&text), "{text}\n{tidy}");
        assert_eq!(lay_out(&tidy).unwrap(), tidy, "{text}\n{tidy}");
        laid_out += 1;
    }
    assert!(laid_out > 1500, "{laid_out}");
}
