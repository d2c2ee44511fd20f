//! Predicates as sentences, and rule sets as pages.
//!
//! Words are made here once, for every format: [`demands`] says what a rule demands, the other modules say the rest
//! of it. What they say is [`Prose`], which knows text from code and nothing of any markup; a format escapes it, and
//! a template lays it out. Sentences are made from the predicate, never from the author's message, so that they
//! hold on every object on which the rule does.

mod absence;
mod clause;
mod facts;
mod inline;
mod measure;
mod noun;
mod page;
mod phrase;
mod render;
mod rooted;
mod scope;
mod sentence;
mod users;
mod value;

pub use inline::{Inline, Prose};

pub use sentence::demands;

pub(crate) use inline::one_line;
pub(crate) use render::{Format, emit};
