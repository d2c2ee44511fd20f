//! The configuration: which files hold rules, and where each target's output goes.
//!
//! It is written in TOML and has one description, the types in this file. The JSON Schema that editors use is
//! derived from them, and [`parse`] holds a configuration against that same schema before it reads it, so the two
//! cannot disagree. Finding the file is the command line's affair.
//!
//! ```
//! use kvrules::config;
//! use kvrules::{FileId, SourceFile};
//!
//! let file = SourceFile::new(FileId(0), "kvrules.toml", "inputs = ['rules/*.yaml']\nout-dir = 'build'\n");
//! let config = config::parse(&file, kvrules::all_targets()).unwrap().unwrap();
//! assert_eq!(config.out_dir, "build");
//!
//! let file = SourceFile::new(FileId(0), "kvrules.toml", "input = ['rules/*.yaml']\n");
//! let faults = config::parse(&file, kvrules::all_targets()).unwrap_err();
//! assert_eq!(faults[0].help.as_deref(), Some("did you mean `inputs`?"));
//! ```

mod check;
mod docs;
mod lint;
mod schema;
mod targets;

use std::collections::BTreeMap;

use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_emit::Emitter;
use kvrules_emit::targets::loss::Loss;
use kvrules_sources::crd::KubernetesVersions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

pub use docs::{DocsConfig, TextNotation};
pub use lint::LintConfig;
pub use schema::config_schema;
pub use targets::{configured_losses, configured_options, configured_targets};
pub use toml::Spanned;

/// The names under which a configuration is found, the first first.
pub const FILE_NAMES: [&str; 3] = ["kvrules.toml", ".kvrules.toml", PYPROJECT];

/// Name of a file that may contain a configuration next to those of other tools, under `[tool.kvrules]`.
const PYPROJECT: &str = "pyproject.toml";

/// The files with rules, and the output of each target.
///
/// All paths are relative to the directory of the configuration file. Every key is optional.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(title = "Configuration of kvrules")]
pub struct Config {
    /// The files to read if the command line names none: files, directories and globs.
    ///
    /// A directory includes the YAML, JSON and Markdown files below it, without those that git ignores. In a glob `*` matches
    /// within one directory, `**` across directories, and `{a,b}` either of the two.
    #[schemars(with = "Vec<String>")]
    pub inputs: Vec<Spanned<String>>,
    /// Globs of files to leave out if a directory or a glob would include them.
    ///
    /// A glob that matches a directory leaves out everything below it.
    #[schemars(with = "Vec<String>")]
    pub exclude: Vec<Spanned<String>>,
    /// The schema of the objects that rules apply to: a file with a CustomResourceDefinition, an OpenAPI document or a JSON
    /// Schema. If unset, the objects are VirtualMachines.
    ///
    /// If the file has several, `FILE#NAME` selects one: a version or a kind of CustomResourceDefinitions, or the name of an
    /// OpenAPI schema.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Spanned<String>>,
    /// The Kubernetes versions whose servers definitions are for: `1.29`, `1.28..1.36`, `1.30,1.33` or `all`. If unset, it is the
    /// newest known one.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<Spanned<String>>,
    /// The output directory. Each target writes to a subdirectory with its name.
    pub out_dir: String,
    /// The targets to compile to; all of them unless set.
    #[schemars(with = "Vec<String>", length(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// Level of a rule that a target does not express exactly. Unless set, a target that accepts less than the rule is an error,
    /// and one that accepts more or does not support it a warning.
    #[schemars(with = "String", extend("enum" = Loss::ALL.map(Loss::as_str)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Options of single targets, by the name of the target.
    pub target: BTreeMap<String, TargetConfig>,
    /// A directory of document templates that replace built-in ones of the same name.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub templates: Option<String>,
    /// Selection and severity of findings of `kvrules check`.
    pub lint: LintConfig,
    /// Options of `kvrules docs`.
    pub docs: DocsConfig,
    /// Options for extra specs of OpenStack flavors.
    pub extra_specs: ExtraSpecsConfig,
}

/// Options for extra specs of OpenStack flavors.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExtraSpecsConfig {
    /// Your own definitions: files, and directories of YAML and JSON files. Nova's built-in definitions come before them.
    #[schemars(with = "Vec<String>")]
    pub definitions: Vec<Spanned<String>>,
}

/// Options of a target.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TargetConfig {
    /// The output directory of this target, instead of one with its name.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_dir: Option<String>,
    /// Level of a rule that this target does not express exactly.
    #[schemars(with = "String", extend("enum" = Loss::ALL.map(Loss::as_str)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Options of this target; `kvrules compile --list-targets` lists them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            exclude: Vec::new(),
            schema: None,
            kubernetes: None,
            out_dir: "target/kvrules".to_owned(),
            targets: None,
            loss: None,
            target: BTreeMap::new(),
            templates: None,
            lint: LintConfig::default(),
            docs: DocsConfig::default(),
            extra_specs: ExtraSpecsConfig::default(),
        }
    }
}

