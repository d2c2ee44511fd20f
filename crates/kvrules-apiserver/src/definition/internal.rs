//! A definition as the server holds it while it validates: with defaults, and with what all versions share in one place.

use serde_json::Value as Json;

use crate::decode::decode_value;
use crate::decode::definition_type::{COLUMN, SELECTABLE, SUBRESOURCES};
use crate::decode::go_type::GoType;
use crate::structural::have_same_meaning;

/// A definition after decoding, defaulting and conversion.
// apiextensions v1/conversion.go, Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec
#[derive(Debug)]
pub(super) struct Definition<'a> {
    pub(super) metadata: Json,
    pub(super) group: &'a str,
    pub(super) scope: &'a str,
    pub(super) names: ResourceNames,
    pub(super) versions: Vec<DefinitionVersion<'a>>,
    /// Parts that all versions share.
    pub(super) shared: VersionParts<'a>,
    pub(super) conversion: ConversionSpec<'a>,
    pub(super) preserves_unknown_fields: bool,
    pub(super) status: &'a Json,
    pub(super) spec: &'a Json,
}

/// The names of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ResourceNames {
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
}

/// A version of a definition.
#[derive(Debug)]
pub(super) struct DefinitionVersion<'a> {
    pub(super) name: &'a str,
    pub(super) is_served: bool,
    pub(super) is_storage: bool,
    pub(super) is_deprecated: bool,
    pub(super) warning: Option<&'a str>,
    /// Parts that are not shared.
    pub(super) parts: VersionParts<'a>,
}

/// Parts of a version, or those shared by all versions.
#[derive(Clone, Debug, Default)]
pub(super) struct VersionParts<'a> {
    /// The object around `openAPIV3Schema`.
    pub(super) validation: Option<&'a Json>,
    pub(super) subresources: Option<&'a Json>,
    pub(super) columns: Vec<&'a Json>,
    pub(super) selectable_fields: Vec<&'a Json>,
}

/// Conversion of objects between versions.
#[derive(Debug)]
pub(super) struct ConversionSpec<'a> {
    pub(super) strategy: &'a str,
    pub(super) client: Option<&'a Json>,
    pub(super) review_versions: Vec<&'a str>,
}

impl<'a> VersionParts<'a> {
    pub(super) fn schema(&self) -> Option<&'a Json> {
        object_member(self.validation?, "openAPIV3Schema")
    }

    pub(super) fn has_status(&self) -> bool {
        self.subresources.is_some_and(|subresources| object_member(subresources, "status").is_some())
    }

    fn of_version(version: &'a Json) -> Self {
        Self {
            validation: object_member(version, "schema"),
            subresources: object_member(version, "subresources"),
            columns: list_member(version, "additionalPrinterColumns").collect(),
            selectable_fields: list_member(version, "selectableFields").collect(),
        }
    }
}

impl<'a> Definition<'a> {
    pub(super) fn new(document: &'a Json) -> Self {
        const NOTHING: &Json = &Json::Null;
        let spec = document.get("spec").unwrap_or(NOTHING);
        let mut versions: Vec<DefinitionVersion<'a>> =
            list_member(spec, "versions").map(read_version).collect();
        let shared = take_shared_parts(&mut versions);
        Self {
            metadata: document.get("metadata").cloned().unwrap_or_default(),
            group: text_member(spec, "group"),
            scope: text_member(spec, "scope"),
            names: ResourceNames::of_spec(spec.get("names").unwrap_or(NOTHING)),
            versions,
            shared,
            conversion: read_conversion(spec),
            preserves_unknown_fields: bool_member(spec, "preserveUnknownFields"),
            status: document.get("status").unwrap_or(NOTHING),
            spec,
        }
    }

    /// The name of the first version, which the server keeps in `spec.version`.
    // apiextensions v1/conversion.go copies it there, so an error about it is reported twice.
    pub(super) fn first_version(&self) -> &'a str {
        self.versions.first().map(|version| version.name).unwrap_or_default()
    }

    /// The version that objects are stored in; the first of several.
    pub(super) fn storage_version(&self) -> Option<&'a str> {
        self.versions.iter().find(|version| version.is_storage).map(|version| version.name)
    }

    /// Every schema.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Json> {
        self.shared.schema().into_iter().chain(self.versions.iter().filter_map(|it| it.parts.schema()))
    }

    /// The schema of a version in its enclosing object: null if the version has no schema, `None` without such a
    /// version.
    // apiextensions helpers.go, GetSchemaForVersion
    pub(super) fn validation_of(&self, name: &str) -> Option<&'a Json> {
        if self.versions.iter().all(|version| version.parts.validation.is_none()) {
            return Some(self.shared.validation.unwrap_or(&Json::Null));
        }
        let version = self.versions.iter().find(|version| version.name == name)?;
        Some(version.parts.validation.unwrap_or(&Json::Null))
    }
}

impl ResourceNames {
    /// Reads names as they are written.
    pub(super) fn new(names: &Json) -> Self {
        let text = |name: &str| text_member(names, name).to_owned();
        let list =
            |name: &str| list_member(names, name).filter_map(Json::as_str).map(str::to_owned).collect();
        Self {
            plural: text("plural"),
            singular: text("singular"),
            kind: text("kind"),
            list_kind: text("listKind"),
            short_names: list("shortNames"),
            categories: list("categories"),
        }
    }

