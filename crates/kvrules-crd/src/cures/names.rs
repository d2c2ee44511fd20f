//! Cures for names that an expression does not know.

use kvrules_cel::ast::{Expr, ExprKind, operators};
use kvrules_cel::types::DeclarationShape;

use super::{Cure, FaultyExpression};

pub(super) fn cure(faulty: FaultyExpression<'_>) -> Option<Cure> {
    faulty.issue.message.starts_with("undeclared reference to").then_some(())?;
    let name = faulty.quoted();
    let call = calls_of(faulty.root?, name).next();
    if let Some((node, receiver, arguments)) = call {
        return function_cure(faulty, name, node, receiver, arguments);
    }
    if let Some(cure) = library_cure(faulty, name) {
        return Some(cure);
    }
    let offset = faulty.issue.offset;
    let variable = faulty.view.variables.iter().any(|known| known == name).then_some("variables");
    if let Some(root) = variable.or_else(|| own_field(faulty, name)) {
        let cure = Cure::replacement(offset..offset, format!("{root}."));
        return Some(cure.in_words(format!("write `{root}.{name}`")));
    }
    let node = faulty.node()?;
    is_compared(faulty.root?, node).then(|| {
        let text = format!("'{name}'");
        Cure::replacement(node.span.start..node.span.end, text.clone())
            .guess()
            .in_words(format!("put a text in quotation marks: `{text}`"))
            .only_without_other()
    })
}

/// The calls of a function, with their receivers and arguments.
fn calls_of<'e>(
    root: &'e Expr,
    name: &str,
) -> impl Iterator<Item = (&'e Expr, Option<&'e Expr>, &'e [Expr])> + use<'e> {
    let mut found = Vec::new();
    root.visit_nodes(&mut |node| {
        if let ExprKind::Call { function, receiver, args } = &node.kind
            && function == name
        {
            found.push((node, receiver.as_deref(), args.as_slice()));
        }
    });
    found.into_iter()
}

/// The root below which a name is a field: `self`, or `object` in policies.
fn own_field(faulty: FaultyExpression<'_>, name: &str) -> Option<&'static str> {
    match faulty.view.own {
        Some(own) => match &own.shape {
            DeclarationShape::Object(fields) => fields.contains_key(name).then_some("self"),
            _ => None,
        },
        None => ["metadata", "spec", "status", "data"].contains(&name).then_some("object"),
    }
}

/// True for an operand of a comparison, or an item of a list that is written out.
fn is_compared(root: &Expr, node: &Expr) -> bool {
    let mut found = false;
    root.visit_nodes(&mut |other| {
        found |= match &other.kind {
            ExprKind::Call { function, args, .. } => {
                [operators::EQUALS, operators::NOT_EQUALS].contains(&function.as_str())
                    && args.iter().any(|arg| std::ptr::eq(arg, node))
            }
            ExprKind::List(items) => items.iter().any(|item| std::ptr::eq(&raw const item.value, node)),
            _ => false,
        };
    });
    found
}

/// Another way to say what a function of another language says.
fn function_cure(
    faulty: FaultyExpression<'_>,
    name: &str,
    node: &Expr,
    receiver: Option<&Expr>,
    arguments: &[Expr],
) -> Option<Cure> {
    let whole = node.span.start..node.span.end;
    let subject = receiver.or(arguments.first())?;
    let of = faulty.text(subject);
    let rest: Vec<&str> = match receiver {
        Some(_) => arguments.iter().map(|it| faulty.text(it)).collect(),
        None => arguments.iter().skip(1).map(|it| faulty.text(it)).collect(),
    };
    let replace = |text: String| Some(Cure::replacement(whole.clone(), text));
    let rename = |other: &str| replace(format!("{of}.{other}({})", rest.join(", ")));
    let advise = |text: String| Some(Cure::advice(text));
    match (name, rest.as_slice()) {
        ("length" | "len" | "count", []) => replace(format!("size({of})")),
        ("isEmpty" | "empty" | "is_empty", []) => replace(format!("size({of}) == 0")),
        ("any" | "some", [_, _]) => rename("exists"),
        ("every" | "each" | "forall", [_, _]) => rename("all"),
        ("none", [_, _]) => replace(format!("!{of}.exists({})", rest.join(", "))),
        ("lower" | "toLower" | "toLowerCase" | "lowercase", []) => rename("lowerAscii"),
        ("upper" | "toUpper" | "toUpperCase" | "uppercase", []) => rename("upperAscii"),
        ("strip" | "trimSpace", []) => rename("trim"),
        ("replaceAll", [_, _]) => rename("replace"),
        ("substr", _) => rename("substring"),
        ("hasPrefix" | "startswith" | "starts_with", [_]) => rename("startsWith"),
        ("hasSuffix" | "endswith" | "ends_with", [_]) => rename("endsWith"),
        ("match" | "test" | "regexMatch" | "re_match", [_]) => rename("matches"),
        ("includes", [item]) => {
            advise(format!("write `{item} in {of}` for a list, `{of}.contains({item})` for a text"))
        }
        ("hasKey" | "has_key" | "containsKey" | "contains_key", [key]) => replace(format!("{key} in {of}")),
        ("keys", []) => advise(format!("a loop over a map runs over its keys: `{of}.all(key, …)`")),
        ("values", []) => {
            advise(format!("a loop over a map runs over its keys: `{of}.all(key, {of}[key] …)`"))
        }
        ("first", []) => replace(format!("{of}[0]")),
        ("last", []) => replace(format!("{of}[size({of}) - 1]")),
        ("unique" | "uniq" | "isUnique" | "toSet", _) => advise(format!(
            "write `{of}.all(a, {of}.exists_one(b, b == a))`, or set `x-kubernetes-list-type: set`"
        )),
        _ => None,
    }
}

/// Advice about a library that servers do not have.
fn library_cure(faulty: FaultyExpression<'_>, name: &str) -> Option<Cure> {
    match name {
        "regex" | "re" if faulty.source.contains(&format!("{name}.")) => {
            Some(Cure::advice("write `text.matches('…')`, or `text.find('…')`"))
        }
        "lists" | "math" | "strings" | "json" | "yaml" | "proto" | "net"
            if faulty.source.contains(&format!("{name}.")) =>
        {
            Some(Cure::advice(format!("servers have no library `{name}`")))
        }
        _ => None,
    }
}
