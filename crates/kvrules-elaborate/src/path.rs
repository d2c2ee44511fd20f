//! The Kubernetes JSONPath dialect, as `k8s.io/client-go` parses it.
//!
//! The deployed validator pastes a path's text between `{.spec.template` and `}` and parses the whole. So do we:
//! what the dialect accepts, and the words in which it refuses, are then the same by construction.

mod array;
mod cursor;
mod error;
mod template;

use kvrules_diagnostics::Origin;
use kvrules_ir::{Path, PathSegment, PathStep};

pub use error::PathError;
pub use template::parse_template;

/// Prefix that the notation puts before each path.
const ROOT: &str = "{.spec.template";

/// Parses a path whose root is a VirtualMachine's `.spec.template`. One leading `$` is dropped.
///
/// ```
/// use kvrules_diagnostics::Origin;
/// use kvrules_elaborate::path::parse;
/// use kvrules_ir::{PathSlice, PathStep};
///
/// let path = parse(".spec.domain.devices.disks[*].name", Origin::default()).unwrap();
/// assert_eq!(path.steps[4], PathStep::Slice(PathSlice::ALL));
/// assert_eq!(parse(".spec.[", Origin::default()).unwrap_err().to_string(), "`[` is not closed");
/// ```
pub fn parse(text: &str, origin: Origin) -> Result<Path, PathError> {
    let dropped = usize::from(text.starts_with('$'));
    let text = text.get(dropped..).unwrap_or_default();
    let shift = |error: PathError| error.shifted(ROOT.len(), dropped, text.len());
    let mut segments = parse_template(&format!("{ROOT}{text}}}")).map_err(shift)?.into_iter();
    let Some(PathSegment::Query(mut steps)) = segments.next() else {
        return Err(PathError::not_rooted(text));
    };
    if steps.len() < 2 || steps.get(1) != Some(&PathStep::Field("template".to_owned())) {
        return Err(PathError::not_rooted(text));
    }
    steps.drain(..2);
    Ok(Path { text: text.to_owned(), steps, rest: segments.collect(), origin })
}
