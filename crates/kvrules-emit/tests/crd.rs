//! Definitions: what they say, where they say it, and that nothing else of one that exists is touched.

#[cfg(test)]
#[path = "crd/agreement.rs"]
mod agreement;
#[cfg(test)]
#[path = "crd/budget.rs"]
mod budget;
#[cfg(test)]
#[path = "cel/cases.rs"]
mod cases;
#[cfg(test)]
#[path = "crd/mistakes.rs"]
mod errors;
#[cfg(test)]
#[path = "crd/merging.rs"]
mod merging;
#[cfg(test)]
#[path = "cel/objects.rs"]
mod objects;
#[cfg(test)]
#[path = "crd/places.rs"]
mod places;
#[cfg(test)]
#[path = "crd/real.rs"]
mod real;
#[cfg(test)]
#[path = "crd/support.rs"]
mod support;
