//! Cures for fields that a value does not have.

use kvrules_cel::ast::{Expr, ExprKind};
use kvrules_cel::types::{DeclarationShape, TypeDeclaration};

use super::{Cure, FaultyExpression};
use crate::text::did_you_mean;

pub(super) fn cure(faulty: FaultyExpression<'_>) -> Option<Cure> {
    let words = &faulty.issue.message;
    if words.starts_with("undefined field") {
        return undefined_field(faulty);
    }
    words.ends_with("does not support field selection").then(|| selection_of_scalar(faulty)).flatten()
}

fn undefined_field(faulty: FaultyExpression<'_>) -> Option<Cure> {
    let node = faulty.node()?;
    let (ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. }) = &node.kind else {
        return None;
    };
    if let ExprKind::Ident(name) = &operand.kind
        && name == "variables"
    {
        return Some(undeclared_variable(faulty, field));
    }
    let view = faulty.view;
    let text = faulty.text(operand);
    if view.field.is_empty() && text == "self.metadata" {
        return Some(Cure::advice(
            "rules of a definition can read only `metadata.name` and `metadata.generateName`; a ValidatingAdmissionPolicy reads all \
             of `object.metadata`",
        ));
    }
    let declared = declaration_of(operand, view.own?)?;
    let DeclarationShape::Object(fields) = &declared.shape else { return None };
    let below: Vec<&str> = fields
        .iter()
        .filter(|(_, child)| matches!(&child.shape, DeclarationShape::Object(of) if of.contains_key(field)))
        .map(|(name, _)| name.as_str())
        .collect();
    let is_whole = text == "self" && view.field.is_empty();
    let way = below.iter().find(|name| is_whole && **name == "spec").or(match below.as_slice() {
        [one] => Some(one),
        _ => None,
    });
    if let Some(way) = way {
        let place = operand.span.end..operand.span.end;
        let cure = Cure::replacement(place, format!(".{way}")).guess();
        let why = if is_whole { "`self` is the whole object: " } else { "" };
        return Some(cure.in_words(format!("{why}did you mean `{text}.{way}.{field}`?")));
    }
    if text == "self" && field == view.field {
        let own = format!("`self` is `{field}` already: leave `.{field}` out");
        let range = operand.span.end..node.span.end;
        let is_select = matches!(node.kind, ExprKind::Select { .. });
        let cure = Cure::replacement(range, String::new()).guess().in_words(own.clone());
        return Some(if is_select { cure } else { Cure::advice(own) });
    }
    if let Some(near) = did_you_mean(field, fields.keys().map(String::as_str)) {
        return Some(Cure::advice(near));
    }
    let place = if is_whole { "the schema".to_owned() } else { format!("`{text}`") };
    Some(Cure::advice(format!(
        "declare `{field}` under `properties` of {place}; rules cannot read fields that are only kept by \
         `x-kubernetes-preserve-unknown-fields`"
    )))
}

/// The type of a path from `self`.
pub(super) fn declaration_of<'d>(expr: &Expr, own: &'d TypeDeclaration) -> Option<&'d TypeDeclaration> {
    match &expr.kind {
        ExprKind::Ident(name) if name == "self" || name == "oldSelf" => Some(own),
        ExprKind::Select { operand, field } => match &declaration_of(operand, own)?.shape {
            DeclarationShape::Object(fields) => fields.get(field),
            DeclarationShape::Map(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// A variable of a policy that is declared below, or nowhere.
fn undeclared_variable(faulty: FaultyExpression<'_>, name: &str) -> Cure {
    let variables = faulty.view.variables;
    if variables.iter().any(|known| known == name) {
        return Cure::advice(format!(
            "`{name}` is declared here or further below: a variable can use only those above it"
        ));
    }
    if let Some(near) = did_you_mean(name, variables.iter().map(String::as_str)) {
        return Cure::advice(near);
    }
    Cure::advice(format!("declare `{name}` in `spec.variables`, above what uses it"))
}

/// A field of a list, a string or a number.
fn selection_of_scalar(faulty: FaultyExpression<'_>) -> Option<Cure> {
    let node = faulty.node()?;
    let (ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. }) = &node.kind else {
        return None;
    };
    let text = faulty.text(operand);
    if ["size", "length", "count", "len"].contains(&field.as_str()) {
        return Some(
            Cure::replacement(operand.span.end..node.span.end, ".size()".to_owned())
                .in_words(format!("write `{text}.size()`")),
        );
    }
    if faulty.quoted().starts_with("list(") {
        return Some(Cure::advice(format!(
            "a list has no fields: write `{text}.all(item, item.{field} …)` for every item, or `exists` for one"
        )));
    }
    // labels.app.kubernetes.io/name
    let map = key_with_dots(faulty, operand);
    Some(Cure::advice(match map {
        Some(map) => {
            format!(
                "a key with dots or slashes is written in brackets: `{map}['…']`, tested by `'…' in {map}`"
            )
        }
        None => format!("`{text}` has no fields: it is a {}", faulty.quoted()),
    }))
}

/// The map whose key a path seems to spell with dots.
fn key_with_dots<'e>(faulty: FaultyExpression<'e>, expr: &'e Expr) -> Option<&'e str> {
    let ExprKind::Select { operand, .. } = &expr.kind else { return None };
    let is_map = |of: &Expr| match (faulty.view.own, of.qualified_name()) {
        (Some(own), _) if declaration_of(of, own).is_some() => {
            declaration_of(of, own).is_some_and(|it| matches!(it.shape, DeclarationShape::Map(_)))
        }
        (_, Some(name)) => name.ends_with(".labels") || name.ends_with(".annotations"),
        _ => false,
    };
    if is_map(operand) { Some(faulty.text(operand)) } else { key_with_dots(faulty, operand) }
}
