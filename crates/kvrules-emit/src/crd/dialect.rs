//! The dialect for rules of a schema.

use crate::cel::{Dialect, Types};

/// Rules at any node. What a schema does not show them is known from the schema.
pub(super) const DIALECT: Dialect = Dialect { root: "self", types: Types::Schema, hidden: &[] };
