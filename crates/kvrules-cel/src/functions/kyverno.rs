//! Functions and values that Kyverno adds to the language of its policies. They are declared by their types; what they return
//! depends on a cluster, a registry or the clock, so that an evaluation that needs one of them is unknown.
// kyverno pkg/cel/compiler/env.go, DefaultEnvOptions; pkg/cel/policies/vpol/compiler/compiler.go, createBaseVpolEnv; sdk extensions/cel/libs

use super::{A, LIST_A, Overload, SignatureType, global_overload, member_overload};
use SignatureType::{Bool, Bytes, Double, Dyn, Int, List, Map, Opaque, Optional, String, Timestamp};

const RESOURCE: SignatureType = Opaque("resource.Context");
const GROUP_VERSION_RESOURCE: SignatureType = Opaque("schema.GroupVersionResource");
const HTTP: SignatureType = Opaque("http.Context");
const GLOBAL_CONTEXT: SignatureType = Opaque("globalcontext.Context");
const IMAGE_DATA: SignatureType = Opaque("imagedata.Context");
const IMAGE: SignatureType = Opaque("kyverno.Image");
const JSON: SignatureType = Opaque("json.Json");
const YAML: SignatureType = Opaque("yaml.Yaml");
/// Object with the fields of a service account.
pub(crate) const SERVICE_ACCOUNT: &str = "user.ServiceAccount";
/// Object with the values that exceptions allow.
pub(crate) const EXCEPTION: &str = "libs.Exception";

const TEXTS: SignatureType = Map(&String, &String);
const OBJECT: SignatureType = Map(&String, &Dyn);

/// Values that expressions see by their names.
pub(crate) const VALUES: [(&str, SignatureType); 7] = [
    ("resource", RESOURCE),
    ("http", HTTP),
    ("globalContext", GLOBAL_CONTEXT),
    ("image", IMAGE_DATA),
    ("json", JSON),
    ("yaml", YAML),
    ("exceptions", Opaque(EXCEPTION)),
];

