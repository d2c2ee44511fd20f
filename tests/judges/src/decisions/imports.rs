//! Claims of `import ruleset`: that words say the same as a rule in CEL.

use std::rc::Rc;

use kvrules::import::{ImportContext, ImportedForm, import_rule_sets};
use kvrules::{FileId, SourceFile};
use serde_json::Value as Json;

use super::place::{Place, write_definition};
use super::value::Val;
use super::words::{UnknownWord, passes_entry};
use crate::{Random, Tally};

/// Places of one definition, each with one rule.
const PLACES: usize = 12;

/// Judges the RuleSet that the rules of a generated definition become.
pub(crate) fn judge_imports(random: &mut Random, origin: &str, tally: &mut Tally) {
    let places: Vec<Place> = (0..PLACES)
        .map(|_| {
            let mut place = Place::generate(random);
            place.rules.retain(|rule| !rule.is_transition);
            place.rules.truncate(1);
            place
        })
        .collect();
    let source = SourceFile::new(FileId(0), "crd.yaml", write_definition(&places).text);
    let context = ImportContext { own_path: Some("crd.yaml"), ..ImportContext::default() };
    let Ok(imported) = import_rule_sets(&source, context) else {
        tally.unjudged("a definition that is not imported");
        return;
    };
    let entries: Vec<&Json> = imported
        .sets
        .iter()
        .flat_map(|set| set.document["spec"]["rules"].as_array().into_iter().flatten())
        .collect();
    for rule in imported.sets.iter().flat_map(|set| &set.rules) {
        let Some(index) = place_of(&rule.source) else { continue };
        if rule.form == ImportedForm::Words && rule.wider.is_none() {
            let own: Vec<&Json> = entries.iter().copied().filter(|entry| is_about(entry, index)).collect();
            judge_words(&places[index], index, &own, random, origin, tally);
        }
    }
}

/// The index of the place in a name such as `spec.p3.x-kubernetes-validations[0]`.
fn place_of(source: &str) -> Option<usize> {
    let (_, rest) = source.split_once("spec.p")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// True if an entry names something below a place.
fn is_about(entry: &Json, index: usize) -> bool {
    let text = entry.to_string();
    let name = format!("spec.p{index}");
    text.match_indices(&name)
        .any(|(at, _)| !text[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

fn judge_words(
    place: &Place,
    index: usize,
    entries: &[&Json],
    random: &mut Random,
    origin: &str,
    tally: &mut Tally,
) {
    let rules: Vec<_> = place.rules.iter().collect();
    for state in place.states(&rules, random) {
        let spec = Val::Map(vec![(Rc::<str>::from(format!("p{index}")), state.value.clone())].into());
        let object = Val::Map(vec![("spec".into(), spec)].into());
        let passes: Result<Vec<bool>, UnknownWord> =
            entries.iter().map(|entry| passes_entry(entry, &object)).collect();
        match passes {
            Ok(passes) if passes.iter().all(|it| *it) == place.accepts(&state) => {}
            Ok(_) => {
                return tally.wrong("import: words say the same", origin, || {
                    let words: Vec<String> = entries.iter().map(|entry| entry.to_string()).collect();
                    format!(
                        "{}\nwords: {}\nrefuted by: {}",
                        place.describe(),
                        words.join("; "),
                        state.describe()
                    )
                });
            }
            Err(UnknownWord(what)) => return tally.unjudged(&format!("words with {what}")),
        }
    }
    tally.right("import: words say the same");
}
