//! Files of Glance's metadata definitions.

use kvrules_diagnostics::SourceFile;
use kvrules_extra_specs::Definition;
use kvrules_extra_specs::glance::{
    ApiAnswer, GlanceMistake, namespace_definitions, predict_answers, read_namespace,
};
use kvrules_syntax::parse_json;

/// Contents of a file of metadata definitions about flavors.
#[derive(Clone, Debug, PartialEq)]
pub struct FlavorMetadef {
    /// The extra specs that it describes.
    pub definitions: Vec<Definition>,
    /// Errors of Glance's API about it.
    pub mistakes: Vec<GlanceMistake>,
}

/// Reads a file; none if it is not a namespace of metadata definitions.
pub fn read_metadef(source: &SourceFile) -> Option<FlavorMetadef> {
    let document = parse_json(source.id(), source.text());
    let root = document.root()?;
    root.get("namespace")?;
    let namespace = read_namespace(root)?;
    let prediction = predict_answers(root);
    let mut mistakes = prediction.schema;
    match prediction.api {
        ApiAnswer::Forbidden(mistake)
        | ApiAnswer::UnknownAttribute(mistake)
        | ApiAnswer::InvalidInput(mistake) => {
            mistakes.push(mistake);
        }
        ApiAnswer::Created | ApiAnswer::BadRequest => {}
    }
    Some(FlavorMetadef { definitions: namespace_definitions(&namespace), mistakes })
}
