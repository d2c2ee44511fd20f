//! Users whose requests a policy answers: those that `match` of a RuleSet treats differently.

use kvrules_apiserver::definition::{RequestSelection, ResourceVersion};
use serde_json::{Value, json};

/// A user, or nobody if no policy asks for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Requester {
    name: Option<String>,
    groups: Vec<String>,
}

impl Requester {
    /// The users that are tried for a version: one of each name and group, one with all groups, and a stranger.
    pub(super) fn of_version(version: &ResourceVersion) -> Vec<Self> {
        let Some(selection) = version.selection().filter(|selection| selection.selects_users()) else {
            return vec![Self::default()];
        };
        let sets = [&selection.users, &selection.except];
        let mut found = vec![Self::named("kvrules:stranger", &[])];
        for set in sets {
            found.extend(set.names.iter().take(2).map(|name| Self::named(name, &[])));
            found.extend(
                set.groups
                    .iter()
                    .take(2)
                    .map(|group| Self::named("kvrules:member", std::slice::from_ref(group))),
            );
        }
        let groups: Vec<String> = sets.into_iter().flat_map(|set| set.groups.iter().cloned()).collect();
        let name = selection.users.names.first().map_or("kvrules:member", String::as_str);
        found.push(Self::named(name, &groups));
        found
    }

    fn named(name: &str, groups: &[String]) -> Self {
        Self { name: Some(name.to_owned()), groups: groups.to_vec() }
    }

    /// True if a request of the user is evaluated.
    pub(super) fn is_selected(&self, version: &ResourceVersion, operation: &str) -> bool {
        let name = self.name.as_deref().unwrap_or_default();
        let selects = |selection: &RequestSelection| selection.selects_request(operation, name, &self.groups);
        version.selection().is_none_or(selects)
    }

    /// The part of a request about the user. A user without groups has no such field.
    pub(super) fn to_extra(&self) -> Value {
        match &self.name {
            None => json!({}),
            Some(name) if self.groups.is_empty() => json!({"userInfo": {"username": name}}),
            Some(name) => json!({"userInfo": {"username": name, "groups": self.groups}}),
        }
    }
}
