//! Sentences of the rules of a source.

use kvrules::check::CheckSettings;
use serde_json::{Value, json};

use crate::check::CheckedSource;
use crate::messages::{Refusal, Source};

/// The rules, in the order in which commands list them.
pub(crate) fn describe_source(source: &Source) -> Result<String, Refusal> {
    let read = CheckedSource::read(source)?;
    let file = read.file().ok_or_else(|| Refusal("no source".to_owned()))?;
    let described = CheckSettings::default().describe_rules(file, &read.checked.reading);
    let rules: Vec<Value> = described
        .iter()
        .map(|(span, facts)| {
            json!({
                "name": facts.name,
                "line": span.map(|span| file.position_at(span.start).line),
                "sentences": facts.sentences,
                "unknown": facts.unknown,
            })
        })
        .collect();
    Ok(json!({"rules": rules}).to_string())
}
