//! Plain scalars as Kubernetes takes them: by YAML 1.1, where that differs.

use serde_json::Number;

use crate::yaml11::{Yaml11Value, read_as_yaml11};
use crate::{Node, SyntaxKind};

/// Returns the kind of a node for Kubernetes.
pub fn kind(node: Node<'_>) -> SyntaxKind {
    match read_as_yaml11(node) {
        None => node.kind(),
        Some(Yaml11Value::Boolean(true)) => SyntaxKind::True,
        Some(Yaml11Value::Boolean(false)) => SyntaxKind::False,
        Some(Yaml11Value::Integer(_) | Yaml11Value::Float(_)) => SyntaxKind::Number,
    }
}

/// True if a node is `true` for Kubernetes.
pub fn is_true(node: Node<'_>) -> bool {
    kind(node) == SyntaxKind::True
}

/// The number that a node is for Kubernetes.
pub fn resolve_number(node: Node<'_>) -> Option<Number> {
    match read_as_yaml11(node) {
        Some(Yaml11Value::Integer(whole)) => {
            i64::try_from(whole).map(Number::from).or_else(|_| u64::try_from(whole).map(Number::from)).ok()
        }
        Some(Yaml11Value::Float(float)) => Number::from_f64(float),
        _ => parse(node.text()),
    }
}

/// A number as it is written, by YAML 1.2.
pub fn parse(text: &str) -> Option<Number> {
    let radix = |prefix: &str, radix| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    if let Some(whole) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(Number::from(whole));
    }
    let plain = text.strip_prefix('+').unwrap_or(text);
    let whole = plain.parse::<i64>().map(Number::from).or_else(|_| plain.parse::<u64>().map(Number::from));
    if let Ok(whole) = whole {
        return Some(whole);
    }
    Number::from_f64(plain.parse().ok()?)
}