    // apiextensions v1/defaults.go, SetDefaults_CustomResourceDefinitionSpec
    fn of_spec(names: &Json) -> Self {
        let mut names = Self::new(names);
        if names.singular.is_empty() {
            names.singular = names.kind.to_lowercase();
        }
        if names.list_kind.is_empty() && !names.kind.is_empty() {
            names.list_kind = format!("{}List", names.kind);
        }
        names
    }
}

fn read_version(version: &Json) -> DefinitionVersion<'_> {
    DefinitionVersion {
        name: text_member(version, "name"),
        is_served: bool_member(version, "served"),
        is_storage: bool_member(version, "storage"),
        is_deprecated: bool_member(version, "deprecated"),
        warning: version.get("deprecationWarning").and_then(Json::as_str),
        parts: VersionParts::of_version(version),
    }
}

/// Takes out of versions what is the same in all of them.
// The same function of v1/conversion.go. Nothing equal may stay per version: validation.go, hasIdenticalPerVersionSchema
// and its neighbours reject that.
fn take_shared_parts<'a>(versions: &mut [DefinitionVersion<'a>]) -> VersionParts<'a> {
    const COLUMNS: GoType = GoType::List(&GoType::Struct(&COLUMN));
    const FIELDS: GoType = GoType::List(&GoType::Struct(&SELECTABLE));
    let Some(first) = versions.first().map(|version| version.parts.clone()) else {
        return VersionParts::default();
    };
    // Equal text decodes to equal values, so decode only if the text differs.
    let same = |written: &dyn Fn(&VersionParts<'a>) -> Vec<&'a Json>,
                decoded: &dyn Fn(&[&'a Json]) -> Option<Json>| {
        let expected = written(&first);
        versions.iter().skip(1).all(|version| {
            let found = written(&version.parts);
            found == expected || decoded(&found) == decoded(&expected)
        })
    };
    let of_struct = |values: &[&'a Json], of| decode_value(values.first()?, GoType::Pointer(of));
    let list = |values: &[&'a Json], of| decode_value(&values.iter().copied().cloned().collect::<Json>(), of);
    let expected = first.validation;
    let same_schema =
        versions.iter().skip(1).all(|version| is_same_validation(version.parts.validation, expected));
    let same_subresources =
        same(&|parts| parts.subresources.into_iter().collect(), &|values| of_struct(values, &SUBRESOURCES));
    let same_columns = same(&|parts| parts.columns.clone(), &|values| list(values, COLUMNS));
    // Versions share selectable fields only if they share the schema.
    let same_fields =
        same_schema && same(&|parts| parts.selectable_fields.clone(), &|values| list(values, FIELDS));
    let mut shared = first;
    for version in versions {
        let parts = &mut version.parts;
        parts.validation = parts.validation.filter(|_| !same_schema);
        parts.subresources = parts.subresources.filter(|_| !same_subresources);
        if same_columns {
            parts.columns.clear();
        }
        if same_fields {
            parts.selectable_fields.clear();
        }
    }
    shared.validation = shared.validation.filter(|_| same_schema);
    shared.subresources = shared.subresources.filter(|_| same_subresources);
    if !same_columns {
        shared.columns.clear();
    }
    if !same_fields {
        shared.selectable_fields.clear();
    }
    shared
}

/// True if the objects around two schemas are equivalent.
// apimachinery api/equality, Semantic.DeepEqual: compares decoded values, so spelling does not count.
fn is_same_validation(one: Option<&Json>, other: Option<&Json>) -> bool {
    match (one, other) {
        (Some(one @ Json::Object(_)), Some(other @ Json::Object(_))) => {
            match (object_member(one, "openAPIV3Schema"), object_member(other, "openAPIV3Schema")) {
                (Some(one), Some(other)) => have_same_meaning(one, other),
                (one, other) => one.is_none() && other.is_none(),
            }
        }
        _ => one == other,
    }
}

// apiextensions v1/conversion.go, Convert_v1_CustomResourceConversion_To_apiextensions_CustomResourceConversion
fn read_conversion(spec: &Json) -> ConversionSpec<'_> {
    let Some(conversion) = object_member(spec, "conversion") else {
        return ConversionSpec { strategy: "None", client: None, review_versions: Vec::new() };
    };
    let webhook = object_member(conversion, "webhook");
    ConversionSpec {
        strategy: text_member(conversion, "strategy"),
        client: webhook.and_then(|webhook| object_member(webhook, "clientConfig")),
        review_versions: webhook
            .into_iter()
            .flat_map(|webhook| list_member(webhook, "conversionReviewVersions"))
            .map(|version| version.as_str().unwrap_or_default())
            .collect(),
    }
}

/// The members of an object that is there.
pub(super) fn object_member<'a>(object: &'a Json, name: &str) -> Option<&'a Json> {
    object.get(name).filter(|value| !value.is_null())
}

pub(super) fn text_member<'a>(object: &'a Json, name: &str) -> &'a str {
    object.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn bool_member(object: &Json, name: &str) -> bool {
    object.get(name).and_then(Json::as_bool).unwrap_or_default()
}

pub(super) fn list_member<'a>(object: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    object.get(name).and_then(Json::as_array).into_iter().flatten()
}
