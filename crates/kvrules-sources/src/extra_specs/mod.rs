//! Extra specs of OpenStack's flavors: everything of `kvrules-extra-specs`, and its findings as diagnostics.
//!
//! ```
//! use kvrules::Sources;
//! use kvrules::extra_specs::{FlavorChecker, CheckMode, parse_arguments};
//!
//! let mut sources = Sources::default();
//! let file = sources.add_file("arguments", "hw:cpu_pollllicy=dedicated");
//! let checker = FlavorChecker::new(Vec::new(), CheckMode::default());
//! let checked = checker.check_flavors(&parse_arguments(file, &["hw:cpu_pollllicy=dedicated"]));
//! assert_eq!(checked.findings[0].help.as_deref(), Some("did you mean `hw:cpu_policy`?"));
//! ```

mod diagnostics;
mod flavor_checker;
mod layers;
pub mod metadefs;

pub use diagnostics::of_conflicts;
pub(crate) use diagnostics::read_document_definitions as read_definitions;
pub use flavor_checker::{CheckMode, FlavorChecker, FlavorFindings};
pub use kvrules_extra_specs::*;
pub use layers::{definition_layers, stands_for_nova};
