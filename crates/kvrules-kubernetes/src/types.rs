//! Resources that Kubernetes itself serves, in six minors: names, scopes, subresources and schemas.
//!
//! The data are compressed and in the binary. They are inflated on the first call, and a schema is parsed only when it is
//! resolved.
//!
//! ```
//! use kvrules_kubernetes::types::{Minor, find_resources, resolve_schema};
//!
//! let found: Vec<_> = find_resources("apps").filter(|it| it.plural == "deployments").collect();
//! assert_eq!((found[0].kind, found[0].is_namespaced), ("Deployment", true));
//!
//! let schema = resolve_schema(Minor::NEWEST, found[0], &|_| true).unwrap();
//! assert_eq!(schema.pointer("/properties/spec/properties/replicas/type").unwrap(), "integer");
//! ```

mod index;
mod minor;
mod resolve;
mod stored;
mod unset;
mod written_fields;

pub use index::{
    BuiltInResource, Subresource, find_kind, find_resources, is_kubernetes_group, kubernetes_groups,
};
pub use minor::{Minor, MinorSet};
pub use resolve::{
    drop_requirements, resolve_metadata, resolve_quantities, resolve_schema, resolve_stored_metadata,
    resolve_stored_schema,
};
pub use unset::fill_unset_fields;
pub use written_fields::WrittenFields;
