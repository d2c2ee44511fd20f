//! The keywords of a JSON Schema as expressions in CEL at the places of a schema with types.

use std::collections::BTreeSet;

use kvrules_cel::types::escape_property;
use kvrules_generate::PlaceStep;
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS, without_ignored_siblings};
use kvrules_rule_set::{ResolvedSchema, SchemaDocument};
use serde_json::{Map, Value as Json, json};

use super::schema_expression::{ANNOTATIONS, Subject, express_schema};

/// Keywords that are one rule together.
const GROUPS: &[&[&str]] = &[
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
    &["minLength", "maxLength"],
    &["minItems", "maxItems"],
    &["minProperties", "maxProperties"],
    &["if", "then", "else"],
];

/// Keywords on the way to other values, and the types, which are those of the subject.
const SPINE: &[&str] = &["type", "properties", "items", "allOf", "$ref", INT_OR_STRING];

/// Formats of OpenAPI that describe numbers and texts without restricting them in validators.
const UNCHECKED_FORMATS: [&str; 6] = ["int32", "int64", "float", "double", "password", "byte"];

/// Keywords of a JSON Schema at a place that are one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordRule {
    /// The JSON pointer to the first of them in the document.
    pub pointer: String,
    /// The place of the values that they are about.
    pub place: Vec<PlaceStep>,
    /// The keywords.
    pub keywords: Vec<String>,
    /// The expression in CEL about such a value, `self`, or the reason why there is none.
    pub expression: Result<String, String>,
}

/// Returns the keywords of a schema in a document as expressions about values whose types another schema gives, such as the definition
/// of a kind whose objects the schema is about. Keywords about fields that `types` does not have are left out.
///
/// ```
/// use kvrules_import::schema_keyword_rules;
/// use serde_json::json;
///
/// let field = |rules: serde_json::Value| json!({"type": "object", "properties": {"n": rules}});
/// let schema = field(json!({"type": "integer", "minimum": 2}));
/// let rules = schema_keyword_rules(&schema, "", &field(json!({"type": "integer"})));
/// assert_eq!((rules.len(), rules[0].expression.as_deref()), (1, Ok("self >= 2")));
/// let rules = schema_keyword_rules(&schema, "", &field(json!({"type": "string"})));
/// assert_eq!(rules[0].expression.as_deref(), Ok("false"));
/// ```
pub fn schema_keyword_rules(document: &Json, pointer: &str, types: &Json) -> Vec<KeywordRule> {
    let document = without_ignored_siblings(document);
    let source = SchemaDocument::new(&document);
    let mut walk = KeywordWalk::new(&source, true);
    walk.visit(pointer, &mut Vec::new(), types, &mut Vec::new());
    walk.rules
}

/// Collects the keywords of a schema by their places.
pub(super) struct KeywordWalk<'s> {
    source: &'s SchemaDocument<'s>,
    /// True if the types are not those of the schema itself.
    has_foreign_types: bool,
    pub(super) rules: Vec<KeywordRule>,
}

impl<'s> KeywordWalk<'s> {
    pub(super) fn new(source: &'s SchemaDocument<'s>, has_foreign_types: bool) -> Self {
        Self { source, has_foreign_types, rules: Vec::new() }
    }

