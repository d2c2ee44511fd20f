//! Subjects of rules: a kind of object, and the start of paths into it.

use std::sync::LazyLock;

/// The kind of object that rules are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its kind, such as `VirtualMachine`; none if a schema does not say.
    pub kind: Option<String>,
    /// The group of its API, such as `kubevirt.io`.
    pub group: Option<String>,
    /// The version of its API, such as `v1`.
    pub version: Option<String>,
    /// The name under which its API serves it, such as `virtualmachines`.
    pub resource: Option<String>,
    /// The versions in which its API serves it; empty if unknown.
    pub served: Vec<String>,
    /// Parts that are written by requests of their own.
    pub subresources: Vec<Subresource>,
}

/// A part of an object that is written by requests of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// `.status`, which other requests do not write then.
    Status,
    /// The number of replicas, at this path below the object, such as `.spec.replicas`.
    Scale(String),
}

impl Subject {
    /// A KubeVirt VirtualMachine.
    pub fn virtual_machine() -> &'static Self {
        static SUBJECT: LazyLock<Subject> = LazyLock::new(|| {
            let name = |name: &str| Some(name.to_owned());
            Subject {
                kind: name("VirtualMachine"),
                group: name("kubevirt.io"),
                version: name("v1"),
                resource: name("virtualmachines"),
                served: vec!["v1".to_owned(), "v1alpha3".to_owned()],
                subresources: vec![Subresource::Status],
            }
        });
        &SUBJECT
    }

    /// Returns the noun for an object of this kind: `VirtualMachine`, or `object` if the kind is unknown.
    pub fn kind_noun(&self) -> &str {
        self.kind.as_deref().unwrap_or("object")
    }

    /// True if rules of the template annotation are about this kind; their paths start at its template.
    pub fn is_virtual_machine(&self) -> bool {
        self.kind.as_deref() == Some("VirtualMachine") && self.group.as_deref() == Some("kubevirt.io")
    }

    /// The way from the object's root to where paths start.
    pub fn root_steps(&self) -> &'static [&'static str] {
        if self.is_virtual_machine() { &["spec", "template"] } else { &[] }
    }
}
