//! From pages to files: escaped for a format, laid out by its templates.

use kvrules_ir::ElaboratedSet;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};

use super::facts::Fact;
use super::inline::Prose;
use super::measure::counted;
use super::page::{Page, Section, overview, pages, reading};
use super::users::Users;
use super::value::text_code;
use crate::{Emission, EmitError, Fidelity, OutputFile, Request, RuleFidelity};

/// A document format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The folder of its templates.
    pub(crate) folder: &'static str,
    /// Of its files.
    pub(crate) extension: &'static str,
    /// The built-in template of the index.
    pub(crate) index: &'static str,
    /// The built-in template of a rule set.
    pub(crate) rule_set: &'static str,
    /// Running text in the format.
    pub(crate) prose: fn(&Prose) -> String,
}

/// The documents of all sets: a page each, and an index.
pub(crate) fn emit(format: &Format, request: &Request<'_>) -> Result<Emission, EmitError> {
    let environment = environment(format, request)?;
    let pages = pages(request.sets, request.subject);
    let views: Vec<Value> = pages.iter().map(|page| view(format, page)).collect();
    let said = |prose: &Prose| Value::from((format.prose)(prose));
    let (overview, reading) = (said(&overview(&pages)), said(&reading(request.subject)));
    let version = Value::from(request.version);
    let index = context! { sets => Value::from(views.clone()), overview, reading => reading.clone(), version => version.clone() };
    let mut files = vec![file(format, "index", render(&environment, &index_name(format), &index)?)];
    for (page, view) in pages.iter().zip(views) {
        let values = context! { set => view, reading => reading.clone(), version => version.clone() };
        files.push(file(format, &page.stem, render(&environment, &page_name(format), &values)?));
    }
    Ok(Emission { files, fidelity: request.sets.iter().flat_map(exact).collect() })
}

/// Documents say all of every rule.
fn exact(set: &ElaboratedSet) -> impl Iterator<Item = RuleFidelity> + '_ {
    let said = |rule: String| RuleFidelity { set: set.name.clone(), rule, fidelity: Fidelity::Exact };
    set.rules.iter().map(move |rule| said(rule.name.clone()))
}

fn file(format: &Format, stem: &str, text: String) -> OutputFile {
    OutputFile { path: format!("{stem}.{}", format.extension), text }
}

fn index_name(format: &Format) -> String {
    format!("{}/index.{}.j2", format.folder, format.extension)
}

fn page_name(format: &Format) -> String {
    format!("{}/rule_set.{}.j2", format.folder, format.extension)
}

/// The built-in templates, the user's own in their place, and what those include (names that begin with `_`).
fn environment<'r>(format: &Format, request: &Request<'r>) -> Result<Environment<'r>, EmitError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(syntax()?);
    environment.add_filter("underline", underline);
    let built_in = [(index_name(format), format.index), (page_name(format), format.rule_set)];
    let start = format!("{}/", format.folder);
    for template in request.templates {
        let Some(file) = template.name.strip_prefix(&start) else { continue };
        if !file.starts_with('_') && !built_in.iter().any(|(name, _)| *name == template.name) {
            let [(index, _), (page, _)] = &built_in;
            let message = format!(
                "there is no template `{}` to replace, only `{index}` and `{page}`; a part that others include has a \
                 name that begins with `_`",
                template.name
            );
            return Err(EmitError { message });
        }
        add(&mut environment, &template.name, &template.text)?;
    }
    for (name, text) in built_in {
        if !request.templates.iter().any(|template| template.name == name) {
            add(&mut environment, &name, text)?;
        }
    }
    Ok(environment)
}

/// Lines that hold only a block tag leave no trace.
fn syntax() -> Result<SyntaxConfig, EmitError> {
    let built =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    built.map_err(|error| EmitError { message: error.to_string() })
}

fn add<'r>(environment: &mut Environment<'r>, name: &str, text: &'r str) -> Result<(), EmitError> {
    environment.add_template_owned(name.to_owned(), text).map_err(|error| problem(&error, name))
}

fn render(environment: &Environment<'_>, name: &str, values: &minijinja::Value) -> Result<String, EmitError> {
    let template = environment.get_template(name).map_err(|error| problem(&error, name))?;
    let text = template.render(values).map_err(|error| problem(&error, name))?;
    Ok(format!("{}\n", text.trim_end()))
}

/// A template's error with its place. The innermost cause is where the author has to look.
fn problem(error: &minijinja::Error, name: &str) -> EmitError {
    let mut cause = error;
    while let Some(inner) = std::error::Error::source(cause).and_then(|inner| inner.downcast_ref()) {
        cause = inner;
    }
    let name = cause.name().unwrap_or(name);
    let line = cause.line().map(|line| format!(", line {line}")).unwrap_or_default();
    let detail = cause.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    EmitError { message: format!("template `{name}`{line}: {}{detail}", cause.kind()) }
}

/// The line below a heading, as wide as the heading and never narrower: characters from the Hangul block on may take
/// two columns.
fn underline(title: &str, mark: &str) -> String {
    let width: usize = title.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum();
    mark.repeat(width.max(1))
}

/// What a template sees of a rule set. Every text is escaped.
fn view(format: &Format, page: &Page) -> Value {
    let said = |prose: &Prose| Value::from((format.prose)(prose));
    let left_out = |(name, cause): &(String, Prose)| {
        context! { name => said(&Prose::from(name.as_str())), cause => said(cause) }
    };
    context! {
        stem => page.stem.clone(),
        title => said(&Prose::from(page.title.as_str())),
        summary => said(&page.summary),
        used_by => users(format, &page.users),
        rules => list(page.rules.iter().map(|rule| section(format, rule))),
        left_out => list(page.left_out.iter().map(left_out)),
    }
}

fn users(format: &Format, users: &Users) -> Value {
    let code = |name: &String| Value::from((format.prose)(&Prose::of_code(text_code(name))));
    let group = |(title, names): &(String, Vec<String>)| {
        let title = (format.prose)(&Prose::from(title.as_str()));
        context! { title, names => list(names.iter().map(code)) }
    };
    context! {
        count => users.names.len(),
        counted => counted(users.names.len(), "template"),
        names => list(users.names.iter().map(code)),
        groups => list(users.groups.iter().map(group)),
    }
}

fn section(format: &Format, section: &Section) -> Value {
    let said = |prose: &Prose| Value::from((format.prose)(prose));
    let fact = |(label, text): &Fact| context! { label => *label, text => said(text) };
    context! {
        name => said(&Prose::from(section.name.as_str())),
        anchor => section.anchor.clone(),
        label => section.label.clone(),
        has_own_anchor => section.has_own_anchor,
        demand => said(&section.demand),
        facts => list(section.facts.iter().map(fact)),
    }
}

fn list(values: impl Iterator<Item = Value>) -> Value {
    Value::from(values.collect::<Vec<_>>())
}
