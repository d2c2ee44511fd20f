//! Chooses the requested schema of a file.

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::{Document, Node, Problem, SyntaxKind};

use super::Subject;
use super::document::{CrdDocument, FoundSchema, describe_document, find_schemas, text_field};
use super::problem::{SchemaProblem, last_word, list_names, suggest_name};
use super::served::{self, kind_of};

/// A schema, and what it describes.
pub(super) struct ChosenSchema<'d> {
    pub(super) subject: Subject,
    pub(super) schema: Node<'d>,
    /// Start of references.
    pub(super) document: Node<'d>,
    /// True if it is a structural schema, in which only declared fields exist.
    pub(super) structural: bool,
}

type Problems = Vec<SchemaProblem>;

/// The schema that `choice` names, or the only one.
pub(super) fn choose_schema<'d>(
    file: &SourceFile,
    documents: &'d [Document<'d>],
    choice: Option<&str>,
) -> Result<ChosenSchema<'d>, Problems> {
    let all = || {
        documents
            .iter()
            .flat_map(|document| find_schemas(document).into_iter().map(move |one| (document, one)))
    };
    let crds = all().filter_map(|(_, one)| if let FoundSchema::Crd(crd) = one { Some(crd) } else { None });
    let crds: Vec<_> = crds.collect();
    if !crds.is_empty() {
        return of_definitions(&crds, choice);
    }
    let mut others = all();
    let Some((document, first)) = others.next() else { return Err(no_schema_problems(file, documents)) };
    if let Some((_, second)) = others.next() {
        let message = "second schema in one file, and only one is read";
        return Err(vec![SchemaProblem::new(second.span(), message).help("put each into its own file")]);
    }
    check_intact(document)?;
    let Some(root) = document.root() else { return Err(no_schema_problems(file, documents)) };
    match first {
        FoundSchema::OpenApi(schemas) => of_components(root, schemas, choice),
        FoundSchema::Schema(schema) => by_itself(schema, choice),
        FoundSchema::Crd(crd) => of_definitions(&[crd], choice),
    }
}

impl FoundSchema<'_> {
    fn span(&self) -> Span {
        let node = match self {
            Self::Crd(crd) => return crd.span(),
            Self::OpenApi(node) | Self::Schema(node) => node,
        };
        let first = node.entries().next();
        first.map_or(node.span(), |entry| entry.key.span())
    }
}

/// Returns the problems of a file without a schema.
fn no_schema_problems(file: &SourceFile, documents: &[Document<'_>]) -> Problems {
    let broken: Problems = documents.iter().flat_map(Document::problems).map(parse_problem).collect();
    if !broken.is_empty() {
        return broken;
    }
    let first = documents.iter().find_map(|document| Some((document, document.root()?)));
    let found = first.map_or_else(|| "nothing".to_owned(), |(document, _)| describe_document(document));
    let start = Span::new(file.id(), 0, 0);
    let span = first.map_or(start, |(_, root)| match root.entries().next() {
        Some(entry) => root.entry("kind").unwrap_or(entry).key.span(),
        None => root.span(),
    });
    let message = format!("a schema is required here, not {found}");
    let help = "a schema file is a CustomResourceDefinition, an OpenAPI document, or a JSON Schema with `properties`";
    vec![SchemaProblem::new(span, message).help(help)]
}

/// A document is read to its end.
fn check_intact(document: &Document<'_>) -> Result<(), Problems> {
    let problems: Problems = document.problems().iter().map(parse_problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn parse_problem(problem: &Problem) -> SchemaProblem {
    SchemaProblem::new(problem.span, problem.describe())
}

/// One version of one CustomResourceDefinition.
fn of_definitions<'d>(crds: &[CrdDocument<'d>], choice: Option<&str>) -> Result<ChosenSchema<'d>, Problems> {
    let (crd, version) = choose_definition(crds, choice).map_err(|problem| vec![problem])?;
    check_intact(crd.document)?;
    version_of(crd, version).map_err(|problem| vec![problem])
}

