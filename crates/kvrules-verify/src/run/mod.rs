//! Running artefacts, each by what it is.

mod annotation;
mod definition;
mod documents;
mod ecma;
mod lines;
mod policies;
mod policy_requests;
mod required;
mod schema;
mod served;
mod structural;
mod translate;

pub(crate) use annotation::read_annotation;
pub(crate) use documents::parse_documents;
pub(crate) use policies::review_on_servers;
pub(crate) use policy_requests::require_requests;
pub(crate) use schema::{json_schema, schema_in_files};

use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Artefact, OutputFile, Request};
use kvrules_ir::ElaboratedSet;

use crate::claims::{ObjectVerdict, TOO_LARGE_PATTERNS};
use crate::synthesise::{Candidate, SizeLimits};

/// Reason why an artefact cannot be run, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(pub String);

impl RunError {
    /// Expressions are too large for the engine that runs the artefact.
    pub(crate) fn too_large() -> Self {
        Self(TOO_LARGE_PATTERNS.to_owned())
    }

    /// True if the artefact may be right, but is too large to be run.
    pub(crate) fn is_too_large(&self) -> bool {
        self.0 == TOO_LARGE_PATTERNS
    }
}

/// Inputs that the files were generated from.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    /// The one rule set.
    pub(crate) set: &'a ElaboratedSet,
    /// Request to the target.
    pub(crate) request: &'a Request<'a>,
    /// The fields with which the meaning was decided.
    pub(crate) catalog: &'a Catalog,
}

/// An artefact, ready to evaluate objects.
pub(crate) enum ArtefactRunner {
    /// Schemas that an object must all satisfy.
    Schema(schema::Schemas),
    /// A CustomResourceDefinition, or rules in a schema made for the purpose.
    Definition(definition::RuledSchema),
    /// Admission policies.
    Policies(policies::Policies),
    /// Rules that were read back.
    Annotation(annotation::AnnotationRules),
}

impl ArtefactRunner {
    /// Makes an artefact ready.
    pub(crate) fn new(
        artefact: Artefact,
        files: &[OutputFile],
        context: &RunContext<'_>,
    ) -> Result<Self, RunError> {
        match artefact {
            Artefact::Schema(pointer) => schema::Schemas::new(files, pointer).map(Self::Schema),
            Artefact::ValidationRules => {
                definition::RuledSchema::of_rules(files, context).map(Self::Definition)
            }
            Artefact::Definition => definition::RuledSchema::new(files, context).map(Self::Definition),
            Artefact::Policies => policies::Policies::new(files, context).map(Self::Policies),
            Artefact::Annotation => annotation::AnnotationRules::new(files, context).map(Self::Annotation),
            Artefact::Document => Err(RunError("a document cannot be evaluated".to_owned())),
        }
    }

    /// The sizes of lists and texts that it distinguishes, whatever the rules do.
    pub(crate) fn lines(&self) -> SizeLimits {
        match self {
            Self::Schema(schemas) => schemas.lines(),
            Self::Definition(definition) => definition.lines(),
            Self::Policies(_) | Self::Annotation(_) => SizeLimits::default(),
        }
    }

    /// True if it requires more of an object than the rules do.
    pub(crate) fn demands_more(&self) -> bool {
        matches!(self, Self::Definition(definition) if definition.is_extended())
    }

    /// Adds the fields to objects that it requires in addition to the rules.
    pub(crate) fn complete(&self, objects: &mut [Candidate]) {
        if let Self::Definition(definition) = self {
            for object in objects {
                definition.complete(&mut object.value);
            }
        }
    }

    /// Returns the verdict on an object; `None` if such an object never reaches it.
    pub(crate) fn object_verdict(&self, object: &Candidate) -> Result<Option<ObjectVerdict>, RunError> {
        match self {
            Self::Schema(schemas) => Ok(Some(schemas.object_verdict(&object.value))),
            Self::Annotation(rules) => Ok(Some(rules.object_verdict(&object.value))),
            Self::Definition(_) | Self::Policies(_) if !object.served => Ok(None),
            Self::Definition(definition) => Ok(definition.object_verdict(&object.value)),
            Self::Policies(policies) => policies.object_verdict(&object.value).map(Some),
        }
    }
}
