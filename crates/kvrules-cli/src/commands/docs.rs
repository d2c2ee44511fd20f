//! `kvrules docs`: pages about rules, definitions and policies for people, and the same as data for programs.

mod extra_specs;
mod page_server;
mod serve;
mod since;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::crd::ResourceText;
use kvrules::docs::{self, Document, Grouping, PagesInput, ResourcePagesInput, RuleLocations};
use kvrules::render::json_text;
use kvrules::{EmitError, Operation, OutputFile, Request, Template, UnavailableTarget};
use serde::Serialize;

use super::compile::templates;
use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, load_files_with, thread_pool};
use crate::naming::NamingBase;
use crate::options::{Global, InputArgs, SubjectArgs};
use crate::outputs::{OutputRequest, WritePlan, removal_diff, unified_diff};
use crate::paths;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::targets::TargetArgs;
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

const EXAMPLES: &str = "\
Examples:
  kvrules docs templates/ --format markdown --out-dir docs/rules
  kvrules docs --check                 for CI: show changes of stale pages as a diff, and fail
  kvrules docs --format html --group-by name --out-dir site
  kvrules docs --format json vm.yaml   the content of the pages, as data
  kvrules docs crds/ policies/ --format html --out-dir site
  kvrules docs --keep-going            leave out only what has errors
  kvrules docs --templates my/         use your own templates
  kvrules docs crds/ --serve           show the pages in a browser, always up to date
  kvrules docs crds/ --since v1.2      show what changed since a revision of git
  kvrules docs --relative-to ..        name files from the directory above
  kvrules docs --extra-specs --out-dir docs/extra-specs
  kvrules docs --extra-specs --own-only acme.yaml --out-dir docs/acme

Exit status:
  0  the pages are written, or up to date
  1  a rule, definition or policy has an error, or (with --check) pages are stale; nothing is written unless
     --keep-going is given
  2  a file could not be read, parsed or written, or there is nothing to describe";

/// Generate pages about rules, definitions, policies and RuleSets
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Docs {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Format of the pages [default: the configuration's, else markdown]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    /// Write the pages to this directory [default: the configuration's]
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// Rule sets that share a page [default: the configuration's, else set]
    #[arg(long, value_name = "BY", value_enum)]
    group_by: Option<GroupBy>,
    /// Directory of templates that replace built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Directory from which pages name files [default: that of the configuration, else of the repository, else the working directory]
    #[arg(long, value_name = "DIR")]
    relative_to: Option<PathBuf>,
    #[command(flatten)]
    content: ContentArgs,
    #[command(flatten)]
    about: SpecArgs,
    /// Show the HTML pages at http://127.0.0.1:PORT, and again whenever an input changes [default port: 8765]
    #[arg(
        long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "8765",
        conflicts_with_all = ["format", "out_dir", "check", "prune", "force"]
    )]
    serve: Option<u16>,
    /// Write nothing; show the changes as a diff, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Remove pages of earlier runs that are no longer generated
    #[arg(long, conflicts_with = "check")]
    prune: bool,
    /// Overwrite files that kvrules did not write, and a damaged list of generated files
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

/// Options of what pages are about.
#[derive(Debug, Args)]
struct ContentArgs {
    /// Show what changed since a revision of git; repeat it for a timeline, the oldest revision first
    #[arg(long, value_name = "REVISION", conflicts_with = "extra_specs")]
    since: Vec<String>,
    /// Generate the other pages if inputs have errors; the exit status is still 1
    #[arg(long, conflicts_with = "extra_specs")]
    keep_going: bool,
}

/// Options of pages about extra specs.
#[derive(Debug, Args)]
struct SpecArgs {
    /// Generate pages about extra specs of flavors instead of rules: Nova's built-in ones, then those that PATH defines [default:
    /// the configuration's `extra-specs.definitions`]
    #[arg(long, conflicts_with_all = ["group_by", "schema"])]
    extra_specs: bool,
    /// Leave out Nova's built-in extra specs
    #[arg(long, requires = "extra_specs")]
    own_only: bool,
}

