//! The names that an expression may use.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::functions::kyverno;
use crate::kubernetes::{CelEngine, Dialect, Gate, gate_of_type};
use crate::types::{Type, TypeDeclaration, escape_word, message_type};

/// Variables and object types that an expression can see.
#[derive(Clone, Debug, Default)]
pub struct TypeEnvironment {
    variables: BTreeMap<String, Type>,
    /// Shared, since rules of one node differ in their variables only.
    objects: Arc<HashMap<String, BTreeMap<String, Type>>>,
    dialect: Dialect,
}

/// The types that have a name of their own in expressions.
const TYPE_NAMES: &[(&str, Type)] = &[
    ("bool", Type::Bool),
    ("bytes", Type::Bytes),
    ("double", Type::Double),
    ("int", Type::Int),
    ("null_type", Type::Null),
    ("string", Type::String),
    ("uint", Type::Uint),
];

/// The types of Kubernetes' libraries.
const LIBRARY_TYPES: &[&str] = &[
    "kubernetes.Quantity",
    "kubernetes.URL",
    "kubernetes.Semver",
    "kubernetes.NamedFormat",
    "net.IP",
    "net.CIDR",
];

impl TypeEnvironment {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the names in a rule of a schema: `self` and `oldSelf`, which is an optional when `optional_old_self`.
    pub fn for_rule(decl: &TypeDeclaration, optional_old_self: bool) -> Self {
        let old = if optional_old_self { Type::optional_of(decl.ty.clone()) } else { decl.ty.clone() };
        Self::new()
            .with_variable("self", decl.ty.clone())
            .with_variable("oldSelf", old)
            .with_declaration(decl)
    }

    /// Uses the functions of a server.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Declares the values that an engine adds, and uses its functions.
    #[must_use]
    pub fn with_engine(mut self, engine: CelEngine) -> Self {
        self.dialect = Dialect::of_engine(engine);
        if engine == CelEngine::Server {
            return self;
        }
        for (name, ty) in kyverno::VALUES {
            self.variables.insert(name.to_owned(), Type::from_signature(ty, &mut |_| Type::Dyn));
        }
        let texts = || Type::list_of(Type::String);
        let fields = |fields: [(&str, Type); 2]| {
            fields.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect::<BTreeMap<_, _>>()
        };
        let account = fields([("Name", Type::String), ("Namespace", Type::String)]);
        let exception = fields([("allowedImages", texts()), ("allowedValues", texts())]);
        self.with_object_type(kyverno::SERVICE_ACCOUNT, account)
            .with_object_type(kyverno::EXCEPTION, exception)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Adds a variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, ty: Type) -> Self {
        self.variables.insert(name.to_owned(), ty);
        self
    }

    /// Adds an object type with its fields, by their escaped names.
    #[must_use]
    pub fn with_object_type(mut self, name: &str, fields: BTreeMap<String, Type>) -> Self {
        Arc::make_mut(&mut self.objects).insert(name.to_owned(), fields);
        self
    }

    /// Adds the object types at and below a declaration.
    #[must_use]
    pub fn with_declaration(mut self, decl: &TypeDeclaration) -> Self {
        let objects = Arc::make_mut(&mut self.objects);
        decl.visit_objects(&mut |name, fields| {
            let types = fields.iter().map(|(field, decl)| (field.clone(), decl.ty.clone())).collect();
            objects.insert(name.to_owned(), types);
        });
        self
    }

    /// Returns the names of the fields of an object type, escaped; empty for an unknown type.
    ///
    /// ```
    /// use kvrules_cel::check::{TypeEnvironment, check_expression};
    /// use kvrules_cel::types::declare_schema;
    /// let schema = serde_json::json!({"type": "object", "properties": {"depth": {"type": "integer"}}});
    /// let env = TypeEnvironment::for_rule(&declare_schema(&schema, false).unwrap(), false);
    /// let issues = check_expression(&kvrules_cel::parse("self.dept > 1").unwrap(), &env).unwrap_err();
    /// let lacking = issues[0].lacking_type.as_deref().unwrap();
    /// assert_eq!(env.field_names(lacking).collect::<Vec<_>>(), ["depth"]);
    /// ```
    pub fn field_names(&self, object: &str) -> impl Iterator<Item = &str> {
        self.objects.get(object).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// The type of a variable, or `type(T)` of the name of a type.
    pub(super) fn find_variable(&self, name: &str) -> Option<Type> {
        if let Some(ty) = self.variables.get(name) {
            return Some(ty.clone());
        }
        let of = |ty: Type| Some(Type::Type(Some(Arc::new(ty))));
        match name {
            "dyn" => return of(Type::Dyn),
            "list" => return of(Type::list_of(Type::Dyn)),
            "map" => return of(Type::map_of(Type::Dyn, Type::Dyn)),
            "type" => return of(Type::Type(None)),
            "optional_type" if self.dialect.has_gate(Gate::Optionals) => {
                return of(Type::optional_of(Type::Dyn));
            }
            _ => {}
        }
        if let Some((_, ty)) = TYPE_NAMES.iter().find(|(known, _)| *known == name) {
            return of(ty.clone());
        }
        if let Some(ty) = message_type(name) {
            return of(ty);
        }
        let has_type = || gate_of_type(name).is_none_or(|gate| self.dialect.has_gate(gate));
        if LIBRARY_TYPES.contains(&name) && has_type() {
            return of(Type::from_library_name(name));
        }
        self.objects.contains_key(name).then(|| Type::Type(Some(Arc::new(Type::Object(name.into())))))
    }

    /// The type of a field of an object type.
    pub(super) fn find_field(&self, object: &str, field: &str) -> FieldLookup {
        match self.objects.get(object) {
            None => FieldLookup::NoSuchObject,
            Some(fields) => {
                // After a dot the grammar takes a reserved word as it is, although the field is declared by its escaped name.
                let word = || fields.get(&escape_word(field)?).filter(|_| self.dialect.reads_reserved_words);
                let ty = fields.get(field).or_else(word);
                ty.cloned().map_or(FieldLookup::NoSuchField, FieldLookup::Found)
            }
        }
    }
}

/// Result of a field lookup.
pub(super) enum FieldLookup {
    Found(Type),
    NoSuchField,
    NoSuchObject,
}
