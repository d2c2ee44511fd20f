//! Extra specs of OpenStack's flavors: everything of `kvrules-extra-specs`, and its findings as diagnostics.
//!
//! ```
//! use kvrules::Sources;
//! use kvrules::extra_specs::{Judge, Mode, arguments};
//!
//! let mut sources = Sources::default();
//! let file = sources.add("arguments", "hw:cpu_pollllicy=dedicated");
//! let judge = Judge::new(Vec::new(), Mode::default());
//! let judged = judge.judge(&arguments(file, &["hw:cpu_pollllicy=dedicated"]));
//! assert_eq!(judged.findings[0].help.as_deref(), Some("did you mean `hw:cpu_policy`?"));
//! ```

mod judge;
pub mod metadefs;
mod told;

pub use judge::{Judge, Judged, Mode};
pub use kvrules_extra_specs::*;
pub(crate) use told::read as read_definitions;
pub use told::{of_conflict, of_conflicts, of_problems};
