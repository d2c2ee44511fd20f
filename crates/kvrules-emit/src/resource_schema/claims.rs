//! Claims about schemas that are not made.

use std::sync::{Mutex, PoisonError};

use kvrules_apiserver::definition::ResourceVersion;

use super::{ResourceSchemaOptions, convert_version, set_name};
use crate::RuleFidelity;

/// The claims about the versions of a request, found once for dialects that express the rules alike.
#[derive(Debug, Default)]
pub struct ClaimMemo {
    known: Mutex<Vec<KnownClaims>>,
}

#[derive(Debug)]
struct KnownClaims {
    set: String,
    options: ResourceSchemaOptions,
    depends_on_dialect: bool,
    fidelity: Vec<RuleFidelity>,
}

impl ClaimMemo {
    /// Returns the fidelity that the JSON Schema of a version has, without making the schema.
    pub(crate) fn claim_resource(
        &self,
        version: &ResourceVersion,
        options: ResourceSchemaOptions,
    ) -> Vec<RuleFidelity> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let set = set_name(version);
        let is_it = |it: &&KnownClaims| it.set == set && it.holds_with(options);
        if let Some(found) = known().iter().find(is_it) {
            return found.fidelity.clone();
        }
        let (made, depends_on_dialect) = convert_version(version, options, false);
        let fidelity = made.fidelity;
        known().push(KnownClaims { set, options, depends_on_dialect, fidelity: fidelity.clone() });
        fidelity
    }
}

impl KnownClaims {
    /// True if the claims are the same with other options.
    fn holds_with(&self, options: ResourceSchemaOptions) -> bool {
        let in_dialect = ResourceSchemaOptions { dialect: self.options.dialect, ..options };
        self.options == in_dialect && (!self.depends_on_dialect || options.dialect == self.options.dialect)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::resource_schema::{OptionalNulls, UnknownFields, convert_resource};
    use crate::schema::Dialect;

    fn version_of(schema: &Value) -> ResourceVersion {
        let version = json!({"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema}});
        let spec = json!({"group": "example.com", "names": {"kind": "Pond"}, "versions": [version]});
        let definition = json!({"metadata": {"name": "ponds.example.com"}, "spec": spec});
        ResourceVersion::of_definition(&definition).remove(0)
    }

    #[test]
    fn claims_without_a_schema_are_those_of_the_schema_in_each_dialect() {
        let text = json!({"type": "string", "format": "ipv4", "pattern": "^a"});
        let item = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "maxLength": 3}}});
        let keyed = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "maxItems": 4,
            "items": item, "x-kubernetes-validations": [{"rule": "self.filter(x, x.k == 'a').size() <= 1"}]});
        let small = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]});
        let fields = json!({"a": text, "b": keyed, "c": {"type": "object", "maxProperties": 2, "additionalProperties": text},
            "d": {"type": "number", "multipleOf": 0.5}, "n": small});
        let spec = json!({"type": "object", "properties": fields,
            "x-kubernetes-validations": [{"rule": "self.n < 9"}, {"rule": "self.n >= oldSelf.n"}]});
        let version = version_of(&json!({"type": "object", "properties": {"spec": spec}}));
        let memo = ClaimMemo::default();
        let mut claims = Vec::new();
        for dialect in [Dialect::JsonSchema202012, Dialect::OpenApi30, Dialect::OpenApi31] {
            for nulls in [OptionalNulls::Accept, OptionalNulls::Reject] {
                let options = ResourceSchemaOptions { dialect, unknown_fields: UnknownFields::Accept, nulls };
                let found = memo.claim_resource(&version, options);
                assert_eq!(found, convert_resource(&version, options).fidelity, "{options:?}");
                claims.push(found);
            }
        }
        assert!(claims[0].len() > 8 && claims[0] != claims[1] && claims[0] != claims[2], "{claims:#?}");
        assert!(claims[0] == claims[4] && memo.known.into_inner().unwrap().len() == 6);
    }

    #[test]
    fn claims_that_no_dialect_changes_are_found_once() {
        let version = version_of(
            &json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name != 'a'"}]}),
        );
        let memo = ClaimMemo::default();
        for dialect in [Dialect::JsonSchema202012, Dialect::OpenApi30] {
            let nulls = OptionalNulls::Accept;
            let options = ResourceSchemaOptions { dialect, unknown_fields: UnknownFields::Accept, nulls };
            assert_eq!(memo.claim_resource(&version, options), convert_resource(&version, options).fidelity);
        }
        assert_eq!(memo.known.into_inner().unwrap().len(), 1);
    }
}