/// The generated files, or the status if there are none because the inputs have errors.
type GeneratedFiles = Result<PageFiles, Status>;

/// The generated files, and the status of the inputs that they are about.
struct PageFiles {
    files: Vec<OutputFile>,
    inputs: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown pages
    Markdown,
    /// reStructuredText pages, for Sphinx
    #[value(name = "restructuredtext")]
    ReStructuredText,
    /// Standalone HTML pages
    Html,
    /// Content of the pages as one JSON document; `kvrules schema pages` describes it
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupBy {
    /// One page per rule set
    Set,
    /// One page for all rule sets whose names begin alike, up to the first dash
    Name,
    /// One page per file
    File,
}

impl Docs {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        if let Some(port) = self.serve {
            return serve::serve_pages(self, port, global, terminal);
        }
        let settings = Settings::load(global, terminal)?;
        let format = self.format(&settings);
        let configured = if self.about.extra_specs {
            settings.config.docs.extra_specs_dir.as_ref()
        } else {
            settings.config.docs.out_dir.as_ref()
        };
        let place = self.place(format, configured, &settings)?;
        match self.generate(format, &settings, terminal)? {
            Ok(PageFiles { files, inputs }) => {
                let given = self.give(self.target_name(format), place.as_deref(), files, terminal)?;
                Ok(if given == Status::Clean { inputs } else { given })
            }
            Err(status) => Ok(status),
        }
    }