/// The chosen definition, and the version that the rest of the choice names.
fn choose_definition<'d, 'c>(
    crds: &[CrdDocument<'d>],
    choice: Option<&'c str>,
) -> Result<(CrdDocument<'d>, Option<&'c str>), SchemaProblem> {
    let titles = definition_titles(crds);
    let (first, more) = (crds.first().copied(), crds.len() > 1);
    let problem = |message| {
        SchemaProblem::new(crds.get(1).or(crds.first()).map_or(Span::default(), |crd| crd.span()), message)
    };
    let Some(choice) = choice else {
        let several = || {
            problem(format!("there are {} CustomResourceDefinitions: {}", crds.len(), list_names(&titles)))
                .help(format!("choose one with `FILE#{}`", titles.first().map_or("KIND", String::as_str)))
        };
        return first.filter(|_| !more).map(|crd| (crd, None)).ok_or_else(several);
    };
    let (name, version) =
        choice.split_once('/').map_or((choice, None), |(name, version)| (name, Some(version)));
    let named = |crd: &&CrdDocument<'_>| crd.kind() == Some(name) || crd.name() == Some(name);
    let mut matching = crds.iter().filter(named);
    match (matching.next(), matching.next()) {
        (Some(crd), None) => Ok((*crd, version)),
        (Some(_), Some(_)) => Err(problem(format!("several definitions have the kind `{name}`"))
            .help(format!("choose one by its name: {}", list_names(&titles)))),
        (None, _) => match first {
            Some(crd) if !more && version.is_none() => Ok((crd, Some(choice))),
            _ => Err(problem(format!("unknown CustomResourceDefinition `{name}`"))
                .help(suggest_name(name, &titles))),
        },
    }
}

/// Returns the titles of definitions: their kinds, or if those are not unique, their names.
fn definition_titles(crds: &[CrdDocument<'_>]) -> Vec<String> {
    let shared = |crd: &CrdDocument<'_>| crds.iter().filter(|other| other.title() == crd.title()).count() > 1;
    let title =
        |crd: &CrdDocument<'_>| if shared(crd) { crd.name() } else { None }.unwrap_or(crd.title()).to_owned();
    crds.iter().map(title).collect()
}

/// The version of this name, or the one that is stored.
fn version_of<'d>(crd: CrdDocument<'d>, wanted: Option<&str>) -> Result<ChosenSchema<'d>, SchemaProblem> {
    let entry = crd.versions()?;
    let versions = entry.value;
    let stored =
        |version: &Node<'_>| version.get("storage").is_some_and(|storage| storage.kind() == SyntaxKind::True);
    let names: Vec<_> =
        versions.items().filter_map(|version| text_field(version, "name")).map(str::to_owned).collect();
    let version = match wanted {
        Some(wanted) => versions
            .items()
            .find(|version| text_field(*version, "name") == Some(wanted))
            .ok_or_else(|| {
                SchemaProblem::new(entry.key.span(), format!("`{}` has no version `{wanted}`", crd.title()))
                    .help(suggest_name(wanted, &names))
            })?,
        None => versions.items().find(stored).ok_or_else(|| {
            SchemaProblem::new(entry.key.span(), format!("no version of `{}` is stored", crd.title())).help(
                format!(
                    "mark one with `storage: true`, or choose one with `FILE#{}`",
                    names.first().map_or("VERSION", String::as_str)
                ),
            )
        })?,
    };
    let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    let name = text_field(version, "name");
    let schema = schema.ok_or_else(|| {
        let span = version.get("name").map_or(version.span(), Node::span);
        SchemaProblem::new(span, format!("the version `{}` has no schema", name.unwrap_or_default()))
            .help("write its schema under `schema.openAPIV3Schema`")
    })?;
    let subject = served::of_definition(crd, versions, version);
    Ok(ChosenSchema { subject, schema, document: crd.document.root().unwrap_or(crd.node), structural: true })
}

/// One schema of an OpenAPI document: by its key, the end of its key, or its kind.
fn of_components<'d>(
    document: Node<'d>,
    schemas: Node<'d>,
    choice: Option<&str>,
) -> Result<ChosenSchema<'d>, Problems> {
    let entries: Vec<_> = schemas.entries().map(|entry| (entry.key.text(), entry.value)).collect();
    let names: Vec<_> = entries.iter().map(|(name, _)| (*name).to_owned()).collect();
    let span = schemas.entries().next().map_or(schemas.span(), |entry| entry.key.span());
    let problem = |message: String, help: String| vec![SchemaProblem::new(span, message).help(help)];
    let matching: Vec<_> = match choice {
        None => entries,
        Some(choice) => {
            let exact: Vec<_> = entries.iter().filter(|(name, _)| *name == choice).copied().collect();
            let loose =
                || entries.into_iter().filter(|(name, node)| is_called(name, *node, choice)).collect();
            if exact.is_empty() { loose() } else { exact }
        }
    };
    match (matching.as_slice(), choice) {
        ([(_, schema)], _) => {
            let subject = served::of_schema(document, *schema);
            Ok(ChosenSchema { subject, schema: *schema, document, structural: false })
        }
        ([], None) => {
            Err(problem("missing schema".to_owned(), "write schemas under `components.schemas`".to_owned()))
        }
        ([], Some(choice)) => {
            Err(problem(format!("unknown schema `{choice}`"), suggest_name(choice, &names)))
        }
        (several, _) => {
            let names: Vec<_> = several.iter().map(|(name, _)| (*name).to_owned()).collect();
            let first = names.first().map_or("NAME", String::as_str);
            let message = format!("there are {} schemas: {}", names.len(), list_names(&names));
            Err(problem(message, format!("choose one with `FILE#NAME`, as in `FILE#{first}`")))
        }
    }
}

fn is_called(name: &str, schema: Node<'_>, choice: &str) -> bool {
    last_word(name) == choice || kind_of(schema).kind.as_deref() == Some(choice)
}

/// A schema that is the whole document.
fn by_itself<'d>(schema: Node<'d>, choice: Option<&str>) -> Result<ChosenSchema<'d>, Problems> {
    let Some(choice) = choice else {
        return Ok(ChosenSchema { subject: kind_of(schema), schema, document: schema, structural: false });
    };
    let span = schema.entries().next().map_or(schema.span(), |entry| entry.key.span());
    let message = format!("unknown schema `{choice}`: the whole file is one schema");
    Err(vec![SchemaProblem::new(span, message).help(format!("leave out `#{choice}`"))])
}
