//! The definitions and policies in the files of a run, with the locations of their rules.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kvrules::crd::{KubernetesVersion, KubernetesVersions, ResourceText};
use kvrules::eval::Definitions;
use kvrules::{Diagnostic, FileReading, Operation, ParsedFile, SourceFile};
use rayon::prelude::*;

use super::LoadedFiles;
use crate::failure::Failure;

impl LoadedFiles {
    /// The CustomResourceDefinitions, policies and bindings in the files, with the locations of their rules.
    pub(crate) fn resource_texts(&self) -> Result<Vec<ResourceText>, Failure> {
        Ok(self.texts_of(self.definitions()?))
    }

    /// The same without the definitions of files that servers refuse.
    pub(crate) fn readable_resource_texts(&self) -> Result<Vec<ResourceText>, Failure> {
        let read = self.read_all_definitions().into_iter();
        let found: Vec<_> = read.filter_map(|(source, read)| Some((source, read.ok()?))).collect();
        refuse_repeated(&found)?;
        Ok(self.texts_of(found))
    }

    fn texts_of(&self, definitions: Vec<(&SourceFile, Definitions)>) -> Vec<ResourceText> {
        let mut texts: Vec<_> =
            definitions.into_iter().flat_map(|(_, definitions)| definitions.into_texts()).collect();
        texts.extend(self.policy_texts());
        texts
    }

    /// The policies and bindings in the files.
    pub(super) fn policy_texts(&self) -> Vec<ResourceText> {
        let files = self.readings.iter().zip(self.sources.files());
        let found = files.filter(|(reading, _)| reading.contents.has_policies());
        found.flat_map(|(_, source)| kvrules::crd::read_policies(source)).collect()
    }

    /// The CustomResourceDefinitions of each file that has some. No two may be of the same version.
    pub(super) fn definitions(&self) -> Result<Vec<(&SourceFile, Definitions)>, Failure> {
        let found = self.read_all_definitions().into_iter();
        let found: Vec<_> =
            found.map(|(source, read)| Ok((source, read?))).collect::<Result<_, Failure>>()?;
        refuse_repeated(&found)?;
        Ok(found)
    }

    /// The CustomResourceDefinitions of each file that has some, or the reason for which servers refuse them.
    fn read_all_definitions(&self) -> Vec<(&SourceFile, Result<Definitions, Failure>)> {
        let files: Vec<_> = self.readings.iter().zip(self.sources.files()).enumerate().collect();
        let found = files.into_par_iter().filter(|(_, (reading, _))| reading.contents.has_definitions());
        let read = |(index, (reading, source)): (usize, (&FileReading, _))| {
            let prepared = self.prepared.get(index).and_then(PreparedDefinitions::take);
            let read = prepared.unwrap_or_else(|| Definitions::read_definitions(source));
            (source, read.map_err(|found| refused_definitions(reading, source, &found)))
        };
        found.map(read).collect()
    }
}

/// The definitions of a file that were read when the file was, so that it is parsed once. The first who asks takes them.
#[derive(Debug, Default)]
pub(crate) struct PreparedDefinitions(Mutex<Option<Result<Definitions, Vec<Diagnostic>>>>);

impl PreparedDefinitions {
    /// Reads the definitions of a file that was checked for some servers, if an operation describes them.
    pub(super) fn read_for(
        operation: Operation,
        file: &ParsedFile<'_>,
        (reading, versions): (&FileReading, KubernetesVersions),
    ) -> Self {
        let is_needed = operation == Operation::Document && reading.contents.has_definitions();
        // Schemas that the newest server was found to accept are not reviewed again.
        let is_accepted = versions.is_newest_alone() && reading.has_accepted_definitions();
        let read = || {
            if is_accepted {
                Definitions::read_accepted(file)
            } else {
                Definitions::read_parsed(file, KubernetesVersion::NEWEST)
            }
        };
        Self(Mutex::new(is_needed.then(read)))
    }

    fn take(&self) -> Option<Result<Definitions, Vec<Diagnostic>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Refuses definitions of the same version.
fn refuse_repeated(found: &[(&SourceFile, Definitions)]) -> Result<(), Failure> {
    let mut known: HashMap<String, &str> = HashMap::new();
    for (source, definitions) in found {
        for version in definitions.iter_versions() {
            let Some(other) = known.insert(version.file_stem(), source.name()) else { continue };
            let (definition, name) = (&version.definition, &version.version);
            let message = format!("two definitions of `{definition}` with the version `{name}`");
            let places = format!("they are in {other} and {}; leave one of them out", source.name());
            return Err(Failure::new(message).help(places));
        }
    }
    Ok(())
}

fn refused_definitions(reading: &FileReading, source: &SourceFile, found: &[Diagnostic]) -> Failure {
    match reading.templated {
        // Placeholders of tags are no values that a server ever sees.
        Some(_) => Failure::new(format!("{}: template tags affect the definition", source.name()))
            .help("render the template and give the result"),
        None => unread_definition(source, found),
    }
}

/// The failure for a definition that servers refuse, or whose schema depends on template tags.
fn unread_definition(file: &SourceFile, found: &[Diagnostic]) -> Failure {
    let Some(first) = found.first() else { return Failure::new(format!("{}: unreadable", file.name())) };
    let at = file.position_at(first.primary.span.start);
    Failure::new(format!("{}:{}:{}: {}", file.name(), at.line, at.column, first.message))
        .help("`kvrules check` reports all errors of the definition")
}
