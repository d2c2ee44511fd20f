//! The schema of the objects that rules are about: one file, or the one that fits among those of several files and directories.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use kvrules::eval::KindSchemas;
use kvrules::render::one_line;
use kvrules::{DeclaredSchema, SourceFile, Sources, declared_schemas};

use crate::failure::Failure;
use crate::paths;
use crate::sentences::list_few;
use crate::text::{PathOrigin, UnreadFile, read_text};

/// The extensions of files that may hold schemas.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The file with the schema, and the choice in it.
pub(crate) type ChosenSchema = (Sources, Option<String>);

/// A schema in one of several files.
struct SchemaCandidate {
    /// The file's place among those that were read.
    file: usize,
    declared: DeclaredSchema,
    /// The choice in its file.
    choice: Option<String>,
}

/// Reads `PATH` or `PATH#NAME`, several times, and chooses the schema that is meant. Of several without a choice it is that
/// of the VirtualMachine, which rules are about unless something else is said.
pub(crate) fn choose_schema(
    written: &[PathBuf],
    origin: PathOrigin,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<ChosenSchema, Failure> {
    if let [only] = written {
        let (path, choice) = split_choice(only);
        if !path.is_dir() {
            return Ok((read_file(path, origin, unread)?, choice.map(str::to_owned)));
        }
    }
    let mut sources = Sources::default();
    let mut candidates = Vec::new();
    let (mut choices, mut searched) = (Vec::new(), Vec::new());
    for written in written {
        let (path, choice) = split_choice(written);
        choices.extend(choice);
        searched.push(format!("`{}`", paths::display_path(path)));
        add_candidates((path, origin), choice, &mut sources, &mut candidates, unread)?;
    }
    let chosen = pick_candidate(&candidates, &sources, &choices, &searched)?;
    let file = sources.files().get(chosen.file).ok_or_else(|| Failure::new("no schema found"))?;
    let mut own = Sources::default();
    own.add_file(file.name(), file.text());
    Ok((own, chosen.choice.clone()))
}

/// The schemas of all kinds, if there are several and none is chosen.
pub(crate) fn load_kind_schemas(
    written: &[PathBuf],
    origin: PathOrigin,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<Option<KindSchemas>, Failure> {
    let (mut sources, mut candidates) = (Sources::default(), Vec::new());
    for written in written {
        let (path, choice) = split_choice(written);
        if choice.is_some() {
            return Ok(None);
        }
        add_candidates((path, origin), None, &mut sources, &mut candidates, unread)?;
    }
    if candidates.len() < 2 {
        return Ok(None);
    }
    Ok(Some(KindSchemas::from_files(sources.files())).filter(|kinds| !kinds.is_empty()))
}

/// The files with definitions; in directories, only files that have any; and the text after the `#` of their paths.
pub(crate) fn load_definitions(
    written: &[PathBuf],
    origin: PathOrigin,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<(Sources, Vec<String>), Failure> {
    let (mut sources, mut choices) = (Sources::default(), Vec::new());
    for written in written {
        let (path, choice) = split_choice(written);
        choices.extend(choice.map(str::to_owned));
        if !path.is_dir() {
            sources.add_file(path.to_string_lossy(), text_of(path, origin, unread)?);
            continue;
        }
        for file in schema_files(path)? {
            let mut own = Sources::default();
            let id = own.add_file(file.to_string_lossy(), text_of(&file, PathOrigin::Search, unread)?);
            let declared = own.get(id).map(declared_schemas).unwrap_or_default();
            if declared.iter().any(|schema| !schema.versions.is_empty()) {
                sources.add_file(file.to_string_lossy(), own.get(id).map_or("", SourceFile::text));
            }
        }
    }
    Ok((sources, choices))
}

/// A path, and the text after its `#`. A file with a `#` in its name is found by the whole text.
fn split_choice(written: &Path) -> (&Path, Option<&str>) {
    match written.to_str().and_then(|text| text.rsplit_once('#')) {
        Some((path, choice)) if !written.exists() => (Path::new(path), Some(choice)),
        _ => (written, None),
    }
}

fn read_file(
    path: &Path,
    origin: PathOrigin,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<Sources, Failure> {
    let mut sources = Sources::default();
    sources.add_file(path.to_string_lossy(), text_of(path, origin, unread)?);
    Ok(sources)
}

fn text_of(
    path: &Path,
    origin: PathOrigin,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<String, Failure> {
    read_text(path, origin).map_err(|error| match &error.help {
        Some(help) => unread(&error).help(help.clone()),
        None => unread(&error),
    })
}

/// Adds the schemas of a file, or of the files below a directory, that a choice allows.
fn add_candidates(
    (path, origin): (&Path, PathOrigin),
    choice: Option<&str>,
    sources: &mut Sources,
    candidates: &mut Vec<SchemaCandidate>,
    unread: &dyn Fn(&UnreadFile) -> Failure,
) -> Result<(), Failure> {
    let is_directory = path.is_dir();
    let files = if is_directory { schema_files(path)? } else { vec![path.to_owned()] };
    let origin = if is_directory { PathOrigin::Search } else { origin };
    for file in files {
        let at = sources.files().len();
        let id = sources.add_file(file.to_string_lossy(), text_of(&file, origin, unread)?);
        for declared in sources.get(id).map(declared_schemas).unwrap_or_default() {
            if choice.is_some_and(|choice| !is_called(&declared, choice, &file)) {
                continue;
            }
            let own = declared.name.clone();
            let choice = own.map(|name| choice.and_then(|choice| declared.chosen_by(choice)).unwrap_or(name));
            candidates.push(SchemaCandidate { file: at, declared, choice });
        }
    }
    Ok(())
}

/// True if a choice refers to a schema. One that is a whole file is also referred to by the name of its file.
fn is_called(declared: &DeclaredSchema, choice: &str, file: &Path) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    declared.chosen_by(choice).is_some() || (declared.name.is_none() && stem == Some(choice))
}

/// The files below a directory that may hold schemas, in the order of their names.
pub(crate) fn schema_files(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in WalkBuilder::new(directory).require_git(false).sort_by_file_path(Path::cmp).build() {
        let entry = entry.map_err(|error| Failure::new(UnreadFile::walking(&error).to_string()))?;
        let extension = entry.path().extension().and_then(|extension| extension.to_str());
        if entry.path().is_file() && extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// The chosen schema: the only one, or else that of the VirtualMachine.
fn pick_candidate<'c>(
    candidates: &'c [SchemaCandidate],
    sources: &Sources,
    choices: &[&str],
    searched: &[String],
) -> Result<&'c SchemaCandidate, Failure> {
    let of_machines = |candidate: &&SchemaCandidate| {
        let DeclaredSchema { kind, group, .. } = &candidate.declared;
        kind.as_deref() == Some("VirtualMachine") && group.as_deref() == Some("kubevirt.io")
    };
    let machines: Vec<_> = candidates.iter().filter(of_machines).filter(|_| choices.is_empty()).collect();
    match (candidates, machines.as_slice()) {
        ([only], _) => Ok(only),
        (_, [only]) => Ok(*only),
        ([], _) => Err(no_schema_failure(choices, searched)),
        (several, machines) => {
            let several: Vec<_> =
                if machines.is_empty() { several.iter().collect() } else { machines.to_vec() };
            Err(ambiguous_failure(&several, sources))
        }
    }
}

fn no_schema_failure(choices: &[&str], searched: &[String]) -> Failure {
    let place = searched.join(", ");
    match choices.first() {
        Some(choice) => Failure::new(format!("unknown schema `{choice}` in {place}"))
            .help("choose a kind, `KIND.GROUP`, or the name of a definition, such as `ponds.example.com`"),
        None => Failure::new(format!("no schema found in {place}")).help(
            "a schema file is a CustomResourceDefinition, an OpenAPI document, or a JSON Schema with `properties`",
        ),
    }
}

fn ambiguous_failure(several: &[&SchemaCandidate], sources: &Sources) -> Failure {
    let describe = |candidate: &&SchemaCandidate| {
        let name = sources.files().get(candidate.file).map_or("", SourceFile::name);
        format!(
            "`{}` in {}",
            one_line(candidate.declared.display_title()),
            paths::display_path(Path::new(name))
        )
    };
    let listed: Vec<_> = several.iter().map(describe).collect();
    let names: Vec<&str> = listed.iter().map(String::as_str).collect();
    let first = several.first().map_or("KIND", |candidate| candidate.declared.display_title());
    let titles: Vec<_> = several.iter().map(|candidate| candidate.declared.display_title()).collect();
    let are_alike = titles.windows(2).all(|pair| matches!(pair, [one, other] if one == other));
    let help = if are_alike {
        "name a single file".to_owned()
    } else {
        format!("choose one with `#KIND`, as in `PATH#{first}`")
    };
    Failure::new(format!("ambiguous schema, {} candidates: {}", several.len(), list_few(&names, "schema")))
        .help(help)
}
