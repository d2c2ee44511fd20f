//! The house tools.
fn main() {}
