//! Kubernetes minors: what the server of each says of the same expression.
//!
//! The facts are tables: `gates` has the functions and the syntax, `regime` the static cost, `runtime` the cost of an
//! evaluation. Everything else of the crate reads the switches that are derived from them here, and never a version.

mod dialect;
mod gates;
mod regime;
mod version;
mod versions;

pub use dialect::{CelEngine, Dialect, ExpressionAge};
pub use gates::{Gate, GateFact, all_gates, find_gate};
pub use regime::{CostRegime, LoopResultSize, PresenceTestCost, RuntimeRegime, StringBounds};
pub use version::{KubernetesVersion, VersionError};
pub use versions::KubernetesVersions;

pub(crate) use gates::{GateSet, gate_of_macro, gate_of_overload, gate_of_type};
