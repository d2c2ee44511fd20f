//! The places of schemas in an object and in a definition.

use kvrules_apiserver::definition::keyword_value;
use kvrules_crd::push_pointer;
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value as Json;

/// A schema and its places: in the object, and in the definition.
#[derive(Clone, Debug)]
pub(super) struct SchemaPlace<'a> {
    pub(super) node: &'a Json,
    /// The path of the values from the object, such as `spec.disks[]`.
    pub(super) path: String,
    /// True if an update can remove it, or an object that it is in.
    pub(super) is_optional: bool,
    pub(super) pointer: String,
}

/// A step from a schema to one below it.
enum PlaceWay<'a> {
    Property(&'a str, &'a Json),
    /// A keyword, and its sign in paths.
    Inner(&'static str, &'static str),
}

/// The keywords of the schemas of items and of the values of a map, with their signs in paths.
const INNER: [(&str, &str); 2] = [("items", "[]"), ("additionalProperties", ".*")];

impl<'a> SchemaPlace<'a> {
    /// The schema of an object under a JSON pointer.
    pub(super) fn of_object(schema: &'a Json, pointer: String) -> Self {
        Self { node: schema, path: String::new(), is_optional: false, pointer }
    }

    /// The fields of an object, with their names.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&'a String, Self)> {
        let properties =
            keyword_value(self.node, "properties").and_then(Json::as_object).into_iter().flatten();
        properties.map(|(name, node)| (name, self.property(name, node)))
    }

    /// The places with rules at and below this one, outer ones first.
    pub(super) fn places_with_rules(&self) -> Vec<Self> {
        let mut found = Vec::new();
        self.collect_rules(self.node, &mut Vec::new(), &mut found);
        found
    }

    /// Most places have no rules, so that only the way is kept.
    fn collect_rules(&self, node: &'a Json, way: &mut Vec<PlaceWay<'a>>, found: &mut Vec<Self>) {
        let rules = keyword_value(node, VALIDATIONS).and_then(Json::as_array);
        if rules.is_some_and(|rules| !rules.is_empty()) {
            found.extend(way.iter().try_fold(self.clone(), |place, step| match step {
                PlaceWay::Property(name, node) => Some(place.property(name, node)),
                PlaceWay::Inner(keyword, sign) => place.inner(keyword, sign),
            }));
        }
        for (name, below) in keyword_value(node, "properties").and_then(Json::as_object).into_iter().flatten()
        {
            way.push(PlaceWay::Property(name, below));
            self.collect_rules(below, way, found);
            way.pop();
        }
        for (keyword, sign) in INNER {
            if let Some(below) = keyword_value(node, keyword).filter(|below| below.is_object()) {
                way.push(PlaceWay::Inner(keyword, sign));
                self.collect_rules(below, way, found);
                way.pop();
            }
        }
    }

    fn property(&self, name: &str, node: &'a Json) -> Self {
        let is_plain = !name.is_empty() && !name.contains(['.', '[', ']', '/', '\'', ' ', '*']);
        let path = match (is_plain, self.path.is_empty()) {
            (true, true) => name.to_owned(),
            (true, false) => [&self.path, ".", name].concat(),
            (false, _) => format!("{}['{name}']", self.path),
        };
        let mut pointer = String::with_capacity(self.pointer.len() + "/properties/".len() + name.len());
        pointer.extend([&self.pointer, "/properties"]);
        push_pointer(&mut pointer, name);
        let required = keyword_value(self.node, "required").and_then(Json::as_array);
        let is_optional = self.is_optional
            || !required.into_iter().flatten().any(|required| required.as_str() == Some(name));
        Self { node, path, is_optional, pointer }
    }

    /// The end of the path, behind that of an object.
    pub(super) fn short_name(&self, below: &str) -> String {
        self.path.strip_prefix(below).unwrap_or(&self.path).trim_start_matches('.').to_owned()
    }

    /// The name of the field that has the value, or its items or values.
    pub(super) fn last_name(&self) -> &str {
        let path = self.path.trim_end_matches("[]").trim_end_matches(".*");
        path.rsplit(['.', '\'']).find(|part| !part.is_empty()).unwrap_or_default()
    }

    /// The schema of items or of the values of a map.
    fn inner(&self, keyword: &str, sign: &str) -> Option<Self> {
        let node = keyword_value(self.node, keyword).filter(|node| node.is_object())?;
        Some(Self {
            node,
            path: format!("{}{sign}", self.path),
            is_optional: true,
            pointer: format!("{}/{keyword}", self.pointer),
        })
    }

    /// The schemas of items and of the values of a map.
    pub(super) fn inner_places(&self) -> impl Iterator<Item = Self> {
        INNER.into_iter().filter_map(|(keyword, sign)| self.inner(keyword, sign))
    }
}
