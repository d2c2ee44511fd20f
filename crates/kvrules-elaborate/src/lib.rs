//! Readers of every dialect, field catalogs, and the one place where meaning is fixed
