//! Dialects of expressions: the environment that reads them.

/// Environment of an expression: the name of the object and the types that the server knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The variable that holds the object.
    pub root: &'static str,
    /// Types known to the server.
    pub types: FieldTypes,
    /// Below these fields of the object nothing can be seen.
    pub hidden: &'static [&'static [&'static str]],
}

/// Types of fields known to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldTypes {
    /// Those of a structural schema: names are escaped, types are checked and costs estimated before any object is.
    Schema,
    /// None: every object is a map from names to values, and only the cost of an evaluation counts.
    Dynamic,
}

impl Dialect {
    /// `x-kubernetes-validations` at the root of the VirtualMachine's schema.
    ///
    /// That schema leaves the metadata of the machine's template open (`x-kubernetes-preserve-unknown-fields`), and
    /// rules see nothing of what a schema leaves open.
    pub const VIRTUAL_MACHINE_SCHEMA: Self =
        Self { root: "self", types: FieldTypes::Schema, hidden: &[&["spec", "template", "metadata"]] };

    /// The validations of a `ValidatingAdmissionPolicy`.
    pub const ADMISSION_POLICY: Self = Self { root: "object", types: FieldTypes::Dynamic, hidden: &[] };
}
