//! Known facts of single fields beyond their type: fields that measure memory, and deprecated fields.

use kvrules_ir::{Path, PathSlice, PathStep, Place, PlaceStep, Subject, ValueType};

/// A field that has had its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDeprecation {
    /// The path of the field, as rules write it.
    pub path: &'static str,
    /// State of the deprecated field.
    pub state: DeprecationState,
    /// The path that took its place; none if nothing did.
    pub instead: Option<&'static str>,
}

/// State of a deprecated field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeprecationState {
    /// The API still has the field, and KubeVirt does nothing with it since this version.
    Removed(&'static str),
    /// The API and KubeVirt read it, but machines now use another field for the same value.
    Moved,
}

/// The table. That fields were removed is what the descriptions in KubeVirt's own CustomResourceDefinition of
/// VirtualMachines say, of version 1.3. That memory moved is what the released templates show: those of v0.25.0 give all
/// their machines `requests.memory` and have rules on it, those of v0.35.0 give theirs `memory.guest` alone.
const DEPRECATIONS: &[FieldDeprecation] = &[
    removed_field(".spec.domain.devices.interfaces[*].slirp"),
    removed_field(".spec.domain.devices.interfaces[*].macvtap"),
    removed_field(".spec.domain.devices.interfaces[*].passt"),
    FieldDeprecation {
        path: ".spec.domain.resources.requests.memory",
        state: DeprecationState::Moved,
        instead: Some(".spec.domain.memory.guest"),
    },
];

const fn removed_field(path: &'static str) -> FieldDeprecation {
    FieldDeprecation { path, state: DeprecationState::Removed("1.3"), instead: None }
}

/// Returns the deprecation of a field: the one that a path leads to, or one on its way.
pub fn find_deprecation(path: &Path, subject: &Subject) -> Option<&'static FieldDeprecation> {
    if !subject.is_virtual_machine() || !path.rest.is_empty() {
        return None;
    }
    DEPRECATIONS.iter().find(|known| {
        let parts = known.path.split('.').skip(1).flat_map(|part| match part.strip_suffix("[*]") {
            Some(name) => vec![name, "*"],
            None => vec![part],
        });
        let mut steps = path.steps.iter();
        parts.into_iter().all(|part| steps.next().is_some_and(|step| is_step(step, part)))
    })
}

/// Any way to go to the items of a list is as good as another.
fn is_step(step: &PathStep, part: &str) -> bool {
    match step {
        PathStep::Field(name) => name == part,
        PathStep::Wildcard | PathStep::Slice(PathSlice { .. }) => part == "*",
        _ => false,
    }
}

/// True if the value at a place is an amount of memory in bytes according to the catalog: a quantity that is called
/// so, or is in an object that is.
pub fn measures_memory(place: &Place) -> bool {
    let named = |step: &PlaceStep| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => name == "memory",
        PlaceStep::Item(_) => false,
    };
    place.value_type == ValueType::Quantity && place.steps.iter().any(named)
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::Origin;

    use super::*;
    use crate::{catalog::Catalog, path::parse, resolve_path};

    #[test]
    fn every_path_of_the_table_is_in_the_catalog_and_finds_itself() {
        for known in DEPRECATIONS {
            let path = parse(known.path, Origin::default()).unwrap();
            assert!(resolve_path(&path, Catalog::kubevirt_vm()).is_ok(), "{}", known.path);
            assert_eq!(find_deprecation(&path, Subject::virtual_machine()), Some(known));
            let instead = known.instead.map(|path| parse(path, Origin::default()).unwrap());
            assert!(
                instead.is_none_or(|path| resolve_path(&path, Catalog::kubevirt_vm()).is_ok()),
                "{known:?}"
            );
        }
    }

    #[test]
    fn what_is_near_a_deprecated_field_is_none() {
        let found = |text| {
            let path = parse(text, Origin::default()).unwrap();
            find_deprecation(&path, Subject::virtual_machine()).map(|known| known.path)
        };
        assert_eq!(found(".spec.domain.resources.limits.memory"), None);
        assert_eq!(found(".spec.domain.devices.interfaces"), None);
        assert!(found(".spec.domain.devices.interfaces[0].slirp").is_some());
        let pond = Subject::default();
        let path = parse(".spec.domain.resources.requests.memory", Origin::default()).unwrap();
        assert_eq!(find_deprecation(&path, &pond), None, "another object may have fields of these names");
    }

    #[test]
    fn memory_is_told_from_other_quantities() {
        let is_memory = |text| {
            let path = parse(text, Origin::default()).unwrap();
            measures_memory(&resolve_path(&path, Catalog::kubevirt_vm()).unwrap().leaf)
        };
        assert!(is_memory(".spec.domain.memory.guest"));
        assert!(is_memory(".spec.domain.resources.requests.memory"));
        assert!(!is_memory(".spec.domain.resources.requests.cpu"));
        assert!(!is_memory(".spec.domain.memory.hugepages.pageSize"));
        assert!(!is_memory(".spec.domain.cpu.cores"));
    }
}
