//! `kvrules new rule`: a rule of a RuleSet for a field, with the words that its type offers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::rule_set::{FieldOffer, RuleSet, RuleSubject, UnknownField, offer_words};
use kvrules::{Catalog, Diagnostic, FileId, Level, ReadContext, SourceFile, detect_contents};

use crate::failure::{Failure, Status};
use crate::inputs::read_subjects;
use crate::options::Global;
use crate::paths::{display_path, has_extension};
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

pub(super) const EXAMPLES: &str = "\
Examples:
  kvrules new rule --for apps/v1/Deployment spec.replicas > web.yaml
  kvrules new rule --for pond.crd.yaml spec.depth
  kvrules new rule --for server.schema.json listen.port
  kvrules new rule --for web.yaml 'spec.template.spec.containers[*].image'
  kvrules new rule spec.replicas        for the only RuleSet below the working directory
  kvrules new rule --for web.yaml --word immutable spec.selector

For a RuleSet, the rule is printed as an item of its `rules`; for a kind or a definition, as a whole RuleSet.";

/// Print a rule for a field, with the words that fit its type
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct NewRule {
    /// Path of the field, such as `spec.ports[*].name`
    #[arg(value_name = "PATH")]
    path: String,
    /// RuleSet, file with one CustomResourceDefinition or JSON Schema, or kind such as `apps/v1/Deployment`
    #[arg(long = "for", value_name = "FILE|KIND")]
    subject: Option<String>,
    /// Print the rule with this word alone
    #[arg(long, value_name = "WORD")]
    word: Option<String>,
}

/// The subject of a new rule, and what surrounds the rule in the output.
struct NewSubject {
    subject: RuleSubject,
    head: String,
}

impl NewRule {
    pub(super) fn run(&self, _: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let mut subjects = match &self.subject {
            Some(named) if Path::new(named).is_file() => subjects_of_file(Path::new(named))?,
            Some(named) => vec![subject_of_kind(named)?],
            None => subjects_of_file(&only_rule_set()?)?,
        };
        // Of several RuleSets, the first whose objects have the field.
        let found = subjects.iter().position(|it| offer_words(&it.subject, &self.path).is_ok());
        let chosen = subjects.swap_remove(found.unwrap_or_default());
        let offer = offer_words(&chosen.subject, &self.path).map_err(to_failure)?;
        let rule = match &self.word {
            Some(word) => render_word(&offer, word)?,
            None => offer.render_rule(),
        };
        terminal.print(&(chosen.head + &rule))?;
        Ok(Status::Clean)
    }
}