    /// Collects the rules of a schema and below. `around` are the pointers on the way, at which a reference would lead back.
    pub(super) fn visit(
        &mut self,
        pointer: &str,
        place: &mut Vec<PlaceStep>,
        types: &Json,
        around: &mut Vec<String>,
    ) {
        let keywords = match self.source.at_pointer(pointer) {
            Some(Json::Object(keywords)) => keywords,
            Some(Json::Bool(false)) if self.has_foreign_types => {
                let (pointer, keywords) = (pointer.to_owned(), vec!["false".to_owned()]);
                let expression = Ok("false".to_owned());
                self.rules.push(KeywordRule { pointer, place: place.clone(), keywords, expression });
                return;
            }
            _ => return,
        };
        if around.iter().any(|known| known == pointer) {
            if self.has_foreign_types {
                self.leave_out(pointer, place, "$ref", "the schema refers to itself".to_owned());
            }
            return;
        }
        around.push(pointer.to_owned());
        if self.has_foreign_types {
            self.leave_out_unseen(pointer, keywords, place, types);
        }
        self.add_rules(pointer, keywords, place, types);
        self.visit_same(pointer, keywords, place, types, around);
        for (name, _) in keywords.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let Some(below) = types.get("properties").and_then(|fields| fields.get(name)) else { continue };
            place.push(PlaceStep::Field(name.clone()));
            self.visit(&format!("{pointer}/properties/{}", escape_token(name)), place, below, around);
            place.pop();
        }
        for (keyword, of) in [("items", "items"), ("additionalProperties", "additionalProperties")] {
            let Some(below) = types.get(of).filter(|it| it.is_object()) else { continue };
            if keywords.get(keyword).is_some_and(Json::is_object) {
                place.push(PlaceStep::Any);
                self.visit(&format!("{pointer}/{keyword}"), place, below, around);
                place.pop();
            }
        }
        around.pop();
    }

    /// Leaves out keywords about values whose types are not known: keys of maps, and fields of objects that may have any.
    fn leave_out_unseen(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Json>,
        place: &[PlaceStep],
        types: &Json,
    ) {
        let is_open = types.get(PRESERVE_UNKNOWN_FIELDS) == Some(&Json::Bool(true));
        let values = types.get("additionalProperties").filter(|values| **values != Json::Bool(false));
        let own = |of: &Json| of.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
        let (named, known) = (own(&Json::Object(keywords.clone())), own(types));
        let unknown = "the types of the values are not known";
        let is_unseen = |name: &String| !known.contains_key(name);
        if (is_open || values.is_some()) && named.keys().any(is_unseen) {
            self.leave_out(pointer, place, "properties", unknown.to_owned());
        }
        if keywords.get("items").is_some_and(Json::is_object) && types.get("items").is_none() {
            let is_list = is_open || types.get("type").and_then(Json::as_str) == Some("array");
            if is_list {
                self.leave_out(pointer, place, "items", unknown.to_owned());
            }
        }
        // The keyword is about the fields that are not named: all of a map, or none of an object.
        let is_of_all = values.is_some() && named.is_empty();
        let is_of_none = values.is_none() && known.keys().all(|name| named.contains_key(name));
        let others = keywords.get("additionalProperties");
        if others.is_some_and(Json::is_object) && (is_open || !(is_of_all || is_of_none)) {
            self.leave_out(pointer, place, "additionalProperties", unknown.to_owned());
        }
    }

    /// Visits the schemas about the same value: the target of a reference, and all of `allOf`.
    fn visit_same(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Json>,
        place: &mut Vec<PlaceStep>,
        types: &Json,
        around: &mut Vec<String>,
    ) {
        if let Some(reference) = keywords.get("$ref").and_then(Json::as_str) {
            match (self.source.resolve_reference(reference), self.source.pointer_of_reference(reference)) {
                (ResolvedSchema::Schema(_), Some(target)) => self.visit(&target, place, types, around),
                (ResolvedSchema::Unread(reason), _) => self.leave_out(pointer, place, "$ref", reason),
                _ => self.leave_out(pointer, place, "$ref", "the reference is not a path".to_owned()),
            }
        }
        let branches = keywords.get("allOf").and_then(Json::as_array).map_or(0, Vec::len);
        for index in 0..branches {
            self.visit(&format!("{pointer}/allOf/{index}"), place, types, around);
        }
    }

    fn add_rules(&mut self, pointer: &str, keywords: &Map<String, Json>, place: &[PlaceStep], types: &Json) {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for (keyword, value) in keywords {
            let is_spine = SPINE.contains(&keyword.as_str())
                || (keyword == "additionalProperties" && (value.is_object() || *value == Json::Bool(true)));
            let is_read = ANNOTATIONS.contains(&keyword.as_str()) || keyword.starts_with("x-");
            if keyword == "format" && value.as_str().is_some() && !self.is_given(keyword, value, types) {
                self.leave_out(pointer, place, "format", "validators need not check `format`".to_owned());
            }
            if self.add_foreign_rule(pointer, (keyword, value), keywords, (place, types)) {
                continue;
            }
            if is_spine || is_read || done.contains(keyword.as_str()) {
                continue;
            }
            if let ("required", Json::Array(names)) = (keyword.as_str(), value) {
                for (index, name) in names.iter().enumerate() {
                    let own = Map::from_iter([("required".to_owned(), json!([name]))]);
                    self.add_rule(format!("{pointer}/required/{index}"), own, place, types);
                }
                continue;
            }
            let group = GROUPS.iter().find(|group| group.contains(&keyword.as_str()));
            let is_own = |name: &str| name == keyword || group.is_some_and(|group| group.contains(&name));
            let own = keywords.iter().filter(|(name, _)| is_own(name));
            let own: Map<String, Json> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            done.extend(keywords.keys().map(String::as_str).filter(|name| own.contains_key(*name)));
            self.add_rule(format!("{pointer}/{}", escape_token(keyword)), own, place, types);
        }
    }

    /// Adds the rule of a keyword that only restricts values whose types another schema gives. True if the keyword is done.
    fn add_foreign_rule(
        &mut self,
        pointer: &str,
        (keyword, value): (&String, &Json),
        keywords: &Map<String, Json>,
        (place, types): (&[PlaceStep], &Json),
    ) -> bool {
        if !self.has_foreign_types {
            return false;
        }
        let whole = format!("{pointer}/{}", escape_token(keyword));
        match (keyword.as_str(), value) {
            ("type", _) if types.get(INT_OR_STRING).is_none() => {
                let own = Map::from_iter([(keyword.clone(), value.clone())]);
                self.add_rule(whole, own, place, types);
                true
            }
            ("additionalProperties", Json::Bool(false)) => {
                let expression = express_closed(keywords, types);
                if expression.as_deref() != Ok("true") {
                    let keywords = vec![keyword.clone()];
                    self.rules.push(KeywordRule {
                        pointer: whole,
                        place: place.to_vec(),
                        keywords,
                        expression,
                    });
                }
                true
            }
            _ => self.is_given(keyword, value, types),
        }
    }

    /// True if the types that another schema gives imply a keyword, or no validator checks it.
    fn is_given(&self, keyword: &str, value: &Json, types: &Json) -> bool {
        if !self.has_foreign_types {
            return false;
        }
        let is_int_or_string = || {
            let mut branches: Vec<&str> =
                value.as_array().into_iter().flatten().filter_map(|it| it.get("type")?.as_str()).collect();
            branches.sort_unstable();
            types.get(INT_OR_STRING).is_some() && branches == ["integer", "string"]
        };
        match keyword {
            "format" => {
                types.get("format") == Some(value)
                    || value.as_str().is_some_and(|name| UNCHECKED_FORMATS.contains(&name))
            }
            "anyOf" | "oneOf" => is_int_or_string(),
            _ => false,
        }
    }

    /// Adds keywords that are one rule, unless they restrict nothing.
    fn add_rule(&mut self, pointer: String, own: Map<String, Json>, place: &[PlaceStep], types: &Json) {
        let keywords = own.keys().cloned().collect();
        let expression = express_schema(&Json::Object(own), Subject::own(types), self.source);
        if expression.as_deref() != Ok("true") {
            self.rules.push(KeywordRule { pointer, place: place.to_vec(), keywords, expression });
        }
    }

    fn leave_out(&mut self, pointer: &str, place: &[PlaceStep], keyword: &str, reason: String) {
        let pointer = format!("{pointer}/{}", escape_token(keyword));
        let keywords = vec![keyword.to_owned()];
        self.rules.push(KeywordRule { pointer, place: place.to_vec(), keywords, expression: Err(reason) });
    }
}

