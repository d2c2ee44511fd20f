//! Files that change a definition and are none, as kustomize reads them.

use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::Node;

use crate::lints;

/// The note that a document is a patch: it names a definition, but lacks all required parts of a specification.
pub(super) fn patch_note(node: Node<'_>) -> Option<Diagnostic> {
    let metadata = node.get("metadata").filter(|metadata| metadata.is_map())?;
    metadata.get("name")?;
    let is_whole = |spec: Node<'_>| {
        !spec.is_map()
            || spec.is_open()
            || ["group", "names", "scope"].iter().any(|it| spec.get(it).is_some())
    };
    if node.is_open() || node.get("spec").is_some_and(is_whole) {
        return None;
    }
    let span = node.get("kind").unwrap_or(node).span();
    let message = "patch of a definition: only the types of its fields are checked";
    let help = "check the patched definition: `kustomize build DIR | kvrules check -`";
    Some(lints::DEFINITION_PATCH.diagnostic_at(span, message).with_help(help))
}
