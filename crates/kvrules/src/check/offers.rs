//! Names that may be written at a place of a file, for completions of editors.

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_elaborate::annotation::{ALL_KEYS, Key, RuleKind};
use kvrules_elaborate::catalog::CatalogField;
use kvrules_rule_set::{REQUIRED_KEYS, RULE_KEYS, RuleSet, RuleSubject, WORDS, offer_fields, offer_words};
use kvrules_sources::crd::{OfferedKind, OfferedName, RunResources};
use kvrules_sources::with_expression_at;

use super::CheckSettings;

/// Start of a path in an annotation.
const PATH_PREFIX: &str = "jsonpath::";

impl CheckSettings {
    /// Returns the names that may be written at an offset of a file, and the part of the text in whose place they come; `None` if
    /// none are known. `rule_sets` are the last that could be read of the file: a text that is being written often cannot be.
    pub fn offers_at(
        &self,
        source: &SourceFile,
        rule_sets: &[RuleSet],
        offset: u32,
    ) -> Option<(Span, Vec<OfferedName>)> {
        let files: Vec<_> = std::iter::once(source).chain(self.schemas.files()).collect();
        let run = RunResources::of_files(&files).with_versions(self.versions);
        let in_expression = with_expression_at(source, offset, &run, |expression| {
            let at = expression.name_at();
            let start = if at.typed.is_empty() { offset } else { at.span.start };
            let span = Span::new(source.id(), start, offset);
            (span, expression.offered_names(self.versions.oldest()))
        });
        in_expression.or_else(|| {
            let before = source.text().get(..offset as usize)?;
            let line = before.rsplit('\n').next()?;
            let sets = rule_sets.iter().filter(|_| source.mentions_word("RuleSet"));
            let set = sets.filter(|set| set.span.start <= offset).last();
            let (typed, names) = match set {
                Some(set) => rule_set_offers(source.text(), before, line, &set.subject)?,
                None => self.annotation_offers(line)?,
            };
            let start = offset - u32::try_from(typed).ok()?;
            Some((Span::new(source.id(), start, offset), names))
        })
    }

    /// Offers for a line in the JSON of an annotation: paths, keys and kinds of rules. The first number is the length of the part that is
    /// written already.
    fn annotation_offers(&self, line: &str) -> Option<(usize, Vec<OfferedName>)> {
        let open = line.rfind('"')?;
        let (before, typed) = (line.get(..open)?.trim_end(), line.get(open + 1..)?);
        if before.matches('"').count() % 2 == 1 {
            return None;
        }
        let Some(key) = before.strip_suffix(':').map(str::trim_end) else {
            let is_key = before.is_empty() || before.ends_with(['{', ',']);
            let keys = ALL_KEYS.into_iter().map(|key| offered(key.as_str(), OfferedKind::Field, ""));
            return is_key.then(|| (typed.len(), keys.collect()));
        };
        let key = key.strip_suffix('"').and_then(|key| key.rsplit('"').next()).and_then(Key::from_text)?;
        match key {
            Key::Rule => {
                let kinds = RuleKind::ALL.iter().map(|kind| offered(kind.as_str(), OfferedKind::Value, ""));
                Some((typed.len(), kinds.collect()))
            }
            Key::Path | Key::Valid => {
                let path = typed.strip_prefix(PATH_PREFIX)?;
                let (parent, last) = path.rsplit_once('.')?;
                let field = parent
                    .split('.')
                    .filter(|name| !name.is_empty())
                    .try_fold(self.catalog.root(), |field, name| step_into(field, name))?;
                let fields = field
                    .child_fields()
                    .map(|field| offered(field.name(), OfferedKind::Field, field.value_type().as_str()));
                Some((last.len(), fields.collect()))
            }
            _ => None,
        }
    }
}

/// The field that a step with its brackets leads to.
fn step_into<'c>(field: CatalogField<'c>, step: &str) -> Option<CatalogField<'c>> {
    let (name, brackets) =
        step.split_once('[').map_or((step, 0), |(name, rest)| (name, rest.matches(']').count()));
    let field = field.child_field(name)?;
    (0..brackets).try_fold(field, |field, _| field.item_field())
}

/// Offers for a line of a RuleSet: paths, the words that fit the field of the rule, and the other keys of rules.
fn rule_set_offers(
    text: &str,
    before: &str,
    line: &str,
    subject: &RuleSubject,
) -> Option<(usize, Vec<OfferedName>)> {
    let is_path = |char: char| char.is_alphanumeric() || "._-/[]*'\"".contains(char);
    let typed = line.get(line.trim_end_matches(is_path).len()..)?;
    let head = line.strip_suffix(typed)?.trim_end();
    if head.ends_with("path:") || head.ends_with("each:") {
        let path = typed.trim_start_matches(['"', '\'']);
        let (parent, last) = path.rsplit_once('.').unwrap_or(("", path));
        let fields = offer_fields(subject, parent).into_iter();
        let fields = fields.map(|field| OfferedName {
            name: field.name,
            kind: OfferedKind::Field,
            detail: field.value_type.to_owned(),
            documentation: field.description,
        });
        return Some((last.len(), fields.collect()));
    }
    let is_key = head.is_empty() || head.ends_with(['-', '{', ',']);
    if !is_key || !typed.chars().all(char::is_alphanumeric) || !before.contains("rules:") {
        return None;
    }
    let path = rule_path(text, before);
    let words = path.and_then(|path| offer_words(subject, &path).ok()).map(|offer| offer.words);
    let words: Vec<OfferedName> = match words {
        Some(words) => words
            .into_iter()
            .map(|word| OfferedName {
                name: format!("{}: {}", word.name, word.value),
                kind: OfferedKind::Function,
                detail: word.summary.to_owned(),
                documentation: String::new(),
            })
            .collect(),
        None => WORDS.iter().map(|word| offered(word.name, OfferedKind::Function, word.summary)).collect(),
    };
    let keys =
        RULE_KEYS.iter().chain(REQUIRED_KEYS).map(|key| offered(key, OfferedKind::Field, "key of rules"));
    Some((typed.len(), words.into_iter().chain(keys).collect()))
}

/// The path of the rule around a place: of the item of a list that the line belongs to.
fn rule_path(text: &str, before: &str) -> Option<String> {
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let above: usize = before
        .get(..start)?
        .split_inclusive('\n')
        .rev()
        .scan(is_item(before.get(start..)?), |is_found, line| {
            let is_own = !*is_found;
            *is_found |= is_item(line);
            is_own.then_some(line.len())
        })
        .sum();
    let rule = text.get(start - above..)?;
    let mut lines = rule.lines();
    let first = lines.next()?;
    let item: Vec<&str> = std::iter::once(first).chain(lines.take_while(|line| !is_item(line))).collect();
    let (_, path) = item.iter().find_map(|line| line.split_once("path:"))?;
    let path = path.trim_start().trim_start_matches(['"', '\'']);
    let end = path.find(|char: char| char.is_whitespace() || ",}\"'".contains(char)).unwrap_or(path.len());
    path.get(..end).filter(|path| !path.is_empty()).map(str::to_owned)
}

fn offered(name: &str, kind: OfferedKind, detail: &str) -> OfferedName {
    OfferedName { name: name.to_owned(), kind, detail: detail.to_owned(), documentation: String::new() }
}
