//! The configuration that a run uses, and where it was found.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use kvrules::config::{self, Config, FILE_NAMES};
use kvrules::crd::KubernetesVersions;
use kvrules::eval::KindSchemas;
use kvrules::select::{LintChoice, LintSelection};
use kvrules::{Catalog, Diagnostic, SourceFile, Sources, render};

use crate::failure::Failure;
use crate::options::{Global, KubernetesArgs, ParameterArgs, SubjectArgs};
use crate::paths;
use crate::schemas;
use crate::terminal::Terminal;
use crate::text::{PathOrigin, UnreadFile, read_text};

/// Subject of rules: the fields of an object, and the file that they were read from.
#[derive(Debug)]
pub(crate) struct RuleSubject {
    /// The fields.
    pub(crate) catalog: Cow<'static, Catalog>,
    /// The chosen schema of the file, as it was written after `#`.
    pub(crate) choice: Option<String>,
    /// The file; empty if the object is a VirtualMachine by default.
    sources: Sources,
}

impl RuleSubject {
    /// The file with the schema of the object.
    pub(crate) fn schema(&self) -> Option<&SourceFile> {
        self.sources.files().first()
    }
}

/// A configuration and the place that its paths start from.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The content of the file; the defaults without a file.
    pub(crate) config: Config,
    /// The directory of its file, as a path from the working directory.
    base: PathBuf,
    /// Its file, for messages; empty if missing.
    sources: Sources,
    /// Output for messages about it and about inputs.
    terminal: Terminal,
    /// Values of parameters of RuleSets.
    parameters: BTreeMap<String, String>,
    /// True if findings have their proofs.
    pub(crate) explains_proofs: bool,
}

impl Settings {
    /// The configuration that the options ask for, or the nearest.
    pub(crate) fn load(global: &Global, terminal: &Terminal) -> Result<Self, Failure> {
        if global.config.is_some() || global.no_config {
            return Self::load_chosen(global.config.as_deref(), global.no_config, terminal);
        }
        let here = std::env::current_dir().map_err(|error| Failure::file("read", Path::new("."), &error))?;
        // Paths of the configuration are shown as they are seen from the working directory.
        let seen = |height: usize, _: &Path| std::iter::repeat_n(Component::ParentDir, height).collect();
        Ok(Self::nearest(&here, seen, terminal)?.unwrap_or_else(|| Self::without_file(terminal)))
    }

    /// The configuration that the options ask for.
    pub(crate) fn load_chosen(
        config: Option<&Path>,
        no_config: bool,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        match config {
            Some(path) if !no_config => Self::read(path, PathOrigin::Argument, terminal)?.ok_or_else(|| {
                Failure::new(format!("missing section `[tool.kvrules]` in `{}`", paths::display_path(path)))
            }),
            _ => Ok(Self::without_file(terminal)),
        }
    }

    /// The nearest configuration of the files in a directory.
    pub(crate) fn load_for(directory: &Path, terminal: &Terminal) -> Result<Self, Failure> {
        let directory = paths::absolute_path(directory);
        let found = Self::nearest(&directory, |_, place| place.to_owned(), terminal)?;
        Ok(found.unwrap_or_else(|| Self::without_file(terminal)))
    }

    fn without_file(terminal: &Terminal) -> Self {
        Self {
            config: Config::default(),
            base: PathBuf::new(),
            sources: Sources::default(),
            terminal: terminal.clone(),
            parameters: BTreeMap::new(),
            explains_proofs: false,
        }
    }

