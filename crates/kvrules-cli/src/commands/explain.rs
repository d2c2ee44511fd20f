//! `kvrules explain`: the page about a finding, about a difference between the two engines, or the meaning of rules in CEL.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use kvrules::crd::{ResourceKind, ResourceText};
use kvrules::lift::{ExplainedRule, RuleMeaning, explain_policy, explain_rules};
use kvrules::{AuthoredObjects, Operation, ResourceVersion};
use kvrules_diagnostics::suggest_nearest;
use serde_json::Value;

use super::lints::{beginning_with, render_human};
use crate::failure::{Failure, Status};
use crate::inputs::load_files;
use crate::options::{Global, InputArgs, SubjectArgs};
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules explain KV102
  kvrules explain missing_key
  kvrules explain KV2                  list the lints whose codes begin with KV2
  kvrules explain D1                   a difference that eval --engine both reported
  kvrules explain unreadable-quantity
  kvrules explain --lift crd.yaml      the meaning of the rules in CEL of a definition
  kvrules explain --lift policy.yaml   the meaning of the expressions of a policy
  kvrules explain 'spec.x-kubernetes-validations[0]' --lift crd.yaml";

/// Explain a lint, a difference between engines, or rules in CEL
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// Code or name of a lint or difference, or the beginning of codes; with `--lift`, the place or the text of a rule
    #[arg(
        value_name = "CODE|NAME|PREFIX|RULE",
        required_unless_present = "lift",
        default_value = "",
        hide_default_value = true
    )]
    requested_inputs: String,
    /// Explain the rules in CEL of the CustomResourceDefinitions and ValidatingAdmissionPolicies in a file or directory: for which
    /// objects each is true, and for which it is false. `-` is standard input
    #[arg(long, value_name = "PATH")]
    lift: Vec<PathBuf>,
}

impl Explain {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        if !self.lift.is_empty() {
            return self.explain_rules(global, terminal);
        }
        let requested_inputs = self.requested_inputs.trim();
        let lint = requested_inputs.to_lowercase().replace('-', "_");
        let page = kvrules::lint_page(requested_inputs)
            .or_else(|| kvrules::lint_page(&lint))
            .or_else(|| kvrules::difference_page(&as_difference(requested_inputs)));
        if let Some(new) = kvrules::new_code(&requested_inputs.to_uppercase()) {
            terminal.note(&format!("`{}` is now `{new}`", requested_inputs.to_uppercase()));
            terminal.print(kvrules::lint_page(new).unwrap_or_default())?;
            return Ok(Status::Clean);
        }
        let Some(page) = page else { return self.list(terminal) };
        terminal.print(page)?;
        Ok(Status::Clean)
    }

    /// Explains the rules of definitions.
    fn explain_rules(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let about = settings.about(&SubjectArgs { schema: Vec::new() })?;
        let inputs = InputArgs {
            paths: self.lift.clone(),
            stdin_filename: None,
            follow_links: false,
            jobs: None,
            allow_empty: false,
        };
        let loaded = load_files(&inputs, Operation::Explain, &settings, &about.catalog)?;
        loaded.tell_unread(terminal);
        let wanted = Some(self.requested_inputs.trim()).filter(|wanted| !wanted.is_empty());
        let versions = loaded.resource_versions()?;
        let of_version = |version: &ResourceVersion| (version_title(version), explain_rules(version, wanted));
        let texts = loaded.resource_texts()?;
        let of_policy = |policy: &ResourceText| {
            let name = policy.value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            (format!("{} {name}", policy.written_kind()), explain_policy(policy, &texts, wanted))
        };
        let policies = texts.iter().filter(|text| text.kind == ResourceKind::Policy && !text.is_generated());
        let explained: Vec<_> = versions.iter().map(of_version).chain(policies.map(of_policy)).collect();
        if explained.iter().all(|(_, rules)| rules.is_empty()) {
            return Err(match wanted {
                Some(wanted) => Failure::new(format!("no rule `{wanted}` in the definitions and policies"))
                    .help("`kvrules explain --lift FILE` lists the rules with their places"),
                None => Failure::new("no rules in CEL to explain"),
            });
        }
        for (title, rules) in explained.iter().filter(|(_, rules)| !rules.is_empty()) {
            terminal.print(&describe_rules(title, rules))?;
        }
        Ok(if loaded.is_whole() { Status::Clean } else { Status::RunError })
    }

    fn list(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let lints = beginning_with(self.requested_inputs.trim());
        if lints.is_empty() {
            return Err(self.unknown());
        }
        terminal.print(&render_human(&lints, terminal.paint()))?;
        Ok(Status::Clean)
    }

    fn unknown(&self) -> Failure {
        let lints = kvrules::all_lints().iter().flat_map(|lint| [lint.code, lint.name]);
        let differences = kvrules::all_differences().iter().flat_map(|known| [known.id, known.name]);
        let help = suggest_nearest(&self.requested_inputs, lints.chain(differences))
            .unwrap_or_else(|| "`kvrules lints` lists all lints".to_owned());
        Failure::new(format!("unknown lint or difference `{}`", self.requested_inputs)).help(help)
    }
}

fn describe_rules(title: &str, rules: &[ExplainedRule]) -> String {
    let mut text = format!("{title}\n");
    for rule in rules {
        let one_line = rule.rule.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n  rule:  {one_line}\n", rule.name);
        if !rule.kinds.is_empty() {
            let _ = writeln!(text, "  for:   {}", rule.kinds.join(", "));
        }
        match &rule.meaning {
            Ok(meaning) => describe_meaning(&mut text, meaning),
            Err(cause) => drop(writeln!(text, "  no formula: {cause}")),
        }
    }
    text.push('\n');
    text
}

fn describe_meaning(text: &mut String, meaning: &RuleMeaning) {
    let tried = &meaning.confirmation;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  true:  {}\n  false: {}", meaning.holds, meaning.fails);
    if let Some(example) = &tried.error_example {
        let _ = writeln!(text, "  error: otherwise, for example of {example}");
    }
    let _ = writeln!(
        text,
        "  as the server evaluates it on {} generated values: {} true, {} false, {} errors",
        tried.objects, tried.accepted, tried.rejected, tried.errors
    );
}

/// The id or the name of a difference as its page has it; the file of `D1` is called `D01`.
fn as_difference(requested_inputs: &str) -> String {
    let requested_inputs = requested_inputs.to_lowercase().replace('_', "-");
    requested_inputs
        .strip_prefix("d0")
        .map_or_else(|| requested_inputs.clone(), |number| format!("d{number}"))
}

/// `ponds.example.com v1`, with the name of a RuleSet.
fn version_title(version: &ResourceVersion) -> String {
    let title = match version.authored_objects() {
        AuthoredObjects::OfVersion => format!("{} {}", version.definition, version.version),
        _ => version.objects_name(),
    };
    match &version.authored {
        Some(authored) => format!("RuleSet {}, for {title}", authored.name),
        None => title,
    }
}
