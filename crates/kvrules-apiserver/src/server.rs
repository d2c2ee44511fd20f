//! Differences between the servers of Kubernetes' minors, apart from CEL: one switch for each fact, with its minor.

use kvrules_cel::kubernetes::{CostRegime, Dialect, ExpressionAge, KubernetesVersion, RuntimeRegime};

/// Warnings about formats of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FormatWarnings {
    /// None; to 1.33.
    None,
    /// About formats at strings; 1.34 and 1.35.
    OfStrings,
    /// About all formats; from 1.36.
    Typed,
}

/// A server of one minor, by what it does differently from others.
///
/// ```
/// use kvrules_apiserver::server::ServerFeatures;
/// use kvrules_cel::kubernetes::KubernetesVersion;
///
/// let server = ServerFeatures::of_version("1.29".parse().unwrap());
/// assert_eq!(server.version().to_string(), "1.29");
/// assert_eq!(ServerFeatures::default().version(), KubernetesVersion::NEWEST);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServerFeatures {
    version: KubernetesVersion,
    /// Static costs.
    pub(crate) regime: CostRegime,
    /// Costs of evaluations.
    pub(crate) runtime: RuntimeRegime,
    /// Definitions.
    pub(crate) definitions: DefinitionFeatures,
    /// Objects.
    pub(crate) objects: ObjectFeatures,
}

/// Switches for definitions.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DefinitionFeatures {
    /// An unchanged messageExpression counts as stored; from 1.31.
    pub(crate) keeps_messages: bool,
    /// A version with an unchanged schema may keep rules over the limit; from 1.29.
    pub(crate) keeps_costs: bool,
    /// An update may keep more selectable fields than allowed; from 1.35.
    pub(crate) keeps_selectable_fields: bool,
    /// Branches may set `additionalProperties: false`; from 1.31.
    pub(crate) allows_closed_branches: bool,
    pub(crate) format_warnings: FormatWarnings,
    /// Formats of Kubernetes' names; from 1.35.
    pub(crate) knows_name_formats: bool,
    /// Texts about parts of a rule begin with the name of the part; to 1.33.
    pub(crate) names_rule_parts: bool,
    /// The text about a stored version explains the migration; from 1.33.
    pub(crate) explains_stored_versions: bool,
    /// Required values of defaults and schemas have a text; to 1.33.
    pub(crate) explains_required: bool,
    /// Errors of decoding name the whole path; from 1.35.
    pub(crate) decodes_with_paths: bool,
}

/// Switches for objects.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectFeatures {
    /// Messages are used without the blanks around them; from 1.27.
    pub(crate) trims_messages: bool,
    /// A wrong number of properties hides errors below; to 1.27.
    pub(crate) stops_at_property_counts: bool,
    /// A missing `apiVersion` or `kind` of a resource has a text; to 1.33.
    pub(crate) explains_required: bool,
    /// Metadata of resources in defaults loses what cannot be decoded; from 1.34.
    pub(crate) drops_unreadable_defaults: bool,
    /// Hardware addresses may be written without separators; from 1.36.
    pub(crate) takes_plain_addresses: bool,
    /// Unchanged values excuse errors; from 1.30.
    pub(crate) ratchets: bool,
    /// They do so in writes of a status too; from 1.33.
    pub(crate) ratchets_status: bool,
    /// A failed rule shows the value; from 1.35.
    pub(crate) shows_values: bool,
    /// Values are shown as JSON instead of in Go's syntax; from 1.34.
    pub(crate) shows_json: bool,
    /// A value outside of an enum stops rules; from 1.29.
    pub(crate) enum_stops_rules: bool,
    /// The text about a long string mentions bytes; from 1.32.
    pub(crate) counts_bytes_in_text: bool,
    /// The text about too many items has a singular; from 1.34.
    pub(crate) has_singular: bool,
    /// A factor that is 0 as an integer crashes the server; to 1.26.
    pub(crate) divides_by_zero: bool,
    /// Numbers are multiples as decimals are; from 1.35.
    pub(crate) multiplies_decimals: bool,
    /// Formats of Kubernetes' names; from 1.35.
    pub(crate) knows_name_formats: bool,
    /// Formats of integers bound them, and those of strings do not belong to booleans; from 1.36.
    pub(crate) types_formats: bool,
}

impl ServerFeatures {
    /// Without excuses for what an update leaves as it is.
    #[must_use]
    pub fn without_excuses(self) -> Self {
        let objects = ObjectFeatures { ratchets: false, ratchets_status: false, ..self.objects };
        Self { objects, ..self }
    }

    /// The server as it takes writes of a status.
    // apiextensions customresource/status_strategy.go, ValidateUpdate
    pub(crate) fn for_status_writes(self) -> Self {
        if self.objects.ratchets_status { self } else { self.without_excuses() }
    }

    /// Returns the server of a version.
    pub const fn of_version(version: KubernetesVersion) -> Self {
        Self {
            version,
            regime: CostRegime::of_server(version),
            runtime: RuntimeRegime::of_server(version),
            definitions: DefinitionFeatures::of_version(version),
            objects: ObjectFeatures::of_version(version),
        }
    }

    /// Returns the version.
    pub const fn version(&self) -> KubernetesVersion {
        self.version
    }

