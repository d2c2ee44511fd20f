//! KubeVirt template annotations, in their three forms.
//!
//! [`find_annotations`] looks for annotations in a document and opens the JSON inside them; [`Annotation::form`] distinguishes the
//! forms by their evidence; [`read_rule_set`] turns what is understood into a [`RuleSet`](kvrules_ir::RuleSet). What is not
//! understood stays in the tree, where the lints look at it.

mod content;
mod find;
mod form;
mod key;
mod misspelt;
mod operand;
mod parameters;
mod read;

pub use find::{
    Annotation, AnnotationHolder, count_annotations, find_all_annotations, find_annotations, has_holder,
};
pub use form::{AnnotationForm, FormMixture};
pub use key::{ALL_KEYS, Key, RuleKind};
pub use misspelt::{MisspeltKey, find_misspelt_keys};
pub use operand::{has_prefix, optional_path, path_text};
pub use parameters::Parameters;
pub use read::read_rule_set;

/// Prefix of a path in the 201902 form.
pub const PREFIX: &str = "jsonpath::";

/// The annotation of the 201902 form, on the VM.
pub const VM_ANNOTATION: &str = "vm.kubevirt.io/validations";

/// The annotations of the older forms, on the template. The text of 201901 uses both names.
pub const TEMPLATE_ANNOTATIONS: [&str; 2] = ["validations", "validation"];
