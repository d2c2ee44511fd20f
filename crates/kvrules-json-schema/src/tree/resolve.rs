//! Targets of references.

use kvrules_diagnostics::find_nearest;
use kvrules_syntax::Node;
use kvrules_syntax::pointer::{escape_step, unescape_step};

use super::ReferenceTarget;
use super::resource::ReferenceUri;
use super::walk::{OpenReference, TreeWalker};
use crate::dialect::can_be_schema;

impl<'d> TreeWalker<'d> {
    /// Finds the target of a reference, and makes it a schema of the tree.
    pub(super) fn find_target(&mut self, reference: &OpenReference<'d>) -> ReferenceTarget {
        let text = reference.node.text();
        let (resource, fragment) = match self.resources.locate_reference(text, reference.resource) {
            ReferenceUri::Local(resource, fragment) => (resource, fragment),
            ReferenceUri::External(uri) => return ReferenceTarget::External(uri),
            ReferenceUri::Malformed => return ReferenceTarget::Malformed,
        };
        let target = match self.find_fragment(resource, &fragment) {
            Ok(target) => target,
            Err(similar) => return ReferenceTarget::Missing(similar),
        };
        let Some(site) = reference.site else { return ReferenceTarget::Part };
        let dialect = self.sites.get(site).map_or(self.dialect, |site| site.dialect);
        if !can_be_schema(target, dialect) {
            return ReferenceTarget::NotSchema;
        }
        let target = self.add_site(target, dialect, resource, false);
        if let Some(site) = self.sites.get_mut(site).filter(|_| reference.is_static) {
            site.reference = Some(target);
        }
        ReferenceTarget::Schema(target)
    }

    /// Finds the node that a fragment names, or a similar reference.
    fn find_fragment(&mut self, resource: usize, fragment: &str) -> Result<Node<'d>, Option<String>> {
        let Some(resource) = self.resources.all.get(resource) else { return Err(None) };
        let root = resource.root;
        if fragment.is_empty() {
            return Ok(root);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            let name = unescape_step(fragment);
            let nearest = || find_nearest(&name, resource.anchors.keys().copied());
            let found = resource.anchors.get(name.as_str()).copied();
            return found.ok_or_else(|| nearest().map(|name| format!("#{name}")));
        };
        let steps: Vec<String> = pointer.split('/').map(unescape_step).collect();
        if let Ok(found) = self.index.follow_pointer(root, &steps) {
            return Ok(found);
        }
        let similar = self.index.find_similar(root, &steps);
        let write = |steps: Vec<String>| {
            steps.iter().fold("#".to_owned(), |pointer, step| format!("{pointer}/{}", escape_step(step)))
        };
        Err(similar.map(write).filter(|similar| similar.trim_start_matches('#') != fragment))
    }
}
