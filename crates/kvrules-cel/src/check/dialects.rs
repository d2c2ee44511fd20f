//! The languages in which the result of a check holds.

use crate::kubernetes::Dialect;

use super::CheckedExpression;

impl CheckedExpression {
    /// Returns the dialect in which an expression, which was checked in the newest, must be checked for another one: the newest
    /// itself if its result holds there too.
    pub fn dialect_to_check(&self, other: Dialect) -> Dialect {
        let used = self.used_gates();
        let is_same = used.common_gates(other.gates) == used
            && !self.crashes_server(other)
            && (other.reads_reserved_words || !self.selects_reserved_words())
            && (other.parses_quoted_names || !self.has_quoted_names());
        if is_same { Dialect::NEWEST } else { other }
    }

    /// True if a server with a dialect crashes on the expression.
    pub fn crashes_server(&self, dialect: Dialect) -> bool {
        dialect.crashes_on_dynamic_format && self.has_dynamic_format()
    }
}