fn escape_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The absence of all fields that an object without additional fields may not have.
fn express_closed(keywords: &Map<String, Json>, types: &Json) -> Result<String, String> {
    let is_open = types.get(PRESERVE_UNKNOWN_FIELDS) == Some(&Json::Bool(true));
    if is_open || keywords.contains_key("patternProperties") || types.get("additionalProperties").is_some() {
        return Err("keys of maps have no words".to_owned());
    }
    let own = keywords.get("properties").and_then(Json::as_object);
    let fields = types.get("properties").and_then(Json::as_object);
    let mut parts = Vec::new();
    for name in fields.into_iter().flatten().map(|(name, _)| name) {
        if own.is_some_and(|own| own.contains_key(name)) {
            continue;
        }
        let escaped =
            escape_property(name).ok_or_else(|| format!("no expression can name the field `{name}`"))?;
        parts.push(format!("!has(self.{escaped})"));
    }
    Ok(if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(schema: &Json, types: &Json) -> Vec<(String, bool)> {
        let rules = schema_keyword_rules(schema, "", types);
        rules.into_iter().map(|rule| (rule.keywords.join(", "), rule.expression.is_ok())).collect()
    }

    #[test]
    fn keywords_about_values_of_unknown_types_are_left_out() {
        let text = json!({"type": "string"});
        let map = json!({"type": "object", "additionalProperties": text});
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let closed = json!({"type": "object", "properties": {"a": text, "b": text}});
        let named = json!({"properties": {"a": {"maxLength": 2}}});
        let left_out = |keyword: &str| vec![(keyword.to_owned(), false)];
        assert_eq!(found(&named, &map), left_out("properties"));
        assert_eq!(found(&named, &open), left_out("properties"));
        assert_eq!(found(&named, &closed), [("maxLength".to_owned(), true)]);
        let others = json!({"properties": {"a": {}}, "additionalProperties": {"maxLength": 2}});
        assert_eq!(found(&others, &closed), left_out("additionalProperties"));
        assert_eq!(
            found(&json!({"additionalProperties": {"maxLength": 2}}), &map),
            [("maxLength".to_owned(), true)]
        );
        assert_eq!(found(&json!({"items": {"maxLength": 2}}), &json!({"type": "array"})), left_out("items"));
    }

    #[test]
    fn fields_that_a_schema_forbids_are_rules() {
        let types =
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
        let forbids = |schema: Json| schema_keyword_rules(&schema, "", &types).remove(0).expression;
        assert_eq!(forbids(json!({"properties": {"a": false}})).as_deref(), Ok("false"));
        assert_eq!(
            forbids(json!({"properties": {"a": {}}, "additionalProperties": false})).as_deref(),
            Ok("!has(self.b)")
        );
    }
}
