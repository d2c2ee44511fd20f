//! Choices about targets in a configuration, in the form that generating them takes.

use kvrules_emit::targets::loss::LossPolicy;
use kvrules_emit::{Emitter, Options};

use super::Config;

/// The targets that a configuration names; none if it leaves the choice open, which asks for nothing in particular.
///
/// ```
/// use kvrules::{FileId, SourceFile, config, configured_targets};
///
/// let file = SourceFile::new(FileId(0), "kvrules.toml", "targets = ['openapi', 'markdown']\n");
/// let config = config::parse(&file, kvrules::all_targets()).unwrap().unwrap();
/// let names: Vec<_> = configured_targets(&config).iter().map(|target| target.name).collect();
/// assert_eq!(names, ["markdown", "openapi"]);
/// assert!(configured_targets(&config::Config::default()).is_empty());
/// ```
pub fn configured_targets(config: &Config) -> Vec<&'static Emitter> {
    let names = config.targets.as_deref().unwrap_or_default();
    kvrules_emit::EMITTERS
        .iter()
        .copied()
        .filter(|target| names.iter().any(|name| name == target.name))
        .collect()
}

/// Returns the loss policy of a configuration: `loss`, and `loss` of single targets.
///
/// ```
/// use kvrules::loss::{Loss, LossPolicy};
/// use kvrules::{FileId, SourceFile, config, configured_losses};
///
/// let text = "loss = 'error'\n[target.openapi]\nloss = 'allow'\n";
/// let file = SourceFile::new(FileId(0), "kvrules.toml", text);
/// let config = config::parse(&file, kvrules::all_targets()).unwrap().unwrap();
/// let of_target = [("openapi".to_owned(), Loss::Allow)].into();
/// assert_eq!(configured_losses(&config), LossPolicy { general: Some(Loss::Error), of_target });
/// ```
pub fn configured_losses(config: &Config) -> LossPolicy {
    let targets = config.target.iter();
    let of_target = targets.filter_map(|(name, target)| Some((name.clone(), target.loss?)));
    LossPolicy { general: config.loss, of_target: of_target.collect() }
}

/// Returns the options of targets in a configuration, by target and name.
///
/// ```
/// use kvrules::{FileId, SourceFile, config, configured_options};
///
/// let file = SourceFile::new(FileId(0), "kvrules.toml", "[target.admission-policy.options]\nfailure-policy = 'ignore'\n");
/// let config = config::parse(&file, kvrules::all_targets()).unwrap().unwrap();
/// let options = configured_options(&config);
/// assert_eq!(options[&("admission-policy".to_owned(), "failure-policy".to_owned())], "ignore");
/// ```
pub fn configured_options(config: &Config) -> Options {
    let of_target = config.target.iter().flat_map(|(target, config)| {
        let options = config.options.iter();
        options.map(|(name, value)| ((target.clone(), name.clone()), value.clone()))
    });
    of_target.collect()
}
