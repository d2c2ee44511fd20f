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
    /// assert_eq!((needed[0].name.as_str(), needed[0].offset), ("isCIDR", 14));
    /// assert_eq!(needed[0].new_from, "1.31".parse().ok());
    /// ```
    pub fn find_requirements(&self, source: &str) -> Vec<Requirement> {
        let mut found: Vec<Requirement> = Vec::new();
        self.core.root.visit_nodes(&mut |node| {
            found.extend(self.requirement_of(node).map(|it| it.placed_in(source)));
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

    fn requirement_of(&self, node: &CoreNode) -> Option<Requirement> {
        node.origin?;
        match &node.kind {
            CoreKind::Select { field, .. } if escape_word(field).is_some() => Some(Requirement {
                name: format!(".{field}"),
                offset: node.at,
                new_from: Some(RESERVED_WORDS),
                stored_from: Some(RESERVED_WORDS),
            }),
            CoreKind::Loop(fold) if fold.var2.is_some() => {
                Some(of_gate(Gate::TwoVariables, "a macro with two variables", node.at))
            }
            CoreKind::List(items) if items.iter().any(|item| item.optional) => {
                Some(of_gate(Gate::Optionals, "?", node.at))
            }
            CoreKind::Map(pairs) if pairs.iter().any(|pair| pair.optional) => {
                Some(of_gate(Gate::Optionals, "?", node.at))
            }
            CoreKind::Call { function, target, .. } => {
                let overloads = self.facts.overloads.get(node.id)?;
                let gate = oldest_gate(overloads.iter().map(|id| gate_of_overload(id)))?;
                let is_namespaced = self.facts.namespaced.get(node.id).copied().unwrap_or(false);
                let front = target.as_deref().filter(|_| is_namespaced).and_then(CoreNode::qualified_name);
                let name = front.map_or_else(|| shown_name(function), |front| format!("{front}.{function}"));
                Some(of_gate(gate, &name, node.at))
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

fn of_gate(gate: Gate, name: &str, offset: usize) -> Requirement {
    let fact = find_gate(gate);
    let (new_from, stored_from) = (fact.and_then(|it| it.new_from), fact.and_then(|it| it.stored_from));
    Requirement { name: name.to_owned(), offset, new_from, stored_from }
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

impl Requirement {
    /// At the name instead of the parenthesis after it.
    fn placed_in(self, source: &str) -> Self {
        let before = source.get(..self.offset).unwrap_or_default().trim_end();
        let offset = if before.ends_with(&self.name) { before.len() - self.name.len() } else { self.offset };
        Self { offset, ..self }
    }
}
