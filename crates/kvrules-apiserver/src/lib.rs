//! The Kubernetes API server around CEL: CustomResourceDefinitions, their objects, and admission policies.

pub mod cost;
pub mod crd;
mod decode;
pub mod definition;
mod dropped_fields;
pub mod field_error;
mod field_path;
mod go_url;
pub mod needs;
mod node;
pub mod object;
mod object_meta;
pub mod policy;
pub mod server;
pub mod structural;
