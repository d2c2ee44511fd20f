//! `kvrules server`: the built program, spoken to over pipes as an editor does.

mod actions;
mod changes;
mod editor;
mod findings;
mod hostile;
mod names;
