//! `jsonl`: one JSON object a line, with the members of `json`, for readers that take findings as they come.

use super::json::to_finding;
use super::json_text;
use crate::{Diagnostic, Sources};

pub(super) fn render_jsonl(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().fold(String::new(), |mut out, diagnostic| {
        // Findings have string keys and no foreign serialisers, so writing them cannot fail.
        out.push_str(&json_text(
            &serde_json::to_string(&to_finding(diagnostic, sources)).unwrap_or_default(),
        ));
        out.push('\n');
        out
    })
}
