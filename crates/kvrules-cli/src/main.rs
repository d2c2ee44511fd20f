//! The `kvrules` command.
fn main() {}
