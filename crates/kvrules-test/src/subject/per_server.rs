//! Values that differ between servers.

use std::sync::OnceLock;

use kvrules_cel::kubernetes::KubernetesVersion;

/// A value for each server, computed on its first use.
#[derive(Debug)]
pub(super) struct PerServer<T>(Vec<(KubernetesVersion, OnceLock<T>)>);

impl<T> PerServer<T> {
    pub(super) fn new() -> Self {
        Self(KubernetesVersion::all_selectable().map(|server| (server, OnceLock::new())).collect())
    }

    /// Returns the cell of a server; the last stands in for one that is unknown.
    pub(super) fn of_server(&self, server: KubernetesVersion) -> Option<&OnceLock<T>> {
        let found = self.0.iter().find(|(known, _)| *known == server).or_else(|| self.0.last());
        found.map(|(_, cell)| cell)
    }
}
