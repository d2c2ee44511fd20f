//! Targets of one request, generated together: their files, what they lose of the rules, and how to treat a loss.
//!
//! ```
//! use kvrules::{FileId, Request, SourceFile, compile_targets, find_emitter};
//!
//! let text = r#"
//! vm.kubevirt.io/validations: |
//!   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}]
//! "#;
//! let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text)).sets;
//! let targets = [find_emitter("cel").unwrap(), find_emitter("glance-metadefs").unwrap()];
//! let outputs = compile_targets(&targets, &Request::for_virtual_machines(&sets))?;
//! assert_eq!(outputs.len(), 1, "a metadata definition expresses no rules");
//! assert_eq!(outputs[0].emission.fidelity[0].fidelity.as_str(), "exact");
//! # Ok::<(), kvrules::EmitError>(())
//! ```

mod inexact_targets;
pub mod loss;
mod outputs;

pub use inexact_targets::lint_targets;
pub use outputs::{TargetOutput, UnavailableTarget, compile_targets, is_applicable, partition_targets};
