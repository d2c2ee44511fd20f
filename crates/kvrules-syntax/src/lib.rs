//! YAML documents and the JSON inside their scalars as one tree with exact positions
