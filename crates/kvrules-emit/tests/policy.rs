//! Admission policies: what they look like, and what they mean.

#[cfg(test)]
#[path = "policy/agreement.rs"]
mod agreement;
#[cfg(test)]
#[path = "cel/cases.rs"]
mod cases;
#[cfg(test)]
#[path = "policy/made.rs"]
mod made;
#[cfg(test)]
#[path = "policy/mutations.rs"]
mod mutations;
#[cfg(test)]
#[path = "cel/objects.rs"]
mod objects;
#[cfg(test)]
#[path = "policy/recorded.rs"]
mod recorded;
#[cfg(test)]
#[path = "policy/rules.rs"]
mod rules;
#[cfg(test)]
#[path = "policy/target.rs"]
mod target;
#[cfg(test)]
#[path = "policy/validators.rs"]
mod validators;
