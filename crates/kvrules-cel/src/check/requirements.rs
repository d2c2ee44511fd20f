//! The constructs of an expression that only newer servers have.

use crate::ast::operators;
use crate::kubernetes::{Gate, KubernetesVersion, find_gate, gate_of_overload};
use crate::types::escape_word;

use super::CheckedExpression;
use super::core::{CoreKind, CoreNode};

/// A function or a piece of syntax that only newer servers have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its name as written, such as `isCIDR` or `.?`.
    pub name: String,
    /// Byte offset of the name in the expression.
    pub offset: usize,
    /// Number of bytes there that need it.
    pub length: usize,
    /// The first minor that takes it in a new expression; `None` if no known minor does.
    pub new_from: Option<KubernetesVersion>,
    /// The first minor that takes it in an expression that was stored before.
    pub stored_from: Option<KubernetesVersion>,
}

/// The first server that selects a field with the name of a reserved word by that name.
const RESERVED_WORDS: KubernetesVersion = KubernetesVersion::table_minor(32);

impl CheckedExpression {
    /// Returns the constructs that not every known server has, each once, in the order of the text. `source` is the text of the
    /// expression.
    ///
    /// ```
    /// use kvrules_cel::check::{TypeEnvironment, check_expression};
    /// use kvrules_cel::types::Type;
    ///
    /// let env = TypeEnvironment::new().with_variable("self", Type::String);
    /// let text = "self != '' && isCIDR(self)";
    /// let checked = check_expression(&kvrules_cel::parse(text).unwrap(), &env).unwrap();
    /// let needed = checked.find_requirements(text);
    /// assert_eq!((needed[0].name.as_str(), needed[0].offset, needed[0].length), ("isCIDR", 14, 6));
    /// assert_eq!(needed[0].new_from, "1.31".parse().ok());
    /// ```
    pub fn find_requirements(&self, source: &str) -> Vec<Requirement> {
        let mut found: Vec<Requirement> = Vec::new();
        self.core.root.visit_nodes(&mut |node| {
            found.extend(self.requirement_of(node, source));
        });
        found.sort_by(|one, other| (one.offset, &one.name).cmp(&(other.offset, &other.name)));
        let mut names = Vec::new();
        found.retain(|it| {
            let is_first = !names.contains(&it.name);
            names.push(it.name.clone());
            is_first
        });
        found
    }

    fn requirement_of(&self, node: &CoreNode, source: &str) -> Option<Requirement> {
        node.origin?;
        let place = |name: &str| name_before(name, node.at, source);
        match &node.kind {
            CoreKind::Select { field, .. } if escape_word(field).is_some() => {
                let name = format!(".{field}");
                let (offset, length) = place(&name);
                let since = Some(RESERVED_WORDS);
                Some(Requirement { name, offset, length, new_from: since, stored_from: since })
            }
            CoreKind::Loop(fold) => {
                let second = fold.var2.as_deref()?;
                let called = word_before(node.at, source);
                let name = format!("{called}({}, {second}, …)", fold.var);
                Some(of_gate(Gate::TwoVariables, &name, place(called)))
            }
            CoreKind::List(items) if items.iter().any(|item| item.optional) => {
                Some(of_gate(Gate::Optionals, "?", place("?")))
            }
            CoreKind::Map(pairs) if pairs.iter().any(|pair| pair.optional) => {
                Some(of_gate(Gate::Optionals, "?", place("?")))
            }
            CoreKind::Call { function, target, .. } => {
                let overloads = self.facts.overloads.get(node.id)?;
                let gate = oldest_gate(overloads.iter().map(|id| gate_of_overload(id)))?;
                let is_namespaced = self.facts.namespaced.get(node.id).copied().unwrap_or(false);
                let front = target.as_deref().filter(|_| is_namespaced).and_then(CoreNode::qualified_name);
                let name = front.map_or_else(|| shown_name(function), |front| format!("{front}.{function}"));
                Some(of_gate(gate, &name, place(&name)))
            }
            _ => None,
        }
    }
}

/// The gate that opens first, unless one of the overloads that fit needs none: of a value without a type, any may be meant.
fn oldest_gate(mut gates: impl Iterator<Item = Option<Gate>>) -> Option<Gate> {
    let first = gates.next()??;
    let since =
        |gate: Gate| find_gate(gate).and_then(|fact| fact.new_from).unwrap_or(KubernetesVersion::NEWEST);
    gates.try_fold(first, |oldest, gate| {
        gate.map(|gate| if since(gate) < since(oldest) { gate } else { oldest })
    })
}

fn of_gate(gate: Gate, name: &str, (offset, length): (usize, usize)) -> Requirement {
    let fact = find_gate(gate);
    let (new_from, stored_from) = (fact.and_then(|it| it.new_from), fact.and_then(|it| it.stored_from));
    Requirement { name: name.to_owned(), offset, length, new_from, stored_from }
}

/// The name of a function as people write it.
fn shown_name(function: &str) -> String {
    match function {
        operators::OPT_SELECT => ".?".to_owned(),
        operators::OPT_INDEX => "[?".to_owned(),
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
            format!("{} between types of numbers", function.trim_matches('_'))
        }
        name => name.to_owned(),
    }
}

/// The place and length of a name in an expression: before the parenthesis of its call, or else at it.
fn name_before(name: &str, at: usize, source: &str) -> (usize, usize) {
    let before = source.get(..at).unwrap_or_default().trim_end();
    let offset = if before.ends_with(name) { before.len() - name.len() } else { at };
    let rest = source.get(offset..).unwrap_or_default();
    let first = rest.chars().next().map_or(0, char::len_utf8);
    (offset, if rest.starts_with(name) { name.len() } else { first })
}

/// The word before the parenthesis of a call.
fn word_before(at: usize, source: &str) -> &str {
    let before = source.get(..at).unwrap_or_default().trim_end();
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    before.rsplit(|it: char| !is_part(it)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::check::{TypeEnvironment, check_expression};
    use crate::types::Type;

    #[test]
    fn requirements_are_at_their_names() {
        let env = TypeEnvironment::new().with_variable("self", Type::Dyn);
        let cases = [
            ("true || self.tags.all (k, v, k == v)", "all(k, v, …)", "all"),
            ("self.?mode.hasValue ()", ".?", ".?"),
            ("self.?mode.hasValue ()", "hasValue", "hasValue"),
            ("size(self.namespace) > 1", ".namespace", ".namespace"),
            ("size([?self.?mode]) > 1", "?", "["),
        ];
        for (text, name, written) in cases {
            let checked = check_expression(&crate::parse(text).unwrap(), &env).unwrap();
            let found = checked.find_requirements(text);
            let found =
                found.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("{text}: {found:?}"));
            let end = found.offset + found.length;
            assert_eq!(text.get(found.offset..end), Some(written), "{text}");
        }
    }
}
