//! Documents as a Kubernetes API server reads them: plain scalars by YAML 1.1, merges followed, numbers as JSON has them.

pub mod json;
pub mod plain;
