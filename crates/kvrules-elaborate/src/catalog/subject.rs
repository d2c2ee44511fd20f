//! What a catalog is about: a kind of object, and where paths into it start.

/// The kind of object that a catalog describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its kind, such as `VirtualMachine`; none where a schema does not say.
    pub kind: Option<String>,
    /// The group of its API, such as `kubevirt.io`.
    pub group: Option<String>,
    /// The version of its API, such as `v1`.
    pub version: Option<String>,
}

impl Subject {
    /// A KubeVirt VirtualMachine.
    pub(super) fn virtual_machine() -> Self {
        let name = |name: &str| Some(name.to_owned());
        Self { kind: name("VirtualMachine"), group: name("kubevirt.io"), version: name("v1") }
    }

    /// Whether rules of the template annotation are about it, whose paths start at its template.
    pub fn is_virtual_machine(&self) -> bool {
        self.kind.as_deref() == Some("VirtualMachine") && self.group.as_deref() == Some("kubevirt.io")
    }

    /// The way from the object's root to where paths start.
    pub(super) fn root_steps(&self) -> &'static [&'static str] {
        if self.is_virtual_machine() { &["spec", "template"] } else { &[] }
    }
}
