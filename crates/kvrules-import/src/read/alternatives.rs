//! Schemas inside schemas that are about the same value: `allOf`, `anyOf`, `oneOf`, `not`, `if`, and what depends on fields.

use std::rc::Rc;

use kvrules_syntax::{Entry, Node, SyntaxKind};

use super::SchemaReader;
use super::objects::list_names;
use crate::note::ImportProblem;
use crate::shape::{SchemaShape, ShapeGroup, intersect_shapes};

impl<'d> SchemaReader<'d> {
    /// A shape with what the keywords say that hold schemas about the same value.
    pub(super) fn alternatives(
        &mut self,
        node: Node<'d>,
        shape: SchemaShape,
    ) -> Result<SchemaShape, ImportProblem> {
        let mut shape = shape;
        for (keyword, is_one) in [("anyOf", false), ("oneOf", true)] {
            if let Some(list) = self.branches(node, keyword) {
                let branches =
                    list.items().map(|branch| self.shared(branch)).collect::<Result<Vec<_>, _>>()?;
                shape.groups.push(ShapeGroup { is_one, branches, at: list.span() });
            }
        }
        if let Some(not) = node.get("not") {
            let not = self.shared(not)?;
            shape.nots.push(not);
        }
        self.condition(node, &mut shape)?;
        self.dependencies(node, &mut shape)?;
        if let Some(list) = self.branches(node, "allOf") {
            for branch in list.items() {
                let branch = self.schema(branch)?;
                shape = intersect_shapes(shape, &branch);
            }
        }
        Ok(shape)
    }

    fn branches(&mut self, node: Node<'d>, keyword: &'static str) -> Option<Node<'d>> {
        let list = node.get(keyword)?;
        let is_some = list.items().next().is_some();
        if !is_some {
            self.add_error(
                list.span(),
                keyword,
                &format!("`{keyword}` must be a list of schemas; it is left out"),
            );
        }
        is_some.then_some(list)
    }

    /// `if` holds and `then` does, or it does not and `else` does.
    fn condition(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        let Some(given) = node.get("if") else { return Ok(()) };
        if node.get("then").is_none() && node.get("else").is_none() {
            return Ok(());
        }
        let condition = self.shared(given)?;
        let at = given.span();
        if let Some(then) = node.get("then") {
            let branches = vec![Rc::new(SchemaShape::not(condition.clone())), self.shared(then)?];
            shape.groups.push(ShapeGroup { is_one: false, branches, at });
        }
        if let Some(other) = node.get("else") {
            let branches = vec![condition, self.shared(other)?];
            shape.groups.push(ShapeGroup { is_one: false, branches, at });
        }
        Ok(())
    }

    /// `dependencies` and `dependentSchemas`: where a field is, something holds.
    fn dependencies(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        for keyword in ["dependencies", "dependentSchemas"] {
            for Entry { key, value: given } in
                node.get(keyword).into_iter().flat_map(Node::entries_with_merged)
            {
                let name = key.text().to_owned();
                match given.kind() {
                    SyntaxKind::List => shape.object.dependents.push((name, list_names(given))),
                    SyntaxKind::String => shape.object.dependents.push((name, vec![given.text().to_owned()])),
                    _ => {
                        let without = SchemaShape::not(Rc::new(SchemaShape::requiring(&[name], key.span())));
                        // Either the field is absent, or the schema holds.
                        let mut about = self.schema(given)?;
                        about.at = given.span();
                        let branches = vec![Rc::new(without), Rc::new(about)];
                        shape.groups.push(ShapeGroup { is_one: false, branches, at: key.span() });
                    }
                }
            }
        }
        Ok(())
    }
}