impl Config {
    /// Returns the Kubernetes versions whose servers definitions are for.
    ///
    /// ```
    /// assert_eq!(kvrules::config::Config::default().kubernetes_versions().to_string(), "1.36");
    /// ```
    pub fn kubernetes_versions(&self) -> KubernetesVersions {
        let written = self.kubernetes.as_ref().and_then(|written| written.get_ref().parse().ok());
        written.unwrap_or_default()
    }

    fn version_fault(&self) -> Option<check::ConfigFault> {
        let written = self.kubernetes.as_ref()?;
        let error = written.get_ref().parse::<KubernetesVersions>().err()?;
        Some(check::ConfigFault { range: written.span(), message: error.to_string(), help: None })
    }
}

/// Reads a configuration, in which `targets` may be configured. Returns `None` for a `pyproject.toml` without
/// `[tool.kvrules]`.
///
/// # Errors
///
/// Every error in the file: invalid TOML, unknown keys, values of the wrong type or with an unknown meaning.
///
/// ```
/// use kvrules::{FileId, SourceFile, all_targets, config};
///
/// let parse = |name: &str, text: &str| config::parse(&SourceFile::new(FileId(0), name, text), all_targets());
/// let config = parse("kvrules.toml", "inputs = ['templates/**/*.yaml']\n").unwrap().unwrap();
/// assert_eq!(config.inputs[0].get_ref(), "templates/**/*.yaml");
/// assert!(parse("pyproject.toml", "[tool.ruff]\nline-length = 100\n").unwrap().is_none());
/// let errors = parse("kvrules.toml", "targets = ['opnapi']\n").unwrap_err();
/// assert_eq!(errors[0].message, "invalid value `opnapi` for an item of `targets`");
/// ```
pub fn parse(file: &SourceFile, targets: &[&Emitter]) -> Result<Option<Config>, Vec<Diagnostic>> {
    let (document, errors) = DeTable::parse_recoverable(file.text());
    let shared = file.name().rsplit(['/', '\\']).next() == Some(PYPROJECT);
    // Other tools report errors in a file of theirs, unless the file may have a part for kvrules.
    if shared && !file.text().contains("kvrules") {
        return Ok(None);
    }
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| syntax_error(error, file)).collect());
    }
    let root = DeValue::Table(document.into_inner());
    let section = if shared { root.get("tool").and_then(|tool| tool.get_ref().get("kvrules")) } else { None };
    let value = match section {
        Some(section) => section.get_ref(),
        None if shared => return Ok(None),
        None => &root,
    };
    let faults = check::check_value(value, config_schema(targets).as_value());
    if faults.is_empty() {
        deserialize_config(value.clone(), file)
    } else {
        Err(to_diagnostics(faults, file))
    }
}

/// A value that fits the schema, as a configuration.
fn deserialize_config(value: DeValue<'_>, file: &SourceFile) -> Result<Option<Config>, Vec<Diagnostic>> {
    let value = Spanned::new(0..file.text().len(), value);
    let config = Config::deserialize(toml::de::ValueDeserializer::from(value))
        .map_err(|error| vec![syntax_error(&error, file)])?;
    let mut faults = config.lint.find_faults();
    faults.extend(config.version_fault());
    if faults.is_empty() { Ok(Some(config)) } else { Err(to_diagnostics(faults, file)) }
}

/// Creates an error in a configuration file. `range` is in bytes of its text.
///
/// ```
/// use kvrules::{FileId, SourceFile, config::config_error};
///
/// let file = SourceFile::new(FileId(0), "kvrules.toml", "inputs = []\nout-dir = '/'\n");
/// let error = config_error(&file, 22..25, "cannot write to `/`");
/// let at = file.position_at(error.primary.span.start);
/// assert_eq!((error.code, at.line, at.column), ("config", 2, 11));
/// ```
pub fn config_error(
    file: &SourceFile,
    range: std::ops::Range<usize>,
    message: impl Into<String>,
) -> Diagnostic {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let span = Span::new(file.id(), offset(range.start), offset(range.end));
    Diagnostic::refused_input("config", span, message)
}

fn syntax_error(error: &toml::de::Error, file: &SourceFile) -> Diagnostic {
    let message: Vec<_> = error.message().lines().map(str::trim).collect();
    config_error(file, error.span().unwrap_or_default(), message.join(", "))
}

fn to_diagnostics(faults: Vec<check::ConfigFault>, file: &SourceFile) -> Vec<Diagnostic> {
    let diagnostics = faults
        .into_iter()
        .map(|found| Diagnostic { help: found.help, ..config_error(file, found.range, found.message) });
    let mut diagnostics: Vec<_> = diagnostics.collect();
    diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    diagnostics
}

#[cfg(test)]
mod tests;
