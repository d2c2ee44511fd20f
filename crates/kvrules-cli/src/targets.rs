//! Which targets a run is about, and what is chosen about them, by the command line and the configuration.
//!
//! Targets and their options are looked up in the registry, so a new target needs nothing here.

use clap::{Args, builder::PossibleValuesParser};
use kvrules::config::nearest;
use kvrules::{Emitter, Options, TargetOption};

use crate::failure::Failure;
use crate::settings::Settings;

/// Which targets, and what about them.
#[derive(Debug, Default, Args)]
pub(crate) struct TargetArgs {
    /// The targets, or `all` [default: the configuration's targets, else all]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = names(), hide_possible_values = true)]
    pub(crate) target: Vec<String>,
    /// Choose something about a target; `compile --list-targets` shows what there is [default: the configuration's]
    #[arg(long, value_name = "TARGET.NAME=VALUE")]
    pub(crate) option: Vec<String>,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(kvrules::targets().iter().map(|target| target.name).chain(["all"]))
}

impl TargetArgs {
    /// The targets that the options ask for, or else the configuration, ordered by name.
    pub(crate) fn chosen(&self, settings: &Settings) -> Vec<&'static Emitter> {
        let configured = settings.config.targets.as_deref().unwrap_or_default();
        let names = if self.target.is_empty() { configured } else { &self.target };
        let all = names.is_empty() || names.iter().any(|name| name == "all");
        let is_chosen = |target: &&&Emitter| all || names.iter().any(|name| name == target.name);
        kvrules::targets().iter().filter(is_chosen).copied().collect()
    }

    /// What is chosen about targets: by the configuration, and over that by the options.
    pub(crate) fn options(&self, settings: &Settings) -> Result<Options, Failure> {
        let chosen = self.chosen(settings);
        let configured = settings.config.target.iter().flat_map(|(target, config)| {
            let options = config.options.iter();
            options.map(|(name, value)| ((target.clone(), name.clone()), value.clone()))
        });
        let mut options: Options = configured.collect();
        for written in &self.option {
            let (key, value) = read(written, &chosen)?;
            options.insert(key, value);
        }
        Ok(options)
    }
}

/// Reads `TARGET.NAME=VALUE`. The name of a target may have points, that of an option has none.
fn read(written: &str, chosen: &[&Emitter]) -> Result<((String, String), String), Failure> {
    let parts = written.split_once('=').and_then(|(key, value)| Some((key.rsplit_once('.')?, value)));
    let Some(((target, name), value)) = parts else {
        return Err(Failure::new(format!("`--option {written}` is not of the form `TARGET.NAME=VALUE`"))
            .help("`kvrules compile --list-targets` lists targets and their options"));
    };
    let Some(known) = kvrules::emitter(target) else {
        let known: Vec<_> = kvrules::targets().iter().map(|target| target.name).collect();
        return Err(Failure::new(format!("there is no target `{target}`")).help(suggestion(target, &known)));
    };
    if !chosen.iter().any(|chosen| chosen.name == known.name) {
        return Err(Failure::new(format!("`--option {written}` is about a target that is not made"))
            .help(format!("add `--target {target}`")));
    }
    let Some(option) = known.options.iter().find(|option| option.name == name) else {
        let names: Vec<_> = known.options.iter().map(|option| option.name).collect();
        let help = if names.is_empty() { "it has no options".to_owned() } else { suggestion(name, &names) };
        return Err(Failure::new(format!("the target `{target}` has no option `{name}`")).help(help));
    };
    check_value(target, option, value)?;
    Ok(((target.to_owned(), name.to_owned()), value.to_owned()))
}

fn check_value(target: &str, option: &TargetOption, value: &str) -> Result<(), Failure> {
    if option.values.is_empty() || option.values.contains(&value) {
        return Ok(());
    }
    Err(Failure::new(format!("`{value}` is no choice for `{target}.{}`", option.name))
        .help(suggestion(value, option.values)))
}

fn suggestion(word: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(word, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let quoted: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    format!("known: {}", quoted.join(", "))
}
