//! Lints over rules: one lint, one file, one page
