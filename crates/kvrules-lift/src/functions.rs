//! Functions that terms may call: those whose value depends on their arguments alone.

/// Names of global and member functions.
const FUNCTIONS: &[&str] = &[
    // text
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "lowerAscii",
    "upperAscii",
    "trim",
    "split",
    "join",
    "replace",
    "substring",
    "indexOf",
    "lastIndexOf",
    "charAt",
    "find",
    "findAll",
    "format",
    "reverse",
    // conversions
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "dyn",
    "type",
    "bytes",
    // lists
    "sum",
    "min",
    "max",
    "isSorted",
    "sets.contains",
    "sets.equivalent",
    "sets.intersects",
    "distinct",
    "sort",
    "slice",
    "flatten",
    "lists.range",
    "first",
    "last",
    // quantities
    "quantity",
    "isQuantity",
    "isInteger",
    "asInteger",
    "asApproximateFloat",
    "sign",
    "add",
    "sub",
    "compareTo",
    "isGreaterThan",
    "isLessThan",
    // times
    "duration",
    "timestamp",
    "getFullYear",
    "getMonth",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
    // addresses
    "ip",
    "isIP",
    "ip.isCanonical",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "cidr",
    "isCIDR",
    "containsIP",
    "containsCIDR",
    "prefixLength",
    "masked",
    // URLs
    "url",
    "isURL",
    "getScheme",
    "getHost",
    "getHostname",
    "getPort",
    "getEscapedPath",
    "getQuery",
    // versions
    "semver",
    "isSemver",
    "major",
    "minor",
    "patch",
    // formats
    "format.dns1123Label",
    "format.dns1123Subdomain",
    "format.dns1035Label",
    "format.qualifiedName",
    "format.dns1123LabelPrefix",
    "format.dns1123SubdomainPrefix",
    "format.dns1035LabelPrefix",
    "format.labelValue",
    "format.uri",
    "format.uuid",
    "format.byte",
    "format.date",
    "format.datetime",
    "format.named",
    "validate",
    "hasValue",
    // mathematics
    "math.greatest",
    "math.least",
    "math.abs",
    "math.ceil",
    "math.floor",
    "math.round",
    "math.trunc",
    "math.sign",
];

/// The operators of terms and their symbols.
const OPERATORS: &[(&str, &str)] =
    &[("_+_", "+"), ("_-_", "-"), ("_*_", "*"), ("_/_", "/"), ("_%_", "%"), ("-_", "neg")];

/// True if terms may call a function.
pub(crate) fn is_known(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// The symbol by which terms name an operator.
pub(crate) fn symbol_of(operator: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(name, _)| *name == operator).map(|(_, symbol)| *symbol)
}
