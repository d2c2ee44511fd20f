//! Users of a rule set, grouped so that a long list stays readable.

use kvrules_ir::RuleSetUser;

use crate::name_groups::{MANY, group_by_beginning};

/// The users of a rule set, each name once.
#[derive(Debug)]
pub(crate) struct SetUsers {
    /// All names, in alphabetical order.
    pub(crate) names: Vec<String>,
    /// The names by what they begin with; empty if they are few.
    pub(crate) groups: Vec<(String, Vec<String>)>,
}

impl SetUsers {
    /// Those who use a set.
    pub(crate) fn of(used_by: &[RuleSetUser]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for audience in used_by {
            if !names.contains(&audience.name) {
                names.push(audience.name.clone());
            }
        }
        names.sort();
        let groups = if names.len() > MANY { group_names(&names) } else { Vec::new() };
        Self { names, groups }
    }
}

fn group_names(names: &[String]) -> Vec<(String, Vec<String>)> {
    let listed: Vec<&str> = names.iter().map(String::as_str).collect();
    let groups = group_by_beginning(&listed).into_iter();
    let of_group = |(title, members): (Option<&str>, Vec<usize>)| {
        let members = members.into_iter().filter_map(|index| names.get(index).cloned());
        (title.unwrap_or("all").to_owned(), members.collect())
    };
    groups.map(of_group).collect()
}
