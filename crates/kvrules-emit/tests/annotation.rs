//! The annotation, written back.

#[cfg(test)]
#[path = "annotation/target.rs"]
mod target;
