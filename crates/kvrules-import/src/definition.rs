//! The definition around a structural schema.

use serde_json::{Value, json};

/// Names of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionNames {
    /// The API group, such as `example.com`.
    pub group: Option<String>,
    /// The version, such as `v1`.
    pub version: Option<String>,
    /// `Namespaced` or `Cluster`.
    pub scope: Option<String>,
    /// The kind, such as `Flavor`.
    pub kind: Option<String>,
    /// The name in URLs, such as `flavors`.
    pub plural: Option<String>,
    /// The name on the command line, such as `flavor`.
    pub singular: Option<String>,
    /// The kind of lists, such as `FlavorList`.
    pub list_kind: Option<String>,
}

impl DefinitionNames {
    /// These names, completed by those of another.
    #[must_use]
    pub fn with_fallback(self, other: Self) -> Self {
        Self {
            group: self.group.or(other.group),
            version: self.version.or(other.version),
            scope: self.scope.or(other.scope),
            kind: self.kind.or(other.kind),
            plural: self.plural.or(other.plural),
            singular: self.singular.or(other.singular),
            list_kind: self.list_kind.or(other.list_kind),
        }
    }
}

/// A name that no definition can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidName {
    /// Kind of the name: `group`, `version`, `kind`, `plural`, `scope`.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// Description of a valid name of that kind.
    pub expected: &'static str,
}

/// The CustomResourceDefinition of a structural schema.
///
/// Missing names get a default: the group is `example.com`, the version `v1`, the scope `Namespaced`, and the plural comes
/// from the kind, which is `Resource` where nothing else is known.
///
/// ```
/// use kvrules_import::{DefinitionNames, build_definition};
///
/// let names = DefinitionNames { kind: Some("Policy".to_owned()), ..DefinitionNames::default() };
/// let made = build_definition(&serde_json::json!({"type": "object"}), &names)?;
/// assert_eq!(made["metadata"]["name"], "policies.example.com");
/// # Ok::<(), kvrules_import::InvalidName>(())
/// ```
pub fn build_definition(schema: &Value, names: &DefinitionNames) -> Result<Value, InvalidName> {
    let given = |name: &Option<String>, usual: &str| name.clone().unwrap_or_else(|| usual.to_owned());
    let (group, version) = (given(&names.group, "example.com"), given(&names.version, "v1"));
    let (scope, kind) = (given(&names.scope, "Namespaced"), given(&names.kind, "Resource"));
    let singular = given(&names.singular, &kind.to_lowercase());
    let plural = given(&names.plural, &plural_of(&singular));
    let list_kind = given(&names.list_kind, &format!("{kind}List"));
    let is_subdomain = group.contains('.') && group.split('.').all(is_label);
    let is_kind =
        kind.starts_with(|first: char| first.is_ascii_alphabetic()) && is_label(&kind.to_lowercase());
    let checks = [
        (is_subdomain, "group", &group, "a domain in lower case, such as `example.com`"),
        (is_label(&version), "version", &version, "a word in lower case, such as `v1`"),
        (is_kind, "kind", &kind, "a word in camel case, such as `NetworkPolicy`"),
        (is_label(&plural), "plural", &plural, "a word in lower case, such as `policies`"),
        (matches!(scope.as_str(), "Namespaced" | "Cluster"), "scope", &scope, "`Namespaced` or `Cluster`"),
    ];
    if let Some((_, what, name, expected)) = checks.into_iter().find(|(is_right, ..)| !is_right) {
        return Err(InvalidName { what, name: name.clone(), expected });
    }
    Ok(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "singular": singular, "kind": kind, "listKind": list_kind},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    }))
}

/// A document as YAML that Kubernetes takes for the same: what is a boolean or a number for its YAML 1.1 is in
/// quotation marks.
///
/// ```
/// let schema = serde_json::json!({"type": "string", "enum": ["on", "up"]});
/// assert_eq!(kvrules_import::to_yaml(&schema), "type: string\nenum:\n- \"on\"\n- up\n");
/// ```
pub fn to_yaml(document: &Value) -> String {
    // YAML can express every JSON value.
    kvrules_syntax::to_yaml(document).unwrap_or_default()
}

/// True if a text is a label of DNS.
fn is_label(text: &str) -> bool {
    let is_end =
        |letter: Option<char>| letter.is_some_and(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    text.len() <= 63
        && is_end(text.chars().next())
        && is_end(text.chars().last())
        && text.chars().all(|letter| letter == '-' || is_end(Some(letter)))
}

fn plural_of(singular: &str) -> String {
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if singular.ends_with(['s', 'x', 'z']) || singular.ends_with("ch") => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}
