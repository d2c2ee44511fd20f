//! Calls of constants that the server works out before a rule runs, and refuses the rule when they fail.

use crate::ast::Literal;

use crate::check::core::{Core, Kind, Node};

/// Why the server cannot make a program of a checked expression, in its words.
pub(crate) fn refusal(core: &Core) -> Option<String> {
    let mut refusal = None;
    core.root.walk(&mut |node| {
        if refusal.is_none() {
            refusal = call_refusal(node);
        }
    });
    refusal
}

fn call_refusal(node: &Node) -> Option<String> {
    let Kind::Call { function, target, args } = &node.kind else { return None };
    match (function.as_str(), target.is_some(), args.as_slice()) {
        ("find" | "findAll", true, [pattern, ..]) => {
            kvrules_regex::parse(text(pattern)?).err().map(|error| error.go_text())
        }
        ("int" | "uint" | "double" | "bool", false, [argument]) => {
            let failed = !converts(function, text(argument)?);
            failed.then(|| format!("type conversion error from 'string' to '{function}'"))
        }
        _ => None,
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn converts(function: &str, text: &str) -> bool {
    match function {
        "int" => text.parse::<i64>().is_ok(),
        "uint" => text.parse::<u64>().is_ok() && !text.starts_with('+'),
        "double" => text
            .parse::<f64>()
            .is_ok_and(|number| number.is_finite() || !text.contains(|c: char| c.is_ascii_digit())),
        _ => matches!(
            text,
            "1" | "t" | "T" | "TRUE" | "true" | "True" | "0" | "f" | "F" | "FALSE" | "false" | "False"
        ),
    }
}
