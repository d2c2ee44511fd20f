//! Predicates as sentences.
//!
//! Words are made here once, for every format: [`describe_requirements`] says what a rule demands, the other modules say the rest
//! of it. What they say is [`Prose`], which knows text from code and nothing of any markup; `pages` puts it on pages
//! and escapes it. Sentences are made from the predicate, never from the author's message, so that they hold on every
//! object on which the rule does.

mod absence;
mod author_view;
mod clause;
mod facts;
mod inline;
mod measure;
mod noun;
mod phrase;
mod scope;
mod sentence;
mod value;

pub use facts::{describe_pieces, pattern_in_words};
pub use inline::{Inline, Prose};
pub use kvrules_diagnostics::count_noun;
pub use sentence::describe_requirements;
pub use value::{pattern_code, text_code};

pub(crate) use absence::{default_of, if_absent, if_defaulted};
pub(crate) use author_view::rebase_to_root;
pub(crate) use facts::{ValueBound, condition_prose, rule_demands, value_type, violation_outcome};
pub(crate) use inline::{one_line, show_marks};
pub(crate) use sentence::describe_rebased;
pub(crate) use value::scalar_code;