fn to_failure(unknown: UnknownField) -> Failure {
    let failure = Failure::new(unknown.message);
    match unknown.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

fn render_word(offer: &FieldOffer, word: &str) -> Result<String, Failure> {
    let found = offer.words.iter().find(|offered| offered.name == word);
    let known = || offer.words.iter().map(|it| format!("`{}`", it.name)).collect::<Vec<_>>().join(", ");
    let unfit = || {
        let failure =
            Failure::new(format!("`{word}` does not fit `{}`, which is {}", offer.path, offer.value_type));
        failure.help(if offer.words.is_empty() {
            "no word does".to_owned()
        } else {
            format!("these do: {}", known())
        })
    };
    found.map(|word| offer.render_word(word)).ok_or_else(unfit)
}

/// The subjects of the RuleSets in a file, or of the definition in it.
fn subjects_of_file(path: &Path) -> Result<Vec<NewSubject>, Failure> {
    let name = display_path(path);
    let text = read_text(path, PathOrigin::Argument)
        .map_err(|unread| Failure::new(format!("cannot read `{name}`: {}", unread.message)))?;
    let source = SourceFile::new(FileId(0), name.as_str(), text);
    if detect_contents(&source).has_rule_sets() {
        let sets = read_sets(&source, path)?;
        let to_subject = |set: RuleSet| NewSubject { subject: set.subject, head: String::new() };
        return Ok(sets.into_iter().map(to_subject).collect());
    }
    let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let head = rule_set_head(&format!("{{schema: {}}}", quote(&name)), &file);
    // The head is read as if it lay in the folder of the definition.
    let beside = rule_set_head(&format!("{{schema: {}}}", quote(&file)), &file);
    let set = SourceFile::new(FileId(0), "new.yaml", beside + PLACEHOLDER);
    let sets = read_sets(&set, &path.with_file_name("new.yaml"))?;
    Ok(sets.into_iter().map(|set| NewSubject { subject: set.subject, head: head.clone() }).collect())
}

/// A rule that every subject may have.
const PLACEHOLDER: &str = "  - {name: placeholder, path: metadata.name, required: true}\n";

fn subject_of_kind(named: &str) -> Result<NewSubject, Failure> {
    let Some((api_version, kind)) = named.rsplit_once('/') else {
        let failure = Failure::new(format!("`{named}` is neither a file nor a kind"));
        return Err(
            failure.help("name a kind with its API version, such as `apps/v1/Deployment` or `v1/Pod`")
        );
    };
    let subject = RuleSubject::built_in(api_version, kind, &std::collections::BTreeSet::new());
    let subject = subject
        .map_err(|unknown| to_failure(UnknownField { message: unknown.message, help: unknown.help }))?;
    let head = rule_set_head(&format!("{{apiVersion: {api_version}, kind: {kind}}}"), kind);
    Ok(NewSubject { subject, head })
}

fn rule_set_head(subject: &str, name: &str) -> String {
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let stem: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = if stem.is_empty() { "rules".to_owned() } else { format!("{stem}-rules") };
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: {name}}}\nspec:\n  subject: {subject}\n  rules:\n"
    )
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Reads the RuleSets of a text that lies at a path.
fn read_sets(source: &SourceFile, path: &Path) -> Result<Vec<RuleSet>, Failure> {
    let subjects = read_subjects(std::slice::from_ref(source), &[Some(path.to_owned())], &BTreeMap::new());
    let context = ReadContext::new(Catalog::kubevirt_vm()).with_subjects(&subjects);
    let reading = kvrules::read_file(source, &context);
    if reading.rule_sets.is_empty() {
        let is_error = |found: &&Diagnostic| found.level == Level::Error;
        let message = reading.diagnostics.iter().find(is_error).map(|found| found.message.clone());
        let message = message.unwrap_or_else(|| format!("no RuleSet in `{}`", source.name()));
        return Err(Failure::new(message)
            .help("`--for` takes a RuleSet, a file with one definition or JSON Schema, or a kind"));
    }
    Ok(reading.rule_sets)
}

/// Depth to which folders are searched for RuleSets.
const MOST_LEVELS: usize = 6;

/// The only file with RuleSets below the working directory.
fn only_rule_set() -> Result<PathBuf, Failure> {
    let walk = ignore::WalkBuilder::new(".").max_depth(Some(MOST_LEVELS)).build();
    let files = walk.flatten().map(ignore::DirEntry::into_path);
    let has_sets = |path: &PathBuf| {
        has_extension(path, &["yaml", "yml"])
            && read_text(path, PathOrigin::Search).is_ok_and(|text| {
                text.contains("RuleSet")
                    && detect_contents(&SourceFile::new(FileId(0), "rules.yaml", text)).has_rule_sets()
            })
    };
    let mut found: Vec<PathBuf> = files.filter(has_sets).collect();
    found.sort();
    let help = "name it with `--for`, or a kind such as `--for apps/v1/Deployment`";
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new("no RuleSet below the working directory").help(help)),
        several => {
            let names: Vec<_> = several.iter().map(|path| display_path(path)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let listed = crate::sentences::list_few(&names, "file");
            Err(Failure::new(format!("several files have RuleSets: {listed}")).help(help))
        }
    }
}
