//! Long lists of names, divided by what the names begin with.

/// A list that a reader surveys without headings has at most so many entries.
pub(crate) const MANY: usize = 12;

/// Returns the indices of names by their beginnings up to the first dash, in the order of the first of each; as one group without a
/// heading if they are few, or if most names would be alone.
pub(crate) fn group_by_beginning<'n>(names: &[&'n str]) -> Vec<(Option<&'n str>, Vec<usize>)> {
    let all = || vec![(None, (0..names.len()).collect())];
    if names.len() <= MANY {
        return all();
    }
    let mut groups: Vec<(Option<&'n str>, Vec<usize>)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let beginning = name.split('-').next();
        match groups.iter_mut().find(|(known, _)| *known == beginning) {
            Some((_, members)) => members.push(index),
            None => groups.push((beginning, vec![index])),
        }
    }
    if groups.len() * 2 > names.len() { all() } else { groups }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_divided_if_that_gathers_names() {
        let few = group_by_beginning(&["a-1", "b-1"]);
        assert_eq!(few, [(None, vec![0, 1])]);
        let names: Vec<String> =
            (0..14).map(|index| format!("{}-{index}", ["fedora", "windows10"][index % 2])).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let groups = group_by_beginning(&names);
        let titles: Vec<_> = groups.iter().map(|(title, members)| (*title, members.len())).collect();
        assert_eq!(titles, [(Some("fedora"), 7), (Some("windows10"), 7)]);
        let alone: Vec<String> = (0..14).map(|index| format!("n{index}")).collect();
        let alone: Vec<&str> = alone.iter().map(String::as_str).collect();
        assert_eq!(group_by_beginning(&alone).len(), 1);
    }
}
