//! Treatment of findings: the lints of all crates with their pages, the selection of findings that count, ignores and baselines,
//! and repairs.
//!
//! ```
//! use kvrules::select::LintSelection;
//! use kvrules::{Catalog, FileId, SourceFile, all_lints, fix_safely, read_rules};
//!
//! let source = SourceFile::new(FileId(0), "a.yaml", "vm.kubevirt.io/validations: |\n  [{\"name\": \"a\",}]\n");
//! let selected = LintSelection::default().select_findings(&read_rules(&source), &source, None);
//! let comma = selected.shown.iter().find(|found| found.name == "json_comma").unwrap();
//! assert!(all_lints().iter().any(|lint| lint.code == comma.code));
//!
//! let fixed = fix_safely(&source, Catalog::kubevirt_vm());
//! assert!(fixed.remaining_findings().iter().all(|found| found.name != "json_comma"));
//! ```

mod fix;
pub mod lints;
mod registry;
pub mod select;

pub use fix::{AttemptedRepair, FixOptions, FixedFile, fix_file, fix_file_in, fix_safely, is_offered};
pub use registry::{LintGroup, all_lints, find_group, lint_groups, lint_page, new_code};
