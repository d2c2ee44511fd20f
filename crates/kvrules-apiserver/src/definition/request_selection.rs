//! The requests that rules are evaluated for, as policies select them.

use serde_json::{Map, Value as Json, json};

use crate::policy::LabelSelector;

/// The requests that rules are evaluated for; by default all creations and updates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestSelection {
    /// Selectors of objects by labels, with the names and values that match constraints of a policy have.
    pub selectors: Map<String, Json>,
    /// `CREATE` or `UPDATE`; empty for both.
    pub operations: Vec<String>,
    /// Resources of rules about objects of any kind, each with its group, such as `("apps", "deployments")`; empty for all.
    pub resources: Vec<(String, String)>,
    /// Users, if requests of some alone are evaluated.
    pub users: UserSet,
    /// Users whose requests are not evaluated.
    pub except: UserSet,
}

/// Users by their names or groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSet {
    /// Names of users.
    pub names: Vec<String>,
    /// Groups of which users are members.
    pub groups: Vec<String>,
}

impl UserSet {
    /// True if no name and no group is listed.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.groups.is_empty()
    }

    /// True if a user with these groups is among them.
    pub fn includes_user(&self, name: &str, groups: &[String]) -> bool {
        self.names.iter().any(|known| known == name) || groups.iter().any(|group| self.groups.contains(group))
    }

    /// Returns the expression in CEL that is true for requests of these users.
    fn to_expression(&self) -> String {
        let listed = |names: &[String]| {
            let names: Vec<_> =
                names.iter().map(|name| kvrules_cel::literal::to_string_literal(name)).collect();
            names.join(", ")
        };
        let of_name = (!self.names.is_empty())
            .then(|| format!("request.userInfo.username in [{}]", listed(&self.names)));
        // A user without groups has no such field.
        let of_group = (!self.groups.is_empty()).then(|| {
            let groups = listed(&self.groups);
            format!(
                "has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in [{groups}])"
            )
        });
        [of_name, of_group].into_iter().flatten().collect::<Vec<_>>().join(" || ")
    }
}

impl RequestSelection {
    /// True if a request with this operation, of a user with these groups, is evaluated, whatever its object.
    ///
    /// ```
    /// use kvrules_apiserver::definition::{RequestSelection, UserSet};
    ///
    /// let except = UserSet { names: vec!["admin".to_owned()], groups: Vec::new() };
    /// let selection = RequestSelection { operations: vec!["CREATE".to_owned()], except, ..RequestSelection::default() };
    /// assert!(selection.selects_request("CREATE", "alice", &[]));
    /// assert!(!selection.selects_request("UPDATE", "alice", &[]) && !selection.selects_request("CREATE", "admin", &[]));
    /// ```
    pub fn selects_request(&self, operation: &str, user: &str, groups: &[String]) -> bool {
        self.selects_operation(operation)
            && (self.users.is_empty() || self.users.includes_user(user, groups))
            && !self.except.includes_user(user, groups)
    }

    /// True if requests with this operation may be evaluated.
    pub fn selects_operation(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|known| known == operation)
    }

    /// True if an object may be evaluated that has these labels; `label` gives the value of the label with a name.
    pub fn selects_labels<'o>(&self, label: impl Fn(&str) -> Option<&'o str>) -> bool {
        LabelSelector::from_json(self.selectors.get("objectSelector")).matches_values(label)
    }

    /// Returns labels with which objects are evaluated.
    ///
    /// ```
    /// use kvrules_apiserver::definition::RequestSelection;
    /// use serde_json::json;
    ///
    /// let tiers = json!([{"key": "tier", "operator": "In", "values": ["web", "db"]}, {"key": "old", "operator": "DoesNotExist"}]);
    /// let selectors = [("objectSelector".to_owned(), json!({"matchExpressions": tiers}))].into_iter().collect();
    /// let selection = RequestSelection { selectors, ..RequestSelection::default() };
    /// let labels = selection.example_labels();
    /// assert_eq!(labels["tier"], "web");
    /// assert!(selection.selects_labels(|name| labels.get(name)?.as_str()));
    /// ```
    pub fn example_labels(&self) -> Map<String, Json> {
        LabelSelector::from_json(self.selectors.get("objectSelector")).example_labels()
    }

    /// Returns the operations, as in the rules of a policy.
    pub fn listed_operations(&self) -> Vec<&'static str> {
        ["CREATE", "UPDATE"].into_iter().filter(|operation| self.selects_operation(operation)).collect()
    }

    /// True if it selects users.
    pub fn selects_users(&self) -> bool {
        !self.users.is_empty() || !self.except.is_empty()
    }

    /// True if it selects resources alone, as rules about objects of any kind can.
    pub fn selects_resources_alone(&self) -> bool {
        *self == Self { resources: self.resources.clone(), ..Self::default() }
    }

    /// Returns the names of the resources with their groups, such as `deployments.apps`.
    pub fn resource_names(&self) -> Vec<String> {
        let name = |(group, plural): &(String, String)| match group.as_str() {
            "" => plural.clone(),
            group => format!("{plural}.{group}"),
        };
        self.resources.iter().map(name).collect()
    }

    /// Returns the selection as one value: the selectors, `operations`, `resources` and `matchConditions`, as far as they select.
    pub fn to_json(&self) -> Json {
        let mut all = self.selectors.clone();
        if !self.operations.is_empty() {
            all.insert("operations".to_owned(), self.listed_operations().into());
        }
        if !self.resources.is_empty() {
            all.insert("resources".to_owned(), self.resource_names().into());
        }
        if self.selects_users() {
            all.insert("matchConditions".to_owned(), self.match_conditions().into());
        }
        Json::Object(all)
    }

    /// Returns the match conditions of a policy that select the users.
    pub fn match_conditions(&self) -> Vec<Json> {
        let condition = |name: &str, expression: String| json!({"name": name, "expression": expression});
        let users = (!self.users.is_empty()).then(|| condition("users", self.users.to_expression()));
        let except = (!self.except.is_empty())
            .then(|| condition("except-users", format!("!({})", self.except.to_expression())));
        users.into_iter().chain(except).collect()
    }
}
