//! Patterns that accept exactly the texts of a format.

/// A set of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFormat {
    /// Patterns of which a text matches at least one; with each, the pattern of what it does not mean.
    pub(super) choices: Vec<(String, Option<String>)>,
    /// The greatest number of characters, if patterns do not limit it.
    pub(super) longest: Option<i64>,
}

/// A number from 0 to 255 without leading zeros.
const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

/// Four hexadecimal digits or less.
const GROUP: &str = "[0-9a-fA-F]{1,4}";

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

impl TextFormat {
    fn single(pattern: &str, longest: Option<i64>) -> Self {
        Self { choices: vec![(format!("^{pattern}$"), None)], longest }
    }
}

/// Returns a format that a function without a namespace tests.
pub(super) fn whole_format(function: &str) -> Option<TextFormat> {
    let of_family = match function {
        "isIP" => address_family,
        "isCIDR" => network_format,
        _ => return None,
    };
    let choices = [4, 6].into_iter().filter_map(of_family).flat_map(|format| format.choices).collect();
    Some(TextFormat { choices, longest: None })
}

/// Returns the addresses of a family that `isIP` accepts.
// apiserver pkg/cel/library/ip.go, parseIPAddr: no zones, and no IPv4 in IPv6
pub(super) fn address_family(family: i64) -> Option<TextFormat> {
    family_format(family, ["", ""])
}

/// Returns the networks of a family that `isCIDR` accepts.
// net/netip, ParsePrefix
pub(super) fn network_format(family: i64) -> Option<TextFormat> {
    family_format(family, ["/(3[0-2]|[12]?[0-9])", "/(12[0-8]|1[01][0-9]|[1-9]?[0-9])"])
}

fn family_format(family: i64, [after_four, after_six]: [&str; 2]) -> Option<TextFormat> {
    let choice = match family {
        4 => (format!("^{}{after_four}$", four()), None),
        6 => {
            let mapped = format!("^{}{after_six}$", mapped_four());
            (format!("^{}{after_six}$", six()), Some(mapped))
        }
        _ => return None,
    };
    Some(TextFormat { choices: vec![choice], longest: None })
}

fn four() -> String {
    format!("({OCTET}\\.){{3}}{OCTET}")
}

/// An IPv6 address: eight groups, the last two perhaps in the form of IPv4, or fewer with `::` in place of at least one.
// net/netip, parseIPv6
fn six() -> String {
    let (group, four) = (GROUP, four());
    let mut forms = vec![format!("({group}:){{7}}({group}|:)"), format!("({group}:){{6}}{four}")];
    for before in 0..=6 {
        let head = if before == 0 { "::".to_owned() } else { format!("({group}:){{{before}}}:") };
        let groups = format!("{group}(:{group}){{0,{}}}", 6 - before);
        let with_four =
            if before < 6 { format!("|({group}:){{0,{}}}{four}", 5 - before) } else { String::new() };
        forms.push(format!("{head}({groups}{with_four})?"));
    }
    format!("({})", forms.join("|"))
}

/// The IPv6 addresses that mean an IPv4 address: five groups of zeros, `ffff`, and two more.
fn mapped_four() -> String {
    let (zero, all, group, four) = ("0{1,4}", "[fF]{4}", GROUP, four());
    let mut heads = vec![format!("({zero}:){{5}}"), format!("::({zero}:){{0,4}}")];
    heads.extend((1..=4).map(|before| format!("({zero}:){{{before}}}:({zero}:){{0,{}}}", 4 - before)));
    let heads = heads.join("|");
    let ends = format!("({zero}:){{5}}{all}:(:({group})?|{group}::)");
    format!("(({heads}){all}:({group}:{group}|{four})|{ends})")
}

/// Returns a named format that a pattern says.
// apimachinery util/validation/validation.go and kube-openapi strfmt/default.go
pub(super) fn named_format(name: &str) -> Option<TextFormat> {
    let hex = |count: usize| format!("[0-9a-fA-F]{{{count}}}");
    Some(match name {
        "dns1123Label" => TextFormat::single(LABEL, Some(63)),
        "dns1123Subdomain" => TextFormat::single(&format!("{LABEL}(\\.{LABEL})*"), Some(253)),
        "dns1035Label" => TextFormat::single("[a-z]([-a-z0-9]*[a-z0-9])?", Some(63)),
        "labelValue" => TextFormat::single("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", Some(63)),
        "uuid" => {
            let groups = [8, 4, 4, 4, 12].map(hex);
            TextFormat::single(&groups.join("-?"), None)
        }
        "byte" => {
            let sign = "[A-Za-z0-9+/]";
            TextFormat::single(&format!("({sign}{{4}})*({sign}{{4}}|{sign}{{3}}=|{sign}{{2}}==)"), None)
        }
        _ => return None,
    })
}
