//! Users of a rule set, grouped so that a long list stays readable.

use kvrules_ir::RuleSetUser;

/// More names than this are put in groups.
const MANY: usize = 12;

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

/// Names by their part up to the first dash. Where that gathers nothing, all
/// are one group.
fn group_names(names: &[String]) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for name in names {
        let start = name.split('-').next().unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| known == start) {
            Some((_, members)) => members.push(name.clone()),
            None => groups.push((start.to_owned(), vec![name.clone()])),
        }
    }
    if groups.len() * 2 > names.len() { vec![("all".to_owned(), names.to_vec())] } else { groups }
}
