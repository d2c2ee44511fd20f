//! The suite of the reference meaning.

mod support;

mod meaning;

mod rules;

mod exhaustive;

mod constructors;
