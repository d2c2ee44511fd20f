//! `docs --serve`: pages in a browser, generated again whenever an input changes.

use std::path::PathBuf;

use super::page_server::PageServer;
use super::{Docs, Format, GeneratedFiles, PageFiles};
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::paths::has_extension;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::watch::{WatchedDirectories, announce_wait, configuration_paths, event_names, watch_directories};

/// Serves pages until the user interrupts it.
pub(super) fn serve_pages(
    docs: &Docs,
    port: u16,
    global: &Global,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    if docs.inputs.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new("standard input (`-`) cannot be watched"));
    }
    let server = PageServer::start(port)?;
    let mut events = WatchedDirectories::new()?;
    let mut is_first = true;
    loop {
        // Watched before anything is read, so that no change falls between.
        let configuration = configuration_paths(global)?;
        events.cover(configuration.iter().filter_map(|path| path.parent()))?;
        match generate(docs, global, &mut events, terminal) {
            Ok(Ok(PageFiles { files, .. })) => {
                server.show(files);
                terminal.print_status(&format!("pages at {}", server.address()));
            }
            // Inputs that cannot be read at the start are an error of the command line, not a state to wait in.
            Ok(Err(Status::RunError)) if is_first => return Ok(Status::RunError),
            Err(failure) if is_first => return Err(failure),
            Ok(Err(_)) => terminal.print_status("the pages are not up to date"),
            Err(failure) => terminal.failure(&failure),
        }
        is_first = false;
        announce_wait(terminal);
        wait_for_change(docs, &mut events)?;
    }
}

/// Extensions of inputs, templates and configurations.
const WATCHED: [&str; 9] = ["yaml", "yml", "json", "toml", "j2", "md", "rst", "tpl", "gotmpl"];

/// Waits until something changes that pages may depend on: other programs write logs next to inputs.
fn wait_for_change(docs: &Docs, events: &mut WatchedDirectories) -> Result<(), Failure> {
    let named: Vec<PathBuf> = docs.inputs.paths.iter().flat_map(|path| event_names(path)).collect();
    let is_watched = |path: &PathBuf| has_extension(path, &WATCHED) || path.is_dir() || named.contains(path);
    loop {
        let mut seen = events.wait(|_| false)?;
        while let Some(more) = events.wait_until_quiet() {
            seen.paths.extend(more.paths);
            seen.missed |= more.missed;
        }
        if seen.missed || seen.paths.iter().any(is_watched) {
            return Ok(());
        }
    }
}

/// Generates the pages; the status if the inputs have errors, which are reported.
fn generate(
    docs: &Docs,
    global: &Global,
    events: &mut WatchedDirectories,
    terminal: &Terminal,
) -> Result<GeneratedFiles, Failure> {
    let settings = Settings::load(global, terminal)?;
    for path in watched_paths(docs, &settings) {
        events.cover(watch_directories(&path))?;
    }
    docs.generate(Format::Html, &settings, terminal)
}

/// The inputs, the templates, and the schemas that they depend on.
fn watched_paths(docs: &Docs, settings: &Settings) -> Vec<PathBuf> {
    let config = &settings.config;
    let configured = if docs.about.extra_specs { &config.extra_specs.definitions } else { &config.inputs };
    let mut paths = if docs.inputs.paths.is_empty() {
        configured.iter().map(|entry| settings.path(entry.get_ref())).collect()
    } else {
        docs.inputs.paths.clone()
    };
    paths
        .extend(docs.templates.clone().or_else(|| config.templates.as_ref().map(|path| settings.path(path))));
    paths.extend(settings.written(&docs.subject));
    paths
}
