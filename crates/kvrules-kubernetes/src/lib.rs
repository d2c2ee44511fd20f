//! Facts of Kubernetes that need no server: quantities, the keywords of schemas, and the resources that it serves.

pub mod keywords;
pub mod quantity;
pub mod types;
