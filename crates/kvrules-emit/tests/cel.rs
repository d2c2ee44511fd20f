//! CEL: what it looks like, what it means, and what the target writes.

#[cfg(test)]
#[path = "cel/agreement.rs"]
mod agreement;
#[cfg(test)]
#[path = "cel/cases.rs"]
mod cases;
#[cfg(test)]
#[path = "cel/engine.rs"]
mod engine;
#[cfg(test)]
#[path = "cel/mutations.rs"]
mod mutations;
#[cfg(test)]
#[path = "cel/objects.rs"]
mod objects;
#[cfg(test)]
#[path = "policy/rules.rs"]
mod rules;
#[cfg(test)]
#[path = "cel/server.rs"]
mod server;
#[cfg(test)]
#[path = "cel/shapes.rs"]
mod shapes;
#[cfg(test)]
#[path = "cel/target.rs"]
mod target;
