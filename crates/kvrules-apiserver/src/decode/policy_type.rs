//! Types that the server decodes ValidatingAdmissionPolicies and their bindings into.

use super::go_type::{GoStruct, GoType, OBJECT_META, TEXT, TEXTS};

// k8s.io/api/admissionregistration/v1/types.go
pub(crate) const POLICY: GoStruct = GoStruct {
    name: "ValidatingAdmissionPolicy",
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&POLICY_SPEC)),
        ("status", GoType::Struct(&POLICY_STATUS)),
    ],
};

pub(crate) const BINDING: GoStruct = GoStruct {
    name: "ValidatingAdmissionPolicyBinding",
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&BINDING_SPEC)),
    ],
};

const POLICY_SPEC: GoStruct = GoStruct {
    name: "ValidatingAdmissionPolicySpec",
    fields: &[
        ("paramKind", GoType::Pointer(&PARAM_KIND)),
        ("matchConstraints", GoType::Pointer(&MATCH_RESOURCES)),
        ("validations", GoType::List(&GoType::Struct(&VALIDATION))),
        ("failurePolicy", GoType::TextPointer("v1.FailurePolicyType")),
        ("auditAnnotations", GoType::List(&GoType::Struct(&AUDIT_ANNOTATION))),
        ("matchConditions", MATCH_CONDITIONS),
        ("variables", GoType::List(&GoType::Struct(&VARIABLE))),
    ],
};

pub(crate) const PARAM_KIND: GoStruct =
    GoStruct { name: "ParamKind", fields: &[("apiVersion", TEXT), ("kind", TEXT)] };

pub(crate) const MATCH_CONDITIONS: GoType = GoType::List(&GoType::Struct(&MATCH_CONDITION));

const MATCH_CONDITION: GoStruct =
    GoStruct { name: "MatchCondition", fields: &[("name", TEXT), ("expression", TEXT)] };

const VARIABLE: GoStruct = GoStruct { name: "Variable", fields: &[("name", TEXT), ("expression", TEXT)] };

const VALIDATION: GoStruct = GoStruct {
    name: "Validation",
    fields: &[
        ("expression", TEXT),
        ("message", TEXT),
        ("reason", GoType::TextPointer("v1.StatusReason")),
        ("messageExpression", TEXT),
    ],
};

const AUDIT_ANNOTATION: GoStruct =
    GoStruct { name: "AuditAnnotation", fields: &[("key", TEXT), ("valueExpression", TEXT)] };

const MATCH_RESOURCES: GoStruct = GoStruct {
    name: "MatchResources",
    fields: &[
        ("namespaceSelector", GoType::Pointer(&LABEL_SELECTOR)),
        ("objectSelector", GoType::Pointer(&LABEL_SELECTOR)),
        ("resourceRules", GoType::List(&GoType::Struct(&NAMED_RULE))),
        ("excludeResourceRules", GoType::List(&GoType::Struct(&NAMED_RULE))),
        ("matchPolicy", GoType::TextPointer("v1.MatchPolicyType")),
    ],
};

/// The structs `RuleWithOperations` and `Rule` are embedded in it: see [`embedding_structs`].
const NAMED_RULE: GoStruct = GoStruct {
    name: "NamedRuleWithOperations",
    fields: &[
        ("resourceNames", TEXTS),
        ("operations", GoType::List(&GoType::Text("v1.OperationType"))),
        ("apiGroups", TEXTS),
        ("apiVersions", TEXTS),
        ("resources", TEXTS),
        ("scope", GoType::TextPointer("v1.ScopeType")),
    ],
};

/// Returns the names of the structs that are embedded in a struct and lead to a field. Errors name the outermost struct before the
/// path of the field, and the embedded ones in it.
pub(super) fn embedding_structs(of: &str, field: &str) -> Option<&'static str> {
    match (of, field) {
        ("NamedRuleWithOperations", "operations") => Some("RuleWithOperations"),
        ("NamedRuleWithOperations", "apiGroups" | "apiVersions" | "resources" | "scope") => {
            Some("RuleWithOperations.Rule")
        }
        _ => None,
    }
}

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go
const LABEL_SELECTOR: GoStruct = GoStruct {
    name: "LabelSelector",
    fields: &[
        ("matchLabels", GoType::Map(&TEXT)),
        ("matchExpressions", GoType::List(&GoType::Struct(&REQUIREMENT))),
    ],
};

const REQUIREMENT: GoStruct = GoStruct {
    name: "LabelSelectorRequirement",
    fields: &[("key", TEXT), ("operator", GoType::Text("v1.LabelSelectorOperator")), ("values", TEXTS)],
};

const POLICY_STATUS: GoStruct = GoStruct {
    name: "ValidatingAdmissionPolicyStatus",
    fields: &[
        ("observedGeneration", GoType::Int64),
        ("typeChecking", GoType::Pointer(&TYPE_CHECKING)),
        ("conditions", GoType::List(&GoType::Struct(&CONDITION))),
    ],
};

const TYPE_CHECKING: GoStruct = GoStruct {
    name: "TypeChecking",
    fields: &[("expressionWarnings", GoType::List(&GoType::Struct(&EXPRESSION_WARNING)))],
};

const EXPRESSION_WARNING: GoStruct =
    GoStruct { name: "ExpressionWarning", fields: &[("fieldRef", TEXT), ("warning", TEXT)] };

const CONDITION: GoStruct = GoStruct {
    name: "Condition",
    fields: &[
        ("type", TEXT),
        ("status", GoType::Text("v1.ConditionStatus")),
        ("observedGeneration", GoType::Int64),
        ("lastTransitionTime", GoType::Time),
        ("reason", TEXT),
        ("message", TEXT),
    ],
};

const BINDING_SPEC: GoStruct = GoStruct {
    name: "ValidatingAdmissionPolicyBindingSpec",
    fields: &[
        ("policyName", TEXT),
        ("paramRef", GoType::Pointer(&PARAM_REF)),
        ("matchResources", GoType::Pointer(&MATCH_RESOURCES)),
        ("validationActions", GoType::List(&GoType::Text("v1.ValidationAction"))),
    ],
};

const PARAM_REF: GoStruct = GoStruct {
    name: "ParamRef",
    fields: &[
        ("name", TEXT),
        ("namespace", TEXT),
        ("selector", GoType::Pointer(&LABEL_SELECTOR)),
        ("parameterNotFoundAction", GoType::TextPointer("v1.ParameterNotFoundActionType")),
    ],
};
