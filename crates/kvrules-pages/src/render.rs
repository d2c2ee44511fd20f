//! From a document to files: laid out by the templates of a format.
//!
//! Templates see the document as it is as JSON. Each [`Text`](super::Text) is its words in the format already, and
//! every other text is escaped where it is written, so that no template can forget to.

mod fragment;
mod pictures;
mod resource_tree;
mod resource_view;
mod resources;

use crate::pictures::PICTURE_STYLE;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Output, UndefinedBehavior, Value, context};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use self::pictures::fidelity_picture;
use self::resources::{index_title, list_resources, resource_file};
use super::document::{Document, SetPage};
use super::fact::Fact;
use super::formats::{Format, LaidOutFact, hang_blocks, lay_out_fact};
use super::search::document_index;
use crate::name_groups::group_by_beginning;
use crate::names::to_file_stem;
use crate::parallel::largest_first;
use crate::prose::{Prose, text_code};
use crate::resources::ResourcePage;
use crate::{EmitError, OutputFile, Template};

pub use fragment::lay_out_resource;

/// The files of a document: an index, and a page for each rule set or group.
pub fn render_document(
    format: &'static Format,
    document: &Document,
    templates: &[Template],
) -> Result<Vec<OutputFile>, EmitError> {
    let environment = template_environment(format, templates)?;
    let reading = template_view(&document.reading, format);
    let version = Value::from(document.version.as_str());
    let mut pages: Vec<SetsPage> = Vec::new();
    for set in &document.sets {
        let page = SetsPage::of(set, format);
        match pages.iter_mut().find(|known| known.is_group && known.stem == page.stem) {
            Some(known) => known.sets.extend(page.sets),
            None => pages.push(page),
        }
    }
    let listed: Value = pages.iter().map(SetsPage::listed).collect();
    let page_parts = divide_pages(&pages);
    let sets: Value = pages.iter().flat_map(|page| page.sets.iter().cloned()).collect();
    let common = context! { reading, version, overview => template_view(&document.overview, format) };
    let laid_out = |name: &str, values: Value| lay_out(&environment, &format.template(name), &values);
    let title = index_title(!document.sets.is_empty(), &document.resources);
    let resources = list_resources(&document.resources, format);
    let index = laid_out(
        "index",
        context! { title, pages => listed, page_parts, sets, resources, ..common.clone() },
    )?;
    let mut files = vec![format.file("index", index)];
    for page in &pages {
        let text = match (page.is_group, page.sets.as_slice()) {
            (false, [set]) => laid_out("rule_set", context! { set => set.clone(), ..common.clone() })?,
            _ => laid_out(
                "group",
                context! { page => page.listed(), sets => page.sets.clone(), ..common.clone() },
            )?,
        };
        files.push(format.file(&page.stem, text));
    }
    let file = |page: &ResourcePage| resource_file(format, &environment, page, &document.version);
    let (of_resources, search) = rayon::join(
        || largest_first(&document.resources, ResourcePage::count_entries, file),
        || format.search.then(|| document_index(document)),
    );
    files.extend(of_resources.into_iter().collect::<Result<Vec<_>, EmitError>>()?);
    files.extend(search);
    Ok(files)
}

/// The pages of sets by what their titles begin with, if they are many.
fn divide_pages(pages: &[SetsPage]) -> Value {
    let titles: Vec<&str> = pages.iter().map(|page| page.title.as_str()).collect();
    let part = |(title, members): (Option<&str>, Vec<usize>)| {
        let members = members.into_iter().filter_map(|index| pages.get(index)).map(SetsPage::listed);
        context! { title, pages => members.collect::<Value>() }
    };
    group_by_beginning(&titles).into_iter().map(part).collect()
}

/// A page of sets.
struct SetsPage {
    stem: String,
    title: String,
    is_group: bool,
    sets: Vec<Value>,
}