    /// Under what the pages are listed as ours; rules and extra specs may have theirs in the same directory.
    fn target_name(&self, format: Format) -> &'static str {
        if self.about.extra_specs { extra_specs::target_name(format) } else { format.name() }
    }

    /// Generates the files; or the status if the inputs have errors, which are reported.
    fn generate(
        &self,
        format: Format,
        settings: &Settings,
        terminal: &Terminal,
    ) -> Result<GeneratedFiles, Failure> {
        if self.about.extra_specs {
            return extra_specs::make_spec_pages(self, format, settings, terminal);
        }
        let about = settings.about(&self.subject)?;
        let (schemas, _) = settings.definition_sources(&self.subject)?;
        let loaded = load_files_with(&self.inputs, Operation::Document, settings, &about.catalog, schemas)?;
        let inputs = loaded.report_errors(terminal);
        if inputs != Status::Clean && !(self.content.keep_going && inputs == Status::Findings) {
            return Ok(Err(inputs));
        }
        let has_rules = loaded.readings.iter().any(|reading| !reading.sets.is_empty());
        let pool = thread_pool(&self.inputs)?;
        let resources = pool.install(|| self.find_resources(&loaded, has_rules))?;
        let LoadedFiles { sources, readings, .. } = loaded;
        let sources = self.naming_base(settings).rename_sources(&sources);
        let rule_sets: Vec<_> = readings.iter().flat_map(|reading| reading.rule_sets.clone()).collect();
        let sets = kvrules::merge_rule_sets(readings.into_iter().flat_map(|reading| reading.sets).collect());
        let options = TargetArgs::default().options(settings)?;
        let request = Request {
            options: &options,
            subject: about.catalog.subject(),
            schema: about.schema(),
            schema_choice: about.choice.as_deref(),
            version: kvrules::VERSION,
            servers: settings.kubernetes(),
            ..Request::for_virtual_machines(&sets)
        };
        let unavailable = kvrules::partition_targets(kvrules::all_targets(), &request).1;
        for UnavailableTarget { target, cause } in unavailable.into_iter().filter(|_| has_rules) {
            terminal.note(&format!("the pages leave out the target `{target}`: {cause}"));
        }
        let places = RuleLocations { sources: &sources, link: settings.config.docs.source_link.as_deref() };
        let notation = settings.config.docs.author_notation();
        let failure = |error: EmitError| Failure::new(error.message);
        let input = PagesInput { request, places, notation, grouping: self.grouping(settings) };
        let mut document = docs::build_pages(&input).map_err(failure)?;
        let given = ResourcePagesInput {
            resources: &resources,
            rule_sets: &rule_sets.iter().collect::<Vec<_>>(),
            places,
            notation,
            format: format.pages(),
        };
        let left_out = pool.install(|| docs::add_resource_pages(&mut document, &given)).map_err(failure)?;
        for note in left_out {
            terminal.note(&format!("{note}; the pages leave it out"));
        }
        if !self.content.since.is_empty() {
            since::add_revisions(self, &mut document, settings, &about.catalog, terminal)?;
        }
        pool.spawn(move || drop(resources));
        let files = pool.install(|| self.files(format, document, settings))?;
        Ok(Ok(PageFiles { files, inputs }))
    }

    /// The definitions and policies of the inputs. Fails if these have nothing that pages describe.
    fn find_resources(&self, loaded: &LoadedFiles, has_rules: bool) -> Result<Vec<ResourceText>, Failure> {
        let resources = if self.content.keep_going {
            loaded.readable_resource_texts()?
        } else {
            loaded.resource_texts()?
        };
        let has_resources =
            !resources.is_empty() || loaded.readings.iter().any(|reading| !reading.rule_sets.is_empty());
        if !has_rules && !has_resources && loaded.count_parts() > 0 {
            return Err(Failure::new("no rules found, only extra specs")
                .help("`kvrules docs --extra-specs` generates pages about extra specs"));
        }
        if !has_rules && !has_resources {
            return Err(loaded.without_rules());
        }
        Ok(resources)
    }

    /// Writes the files, or compares or prints them.
    fn give(
        &self,
        target: &'static str,
        place: Option<&Path>,
        files: Vec<OutputFile>,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        if let Some(place) = place {
            return self.write(target, place, files, terminal);
        }
        files.iter().try_for_each(|file| terminal.print(&file.text))?;
        Ok(Status::Clean)
    }

    /// The named inputs, else those of the configuration.
    fn input_paths(&self, settings: &Settings) -> Vec<PathBuf> {
        if !self.inputs.paths.is_empty() {
            return self.inputs.paths.clone();
        }
        settings.config.inputs.iter().map(|entry| settings.path(entry.get_ref())).collect()
    }

    /// The directory from which pages name files.
    fn naming_base(&self, settings: &Settings) -> NamingBase {
        NamingBase::new(self.relative_to.as_deref(), settings)
    }

    fn format(&self, settings: &Settings) -> Format {
        let named = settings.config.docs.format.as_deref();
        let configured =
            || Format::value_variants().iter().copied().find(|format| Some(format.name()) == named);
        self.format.or_else(configured).unwrap_or(Format::Markdown)
    }

    /// The directory of the pages; nothing if there is one document for standard output.
    fn place(
        &self,
        format: Format,
        configured: Option<&String>,
        settings: &Settings,
    ) -> Result<Option<PathBuf>, Failure> {
        let key = if self.about.extra_specs { "extra-specs-dir" } else { "out-dir" };
        let configured = || configured.map(|path| settings.path(path));
        match (&self.out_dir, format) {
            (Some(place), _) => Ok(Some(place.clone())),
            // The configured directory applies to JSON only together with the configured format: with `--format
            // json` on the command line the document goes to standard output.
            (None, Format::Json) if self.format.is_none() && configured().is_some() => Ok(configured()),
            (None, Format::Json) if self.check || self.prune => {
                Err(Failure::new("standard output has no earlier content to compare with")
                    .help("name the directory of the document with `--out-dir`"))
            }
            (None, Format::Json) => Ok(None),
            (None, _) => configured().map(Some).ok_or_else(|| {
                Failure::new("missing output directory for pages").help(format!(
                    "name one with `--out-dir`, or as `{key}` under `[docs]` in the configuration"
                ))
            }),
        }
    }

    fn grouping(&self, settings: &Settings) -> Grouping {
        match self.group_by {
            Some(GroupBy::Set) => Grouping::Set,
            Some(GroupBy::Name) => Grouping::Name,
            Some(GroupBy::File) => Grouping::File,
            None => settings.config.docs.grouping(),
        }
    }

    fn files(
        &self,
        format: Format,
        mut document: Document,
        settings: &Settings,
    ) -> Result<Vec<OutputFile>, Failure> {
        let templates = self.templates(settings)?;
        let failure = |error: EmitError| Failure::new(error.message);
        let Some(pages) = format.pages() else {
            docs::lay_out_rules(&mut document, &templates).map_err(failure)?;
            return render_data("pages.json", &document);
        };
        let files = docs::render_document(pages, &document, &templates).map_err(failure);
        // Thousands of fields are freed while files are written.
        rayon::spawn(move || drop(document));
        files
    }

    /// The templates of the user's own.
    fn templates(&self, settings: &Settings) -> Result<Vec<Template>, Failure> {
        let configured = || settings.config.templates.as_ref().map(|path| settings.path(path));
        let root = self.templates.clone().or_else(configured);
        root.map_or_else(|| Ok(Vec::new()), |root| templates::read_templates(&root))
    }

    fn write(
        &self,
        target: &'static str,
        place: &Path,
        files: Vec<OutputFile>,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let wanted = files.into_iter().map(|file| OutputRequest {
            target,
            directory: place.to_owned(),
            path: file.path,
            text: file.text,
        });
        let plan = WritePlan::new(&[(target, place.to_owned())], wanted.collect(), self.prune)?;
        if self.check {
            return self.checked(&plan, terminal);
        }
        plan.carry_out(self.prune, self.force)?;
        let what = if self.prune { "removed" } else { "no longer generated" };
        plan.stale.iter().for_each(|path| terminal.note(&format!("{what}: {}", paths::display_path(path))));
        // The index of the search is no page.
        let is_page = |path: &Path| path.extension().is_none_or(|extension| extension != "js");
        let written = plan.changed().filter(|file| is_page(&file.path)).count();
        let unchanged = plan.files.iter().filter(|file| is_page(&file.path)).count() - written;
        let unchanged = if unchanged > 0 { format!(", {unchanged} unchanged") } else { String::new() };
        terminal.print_status(&format!(
            "wrote {} to {}{unchanged}",
            count_noun(written, "page"),
            paths::display_path(place)
        ));
        Ok(Status::Clean)
    }

    /// `--check`: shows what would change.
    fn checked(&self, plan: &WritePlan, terminal: &mut Terminal) -> Result<Status, Failure> {
        for file in plan.changed() {
            let old = file.old.as_deref().map(String::from_utf8_lossy);
            terminal.print(&unified_diff(&file.path, old.as_deref(), &file.text))?;
        }
        for path in &plan.stale {
            let old =
                read_text(path, PathOrigin::Search).map_err(|unread| Failure::new(unread.to_string()))?;
            terminal.print(&removal_diff(path, &old))?;
            terminal.note(&format!("no longer generated: {}", paths::display_path(path)));
        }
        for (path, why) in &plan.damaged {
            terminal.note(&format!("damaged: {}: {why}", paths::display_path(path)));
        }
        let stale = plan.changed().count() + plan.stale.len() + plan.damaged.len();
        if stale == 0 {
            terminal.print_status(&format!("{} up to date", count_noun(plan.files.len(), "page")));
            return Ok(Status::Clean);
        }
        let command = if self.about.extra_specs { "kvrules docs --extra-specs" } else { "kvrules docs" };
        terminal.print_status(&format!("{} not up to date; run `{command}`", count_noun(stale, "page")));
        Ok(Status::Findings)
    }
}

impl Format {
    /// The format of the pages; nothing for data.
    fn pages(self) -> Option<&'static docs::Format> {
        match self {
            Self::Markdown => Some(&docs::MARKDOWN),
            Self::ReStructuredText => Some(&docs::RESTRUCTUREDTEXT),
            Self::Html => Some(&docs::HTML),
            Self::Json => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::ReStructuredText => "restructuredtext",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// Returns the content of the pages, as a document for programs.
fn render_data(path: &str, document: &impl Serialize) -> Result<Vec<OutputFile>, Failure> {
    let text = serde_json::to_string_pretty(document);
    let text = json_text(&text.map_err(|error| Failure::new(error.to_string()))?).into_owned() + "\n";
    Ok(vec![OutputFile { path: path.to_owned(), text }])
}
