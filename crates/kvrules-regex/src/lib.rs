//! Regular expressions as rules may write them (Go RE2), printed for other engines