impl SetsPage {
    fn of(set: &SetPage, format: &Format) -> Self {
        let (stem, title) = match &set.group {
            Some(group) => (group_stem(group), group.clone()),
            None => (set.anchor.clone(), set.title.clone()),
        };
        let matrix = fidelity_picture(set, format);
        let seen = context! { stem => stem.clone(), matrix, ..template_view(set, format) };
        Self { stem, title, is_group: set.group.is_some(), sets: vec![seen] }
    }

    fn listed(&self) -> Value {
        context! {
            stem => self.stem.clone(),
            title => self.title.clone(),
            is_group => self.is_group,
            sets => self.sets.clone(),
        }
    }
}

/// The file of a group. An index is taken.
fn group_stem(group: &str) -> String {
    let stem = to_file_stem(group);
    if stem == "index" { "index-2".to_owned() } else { stem }
}

impl Format {
    pub(super) fn template(&self, name: &str) -> String {
        format!("{}/{name}.{}.j2", self.name, self.extension)
    }

    pub(super) fn file(&self, stem: &str, text: String) -> OutputFile {
        OutputFile { path: format!("{stem}.{}", self.extension), text }
    }
}

/// Returns a value as a template sees it.
pub(super) fn template_view(what: &impl Serialize, format: &Format) -> Value {
    view_json(&serde_json::to_value(what).unwrap_or_default(), format)
}

fn view_json(json: &Json, format: &Format) -> Value {
    match json {
        Json::Object(fields) if is_fact(fields) => view_fact(json, format),
        Json::Object(fields) => match fields.get(format.name).and_then(Json::as_str) {
            Some(words) if fields.contains_key("plain") && fields.len() == 4 => {
                Value::from_safe_string(words.to_owned())
            }
            _ => {
                Value::from_pairs(fields.iter().map(|(name, field)| (name.clone(), view_json(field, format))))
            }
        },
        Json::Array(items) => items.iter().map(|item| view_json(item, format)).collect(),
        Json::String(text) => Value::from(text.as_str()),
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => number.as_i64().map_or_else(|| Value::from(number.to_string()), Value::from),
        Json::Null => Value::from(()),
    }
}

fn is_fact(fields: &Map<String, Json>) -> bool {
    fields.len() == 4 && ["kind", "label", "notice", "value"].iter().all(|name| fields.contains_key(*name))
}

/// A fact as templates see it: laid out, so that they need not know its form.
fn view_fact(json: &Json, format: &Format) -> Value {
    Fact::deserialize(json).map_or(Value::UNDEFINED, |fact| fact_view(&fact, format))
}

/// A fact as templates see it.
pub(super) fn fact_view(fact: &Fact, format: &Format) -> Value {
    let LaidOutFact { label, form, value } = lay_out_fact(format, fact, format);
    let notice = fact.notice.map(|level| Value::from(level.as_str()));
    let [label, value] = [label, value].map(Value::from_safe_string);
    context! { kind => fact.kind.as_str(), notice, label, form, value }
}

/// The built-in templates, the user's own in their place, and what those include (names that begin with `_`).
pub(super) fn template_environment(
    format: &'static Format,
    templates: &[Template],
) -> Result<Environment<'static>, EmitError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("words".into()));
    environment.set_formatter(|out, _, value| write_value(format, out, value));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(template_syntax()?);
    add_filters(&mut environment, format);
    environment.add_global("picture_style", Value::from_safe_string(PICTURE_STYLE.to_owned()));
    let built_in: Vec<(String, &str)> =
        format.templates.iter().map(|(name, text)| (format.template(name), *text)).collect();
    let start = format!("{}/", format.name);
    for template in templates {
        let Some(file) = template.name.strip_prefix(&start) else { continue };
        if !file.starts_with('_') && !built_in.iter().any(|(name, _)| *name == template.name) {
            let names: Vec<String> = built_in.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!(
                "unknown template `{}`; known templates are {}, and the names of included parts begin with \
                 `_`",
                template.name,
                names.join(", ")
            );
            return Err(EmitError { message });
        }
        add_template(&mut environment, &template.name, &template.text)?;
    }
    for (name, text) in built_in {
        if !templates.iter().any(|template| template.name == name) {
            add_template(&mut environment, &name, text)?;
        }
    }
    Ok(environment)
}