    /// Number of failures in the annotation of an audit event.
    // policy/validating/dispatcher.go, publishValidationFailureAnnotations and maxValidationFailures; before, the first one stays
    pub(crate) const fn audited_failures(&self) -> usize {
        if self.version.is_at_least(37) { 50 } else { 1 }
    }

    /// Costs of the evaluation of policies.
    pub(crate) const fn policy_costs(&self) -> RuntimeRegime {
        RuntimeRegime::of_policies(self.version)
    }

    /// Returns the language of a rule.
    pub(crate) fn dialect(&self, age: ExpressionAge) -> Dialect {
        Dialect::of_server(self.version, age)
    }
}

impl Default for ServerFeatures {
    fn default() -> Self {
        Self::of_version(KubernetesVersion::NEWEST)
    }
}

impl DefinitionFeatures {
    // apiextensions validation.go, strategy.go and features of the minors
    const fn of_version(version: KubernetesVersion) -> Self {
        let format_warnings = match version.minor() {
            ..=33 => FormatWarnings::None,
            34 | 35 => FormatWarnings::OfStrings,
            _ => FormatWarnings::Typed,
        };
        Self {
            keeps_messages: version.is_at_least(31),
            keeps_costs: version.is_at_least(29),
            keeps_selectable_fields: version.is_at_least(35),
            allows_closed_branches: version.is_at_least(31),
            format_warnings,
            knows_name_formats: version.is_at_least(35),
            names_rule_parts: !version.is_at_least(34),
            explains_stored_versions: version.is_at_least(33),
            explains_required: !version.is_at_least(34),
            decodes_with_paths: version.is_at_least(35),
        }
    }
}

impl ObjectFeatures {
    // kube-openapi validate and apimachinery field/errors.go of the minors
    const fn of_version(version: KubernetesVersion) -> Self {
        Self {
            trims_messages: version.is_at_least(27),
            stops_at_property_counts: !version.is_at_least(28),
            explains_required: !version.is_at_least(34),
            drops_unreadable_defaults: version.is_at_least(34),
            takes_plain_addresses: version.is_at_least(36),
            ratchets: version.is_at_least(30),
            ratchets_status: version.is_at_least(33),
            shows_values: version.is_at_least(35),
            shows_json: version.is_at_least(34),
            enum_stops_rules: version.is_at_least(29),
            counts_bytes_in_text: version.is_at_least(32),
            has_singular: version.is_at_least(34),
            divides_by_zero: !version.is_at_least(27),
            multiplies_decimals: version.is_at_least(35),
            knows_name_formats: version.is_at_least(35),
            types_formats: version.is_at_least(36),
        }
    }
}

/// A version of the API of policies and bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyApi {
    /// `apiVersion` of the documents.
    pub name: &'static str,
    /// First Kubernetes version that can serve it.
    pub first: KubernetesVersion,
    /// Last Kubernetes version that can serve it.
    pub last: KubernetesVersion,
    /// True if servers serve it unless they are configured otherwise.
    pub is_default: bool,
}

/// Versions of the API of policies, the newest first.
// k8s.io/api/admissionregistration, zz_generated.prerelease-lifecycle.go of the versions
pub const POLICY_APIS: &[PolicyApi] = &[
    PolicyApi {
        name: "admissionregistration.k8s.io/v1",
        first: KubernetesVersion::table_minor(30),
        last: KubernetesVersion::PREVIEW,
        is_default: true,
    },
    PolicyApi {
        name: "admissionregistration.k8s.io/v1beta1",
        first: KubernetesVersion::table_minor(28),
        last: KubernetesVersion::table_minor(33),
        is_default: false,
    },
    PolicyApi {
        name: "admissionregistration.k8s.io/v1alpha1",
        first: KubernetesVersion::table_minor(26),
        last: KubernetesVersion::table_minor(31),
        is_default: false,
    },
];

impl PolicyApi {
    /// Returns the version of the API with a name.
    ///
    /// ```
    /// use kvrules_apiserver::server::PolicyApi;
    /// let api = PolicyApi::find_api("admissionregistration.k8s.io/v1").unwrap();
    /// assert!(!api.is_served_by("1.29".parse().unwrap()) && api.is_served_by("1.30".parse().unwrap()));
    /// ```
    pub fn find_api(name: &str) -> Option<&'static Self> {
        POLICY_APIS.iter().find(|api| api.name == name)
    }

    /// True if servers of a Kubernetes version can serve it.
    pub fn is_served_by(&self, version: KubernetesVersion) -> bool {
        self.first <= version && version <= self.last
    }
}

/// A field that some servers do not have.
pub(crate) struct FieldFact {
    pub(crate) name: &'static str,
    /// The first minor whose types have it: before, it is dropped with a warning.
    pub(crate) known_from: u8,
    /// The first minor that uses it: before, it is dropped without one.
    pub(crate) used_from: u8,
}

/// Fields of a rule.
pub(crate) const RULE_FIELDS: &[FieldFact] = &[
    FieldFact { name: "messageExpression", known_from: 27, used_from: 27 },
    FieldFact { name: "reason", known_from: 28, used_from: 28 },
    FieldFact { name: "fieldPath", known_from: 28, used_from: 28 },
    FieldFact { name: "optionalOldSelf", known_from: 29, used_from: 30 },
];

/// Fields of a version of a definition.
pub(crate) const VERSION_FIELDS: &[FieldFact] =
    &[FieldFact { name: "selectableFields", known_from: 30, used_from: 31 }];