    /// The first configuration in a directory or above it. `seen` returns the path of a directory above.
    fn nearest(
        directory: &Path,
        seen: impl Fn(usize, &Path) -> PathBuf,
        terminal: &Terminal,
    ) -> Result<Option<Self>, Failure> {
        for (height, above) in directory.ancestors().enumerate() {
            for name in FILE_NAMES.into_iter().filter(|name| above.join(name).is_file()) {
                let path = seen(height, above).join(name);
                if let Some(found) = Self::read(&path, PathOrigin::File, terminal)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn read(path: &Path, origin: PathOrigin, terminal: &Terminal) -> Result<Option<Self>, Failure> {
        let text = read_text(path, origin).map_err(|unread| Failure::new(unread.to_string()))?;
        let mut sources = Sources::default();
        let id = sources.add_file(path.to_string_lossy(), text);
        let Some(file) = sources.get(id) else { return Ok(None) };
        match config::parse(file, kvrules::all_targets()) {
            Ok(Some(config)) => {
                let base = path.parent().unwrap_or(Path::new("")).to_owned();
                let parameters = BTreeMap::new();
                let (terminal, explains_proofs) = (terminal.clone(), false);
                Ok(Some(Self { config, base, sources, terminal, parameters, explains_proofs }))
            }
            Ok(None) => Ok(None),
            Err(faults) => Err(to_failure(&faults, &sources, terminal.paint_error().0)),
        }
    }

    /// Uses the Kubernetes versions of the options, if they name some.
    #[must_use]
    pub(crate) fn with_kubernetes(mut self, args: &KubernetesArgs) -> Self {
        if let Some(versions) = &args.kubernetes {
            self.config.kubernetes = Some(config::Spanned::new(0..0, versions.to_string()));
        }
        if let Some(preview) = self.kubernetes().iter().find(|version| version.is_preview()) {
            self.note(&format!(
                "Kubernetes {preview} is a preview: it is not released, and kvrules knows only some of its changes"
            ));
        }
        self
    }

    /// Has the proofs of findings, if they are asked for.
    #[must_use]
    pub(crate) fn with_proofs(self, explains_proofs: bool) -> Self {
        Self { explains_proofs, ..self }
    }

    /// Uses the values of parameters in the options.
    #[must_use]
    pub(crate) fn with_parameters(mut self, args: &ParameterArgs) -> Self {
        self.parameters.extend(args.set.iter().cloned());
        self
    }

    /// The values of parameters of RuleSets.
    pub(crate) fn parameters(&self) -> &BTreeMap<String, String> {
        &self.parameters
    }

    /// The Kubernetes versions whose servers definitions are for.
    pub(crate) fn kubernetes(&self) -> KubernetesVersions {
        self.config.kubernetes_versions()
    }

    /// Says something to think about.
    pub(crate) fn note(&self, text: &str) {
        self.terminal.note(text);
    }

    /// True if a configuration file was found.
    pub(crate) fn found(&self) -> bool {
        !self.sources.files().is_empty()
    }

    /// The directory that paths of the configuration start from.
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    /// A path of the configuration, seen from the working directory.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }

    /// Returns the selection of findings: by the configuration, and by the options of the command line on top of it.
    pub(crate) fn selection(&self, choice: LintChoice) -> LintSelection {
        LintSelection::new(&[self.config.lint.to_lint_choice(), choice], self.config.lint.per_file())
    }

    /// The fields of the objects that rules are about; see [`about`](Self::about).
    pub(crate) fn catalog(&self, args: &SubjectArgs) -> Result<Cow<'static, Catalog>, Failure> {
        self.about(args).map(|about| about.catalog)
    }

    /// Returns the subject of rules: by the schema that the options or else the configuration name, or a VirtualMachine.
    pub(crate) fn about(&self, args: &SubjectArgs) -> Result<RuleSubject, Failure> {
        let written = self.written(args);
        if written.is_empty() {
            let catalog = Cow::Borrowed(Catalog::kubevirt_vm());
            return Ok(RuleSubject { catalog, choice: None, sources: Sources::default() });
        }
        let (sources, choice) =
            schemas::choose_schema(&written, path_origin(args), &|reason| self.unread_schema(args, reason))?;
        let file = sources.files().first().ok_or_else(|| Failure::new("no schema found"))?;
        let catalog = kvrules::read_catalog(file, choice.as_deref())
            .map_err(|problems| to_failure(&problems, &sources, self.terminal.paint_error().0))?;
        Ok(RuleSubject { catalog: Cow::Owned(catalog), choice, sources })
    }

    /// Returns the subject of rules for a check, whose schemas may be definitions that policies refer to. If they are several and
    /// none is meant, the subject is a VirtualMachine, and the failure is that of a rule that needs one.
    pub(crate) fn checked_subject(
        &self,
        args: &SubjectArgs,
    ) -> Result<(RuleSubject, Option<Failure>), Failure> {
        match self.about(args) {
            Ok(subject) => Ok((subject, None)),
            Err(failure) if self.kinds(args)?.is_some() => {
                let catalog = Cow::Borrowed(Catalog::kubevirt_vm());
                Ok((RuleSubject { catalog, choice: None, sources: Sources::default() }, Some(failure)))
            }
            Err(failure) => Err(failure),
        }
    }

    /// The schemas that the options or else the configuration name, if they are of several kinds and none is chosen.
    pub(crate) fn kinds(&self, args: &SubjectArgs) -> Result<Option<KindSchemas>, Failure> {
        schemas::load_kind_schemas(&self.written(args), path_origin(args), &|reason| {
            self.unread_schema(args, reason)
        })
    }

    /// The files with definitions that the options or else the configuration name, of directories those that have any, and what
    /// was chosen in them.
    pub(crate) fn definition_sources(&self, args: &SubjectArgs) -> Result<(Sources, Vec<String>), Failure> {
        schemas::load_definitions(&self.written(args), path_origin(args), &|reason| {
            self.unread_schema(args, reason)
        })
    }

    /// The files and directories of schemas, as the options or else the configuration name them.
    pub(crate) fn written(&self, args: &SubjectArgs) -> Vec<PathBuf> {
        if args.schema.is_empty() {
            return self.config.schema.iter().map(|entry| self.path(entry.get_ref())).collect();
        }
        args.schema.iter().map(PathBuf::from).collect()
    }

    /// The failure that a schema cannot be read; where the configuration names it, with the place there.
    fn unread_schema(&self, args: &SubjectArgs, reason: &UnreadFile) -> Failure {
        let message = format!("cannot read the schema {reason}");
        match &self.config.schema {
            Some(entry) if args.schema.is_empty() => self.fault(entry, message, None),
            _ => Failure::new(message),
        }
    }

    /// The failure that something in the configuration does not work.
    pub(crate) fn fault(
        &self,
        entry: &config::Spanned<String>,
        message: String,
        help: Option<&str>,
    ) -> Failure {
        let Some(file) = self.sources.files().first() else { return Failure::new(message) };
        let fault = config::config_error(file, entry.span(), message);
        let fault = match help {
            Some(help) => fault.with_help(help),
            None => fault,
        };
        to_failure(&[fault], &self.sources, self.terminal.paint_error().0)
    }
}

/// The origin of the paths of schemas.
fn path_origin(args: &SubjectArgs) -> PathOrigin {
    if args.schema.is_empty() { PathOrigin::File } else { PathOrigin::Argument }
}

/// The failure that findings in a file of ours are.
pub(crate) fn to_failure(faults: &[Diagnostic], sources: &Sources, color: bool) -> Failure {
    let options = render::RenderOptions { color, ..render::RenderOptions::default() };
    Failure::Rendered(crate::terminal::render_findings(
        render::RenderFormat::Human,
        faults,
        sources,
        &options,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PONDS: &str = "openapi: 3.0.3\ncomponents:\n  schemas:\n    Pond: {type: object, properties: {depth: {type: \
                         integer}}}\n    Fish: {type: object}\n";

    /// Returns the subject of rules by the options, in a directory with a schema file of this name.
    fn about(name: &str, schema: &str) -> Result<RuleSubject, Failure> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(name), PONDS).unwrap();
        let none = Settings {
            config: Config::default(),
            base: PathBuf::new(),
            sources: Sources::default(),
            terminal: Terminal::new(crate::terminal::ColorChoice::Never, true),
            parameters: BTreeMap::new(),
            explains_proofs: false,
        };
        let schema = directory.path().join(schema).to_string_lossy().into_owned();
        none.about(&SubjectArgs { schema: vec![schema] })
    }

    #[test]
    fn the_schema_comes_with_its_file_and_what_was_chosen_in_it() {
        let about = about("ponds.yaml", "ponds.yaml#Pond").unwrap();
        assert_eq!(about.schema().map(SourceFile::text), Some(PONDS));
        assert!(about.schema().unwrap().name().ends_with("ponds.yaml"), "without the choice");
        assert_eq!(about.choice.as_deref(), Some("Pond"));
    }

    #[test]
    fn a_hash_in_the_name_of_the_file_is_no_choice() {
        // With the hash as part of the file name nothing is selected, so the file with its two schemas is refused,
        // but it is found.
        assert!(matches!(about("a#Pond", "a#Pond"), Err(Failure::Rendered(_))));
        assert!(matches!(about("a", "b#Pond"), Err(Failure::Message { .. })));
    }
}