/// Writes a value: words that are escaped as they are, every other text escaped.
fn write_value(format: &Format, out: &mut Output, value: &Value) -> Result<(), minijinja::Error> {
    if value.kind() == ValueKind::String && !value.is_safe() {
        return Ok(out.write_str(&render_words(format, value))?);
    }
    if value.kind() == ValueKind::String {
        return Ok(out.write_str(value.as_str().unwrap_or_default())?);
    }
    if value.is_undefined() {
        return Err(minijinja::Error::from(minijinja::ErrorKind::UndefinedError));
    }
    Ok(out.write_str(&render_words(format, &Value::from(value.to_string())))?)
}

/// A value's words in the format.
fn render_words(format: &Format, value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if value.is_safe() { text } else { (format.inline)(&Prose::from(text)) }
}

/// Adds the filters of templates: `code`, `codes`, `literal` (code whose odd characters are spelled out already),
/// `heading`, `under`, `link`, `refer`, `verbatim`.
fn add_filters(environment: &mut Environment<'static>, format: &'static Format) {
    let safe = Value::from_safe_string;
    environment.add_filter("code", move |value: Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        safe((format.inline)(&Prose::of_code(text_code(&text))))
    });
    environment.add_filter("literal", move |code: String| safe((format.inline)(&Prose::of_code(code))));
    environment.add_filter("codes", move |values: Vec<String>| {
        let codes = values.iter().map(|value| (format.inline)(&Prose::of_code(text_code(value))));
        safe(codes.collect::<Vec<_>>().join(", "))
    });
    environment.add_filter("heading", move |title: Value, level: usize| {
        safe((format.heading)(&render_words(format, &title), level))
    });
    environment.add_filter("under", move |value: Value, width: usize| {
        safe(hang_blocks(&render_words(format, &value), width))
    });
    environment.add_filter("link", move |text: String, url: Option<String>| {
        safe((format.inline)(&match url {
            Some(url) => Prose::default().link(&text, &url),
            None => Prose::from(text),
        }))
    });
    environment.add_filter("refer", move |name: String, target: String| {
        safe((format.refer)(&text_code(&name), &target))
    });
    environment.add_filter("verbatim", move |value: String| safe((format.verbatim)(&value)));
}

/// Lines that hold only a block tag leave no trace.
fn template_syntax() -> Result<SyntaxConfig, EmitError> {
    let built =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    built.map_err(|error| EmitError { message: error.to_string() })
}

fn add_template(environment: &mut Environment<'static>, name: &str, text: &str) -> Result<(), EmitError> {
    environment
        .add_template_owned(name.to_owned(), text.to_owned())
        .map_err(|error| template_error(&error, name))
}

pub(super) fn lay_out(
    environment: &Environment<'_>,
    name: &str,
    values: &Value,
) -> Result<String, EmitError> {
    let template = environment.get_template(name).map_err(|error| template_error(&error, name))?;
    let text = template.render(values).map_err(|error| template_error(&error, name))?;
    Ok(format!("{}\n", text.trim_end()))
}

/// A template's error with its place. The innermost cause is where the author has to look.
fn template_error(error: &minijinja::Error, name: &str) -> EmitError {
    let mut cause = error;
    while let Some(inner) = std::error::Error::source(cause).and_then(|inner| inner.downcast_ref()) {
        cause = inner;
    }
    let name = cause.name().unwrap_or(name);
    let line = cause.line().map(|line| format!(", line {line}")).unwrap_or_default();
    let detail = cause.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    EmitError { message: format!("template `{name}`{line}: {}{detail}", cause.kind()) }
}