/// Functions whose receivers are values of Kyverno, or that have no receiver. `math.greatest` and `math.least` take any number
/// of operands.
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    member_overload("Get", "kyverno_resource_get", &[RESOURCE, String, String, String, String], OBJECT),
    member_overload("Get", "kyverno_resource_get_cluster", &[RESOURCE, String, String, String], OBJECT),
    member_overload("Get", "kyverno_resource_get_gvr", &[RESOURCE, GROUP_VERSION_RESOURCE, String, String], OBJECT),
    member_overload("Get", "kyverno_resource_get_gvr_cluster", &[RESOURCE, GROUP_VERSION_RESOURCE, String], OBJECT),
    member_overload("List", "kyverno_resource_list", &[RESOURCE, String, String, String], OBJECT),
    member_overload("List", "kyverno_resource_list_labels", &[RESOURCE, String, String, String, TEXTS], OBJECT),
    member_overload("List", "kyverno_resource_list_cluster", &[RESOURCE, String, String], OBJECT),
    member_overload("List", "kyverno_resource_list_cluster_labels", &[RESOURCE, String, String, TEXTS], OBJECT),
    member_overload("List", "kyverno_resource_list_gvr", &[RESOURCE, GROUP_VERSION_RESOURCE, String], OBJECT),
    member_overload("List", "kyverno_resource_list_gvr_labels", &[RESOURCE, GROUP_VERSION_RESOURCE, String, TEXTS], OBJECT),
    member_overload("List", "kyverno_resource_list_gvr_cluster", &[RESOURCE, GROUP_VERSION_RESOURCE], OBJECT),
    member_overload("List", "kyverno_resource_list_gvr_cluster_labels", &[RESOURCE, GROUP_VERSION_RESOURCE, TEXTS], OBJECT),
    member_overload("Post", "kyverno_resource_post", &[RESOURCE, String, String, String, OBJECT], OBJECT),
    member_overload("Post", "kyverno_resource_post_cluster", &[RESOURCE, String, String, OBJECT], OBJECT),
    member_overload("ToGVR", "kyverno_resource_to_gvr", &[RESOURCE, String, String], GROUP_VERSION_RESOURCE),
    member_overload("Get", "kyverno_http_get", &[HTTP, String], Dyn),
    member_overload("Get", "kyverno_http_get_headers", &[HTTP, String, TEXTS], Dyn),
    member_overload("Post", "kyverno_http_post", &[HTTP, String, Dyn], Dyn),
    member_overload("Post", "kyverno_http_post_headers", &[HTTP, String, Dyn, TEXTS], Dyn),
    member_overload("Client", "kyverno_http_client", &[HTTP, String], HTTP),
    member_overload("Get", "kyverno_global_context_get", &[GLOBAL_CONTEXT, String], Dyn),
    member_overload("Get", "kyverno_global_context_get_projection", &[GLOBAL_CONTEXT, String, String], Dyn),
    member_overload("GetMetadata", "kyverno_image_metadata", &[IMAGE_DATA, String], Dyn),
    global_overload("image", "kyverno_image", &[String], IMAGE),
    global_overload("parseImageReference", "kyverno_parse_image_reference", &[String], IMAGE),
    global_overload("isImage", "kyverno_is_image", &[String], Bool),
    member_overload("containsDigest", "kyverno_image_contains_digest", &[IMAGE], Bool),
    member_overload("registry", "kyverno_image_registry", &[IMAGE], String),
    member_overload("repository", "kyverno_image_repository", &[IMAGE], String),
    member_overload("identifier", "kyverno_image_identifier", &[IMAGE], String),
    member_overload("tag", "kyverno_image_tag", &[IMAGE], String),
    member_overload("digest", "kyverno_image_digest", &[IMAGE], String),
    member_overload("unmarshal", "kyverno_json_unmarshal", &[JSON, Dyn], Dyn),
    member_overload("marshal", "kyverno_json_marshal", &[JSON, Dyn], String),
    member_overload("parse", "kyverno_yaml_parse", &[YAML, String], Dyn),
    global_overload("parseServiceAccount", "kyverno_service_account", &[String], Opaque(SERVICE_ACCOUNT)),
    global_overload("user.parseServiceAccount", "kyverno_user_service_account", &[String], Opaque(SERVICE_ACCOUNT)),
    global_overload("sha1", "kyverno_sha1", &[String], String),
    global_overload("sha256", "kyverno_sha256", &[String], String),
    global_overload("md5", "kyverno_md5", &[String], String),
    global_overload("hash.sha1", "kyverno_hash_sha1", &[String], String),
    global_overload("hash.sha256", "kyverno_hash_sha256", &[String], String),
    global_overload("hash.md5", "kyverno_hash_md5", &[String], String),
    global_overload("random", "kyverno_random", &[], String),
    global_overload("random", "kyverno_random_pattern", &[String], String),
    global_overload("random.random", "kyverno_random_random", &[], String),
    global_overload("random.random", "kyverno_random_random_pattern", &[String], String),
    global_overload("x509.decode", "kyverno_x509_decode", &[String], Dyn),
    global_overload("time.now", "kyverno_time_now", &[], Timestamp),
    global_overload("time.toCron", "kyverno_time_to_cron", &[Timestamp], String),
    global_overload("time.truncate", "kyverno_time_truncate", &[Timestamp, SignatureType::Duration], Timestamp),
    global_overload("listObjToMap", "kyverno_list_to_map", &[List(&Dyn), List(&Dyn), String, String], Map(&Dyn, &Dyn)),
    global_overload("transform.listObjToMap", "kyverno_transform_list_to_map", &[List(&Dyn), List(&Dyn), String, String], Map(&Dyn, &Dyn)),
    global_overload("gzip.compress", "kyverno_gzip_compress", &[Dyn], Bytes),
    global_overload("gzip.decompress", "kyverno_gzip_decompress", &[Bytes], String),
    global_overload("math.round", "kyverno_math_round", &[Double, Int], Double),
    // cel-go ext/math.go, encoders.go, regex.go
    global_overload("math.round", "math_round_double", &[Double], Double),
    global_overload("math.greatest", "math_greatest_list", &[LIST_A], A),
    global_overload("math.greatest", "math_greatest_1", &[Dyn], Dyn),
    global_overload("math.greatest", "math_greatest_2", &[Dyn, Dyn], Dyn),
    global_overload("math.greatest", "math_greatest_3", &[Dyn, Dyn, Dyn], Dyn),
    global_overload("math.greatest", "math_greatest_4", &[Dyn, Dyn, Dyn, Dyn], Dyn),
    global_overload("math.least", "math_least_list", &[LIST_A], A),
    global_overload("math.least", "math_least_1", &[Dyn], Dyn),
    global_overload("math.least", "math_least_2", &[Dyn, Dyn], Dyn),
    global_overload("math.least", "math_least_3", &[Dyn, Dyn, Dyn], Dyn),
    global_overload("math.least", "math_least_4", &[Dyn, Dyn, Dyn, Dyn], Dyn),
    global_overload("math.abs", "math_abs_double", &[Double], Double),
    global_overload("math.abs", "math_abs_int", &[Int], Int),
    global_overload("math.abs", "math_abs_uint", &[SignatureType::Uint], SignatureType::Uint),
    global_overload("math.sign", "math_sign_double", &[Double], Double),
    global_overload("math.sign", "math_sign_int", &[Int], Int),
    global_overload("math.sign", "math_sign_uint", &[SignatureType::Uint], SignatureType::Uint),
    global_overload("math.ceil", "math_ceil_double", &[Double], Double),
    global_overload("math.floor", "math_floor_double", &[Double], Double),
    global_overload("math.trunc", "math_trunc_double", &[Double], Double),
    global_overload("math.sqrt", "math_sqrt_double", &[Double], Double),
    global_overload("math.sqrt", "math_sqrt_int", &[Int], Double),
    global_overload("math.sqrt", "math_sqrt_uint", &[SignatureType::Uint], Double),
    global_overload("math.isInf", "math_is_inf_double", &[Double], Bool),
    global_overload("math.isNaN", "math_is_nan_double", &[Double], Bool),
    global_overload("math.isFinite", "math_is_finite_double", &[Double], Bool),
    global_overload("math.bitAnd", "math_bit_and_int_int", &[Int, Int], Int),
    global_overload("math.bitOr", "math_bit_or_int_int", &[Int, Int], Int),
    global_overload("math.bitXor", "math_bit_xor_int_int", &[Int, Int], Int),
    global_overload("math.bitNot", "math_bit_not_int_int", &[Int], Int),
    global_overload("math.bitShiftLeft", "math_bit_shift_left_int_int", &[Int, Int], Int),
    global_overload("math.bitShiftRight", "math_bit_shift_right_int_int", &[Int, Int], Int),
    global_overload("base64.encode", "base64_encode_bytes", &[Bytes], String),
    global_overload("base64.decode", "base64_decode_string", &[String], Bytes),
    global_overload("regex.replace", "regex_replace_string_string_string", &[String, String, String], String),
    global_overload("regex.replace", "regex_replace_string_string_string_int", &[String, String, String, Int], String),
    global_overload("regex.extract", "regex_extract_string_string", &[String, String], Optional(&String)),
    global_overload("regex.extractAll", "regex_extractAll_string_string", &[String, String], List(&String)),
];

/// The form of `orValue` that takes values of all types.
// kyverno pkg/cel/compiler/env.go, OrValueCompatEnvOptions
pub(crate) const OR_VALUE: Overload = member_overload("orValue", "kyverno_or_value_compat", &[Dyn, Dyn], Dyn);

/// True if a function of Kyverno has a name with dots, as `regex.replace`.
pub(crate) fn is_namespaced_function(name: &str) -> bool {
    OVERLOADS.iter().any(|overload| overload.name == name && name.contains('.'))
}
