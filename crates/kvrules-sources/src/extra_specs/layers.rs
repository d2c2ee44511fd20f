//! Layers of definitions, in the order of precedence.

use std::collections::HashSet;

use kvrules_extra_specs::{Definition, shipped_document};

/// Nova's definitions, which are built in, and behind them those of an operator. A document that stands for Nova's own takes
/// their place, so that the Nova which is installed decides.
///
/// ```
/// use kvrules::extra_specs::{definition_layers, shipped_document};
/// assert_eq!(definition_layers(vec![Vec::new()]).len(), 2);
/// assert_eq!(definition_layers(vec![shipped_document().expand_definitions()]).len(), 1);
/// ```
pub fn definition_layers(own: Vec<Vec<Definition>>) -> Vec<Vec<Definition>> {
    let (nova, others): (Vec<_>, Vec<_>) = own.into_iter().partition(|layer| stands_for_nova(layer));
    let first = if nova.is_empty() { vec![shipped_document().expand_definitions()] } else { nova };
    first.into_iter().chain(others).collect()
}

/// True if definitions are those of some release of Nova, as `kvrules import nova` writes them: most of the names that are
/// built in are among them.
///
/// ```
/// use kvrules::extra_specs::{shipped_document, stands_for_nova};
///
/// let nova = shipped_document().expand_definitions();
/// assert!(stands_for_nova(&nova) && !stands_for_nova(&nova[..10]));
/// ```
pub fn stands_for_nova(definitions: &[Definition]) -> bool {
    let built_in = shipped_document().definitions.len();
    if definitions.len() < built_in / 2 {
        return false;
    }
    let names: HashSet<&str> = definitions.iter().map(|one| one.name.as_str()).collect();
    let all = shipped_document().expand_definitions();
    all.iter().filter(|one| names.contains(one.name.as_str())).count() > all.len() / 2
}
