//! The dialect for rules of a schema.

use crate::cel::{Dialect, FieldTypes};

/// Rules at any node. What a schema does not show them is known from the schema.
pub(super) const DIALECT: Dialect = Dialect { root: "self", types: FieldTypes::Schema, hidden: &[] };
