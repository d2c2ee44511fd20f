//! Places and list elements as nouns.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Presence};

use super::inline::Prose;
use super::value::escape_text;

/// Name of an element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ElementNoun {
    /// By a word of its own: singular and plural.
    Word(String, String),
    /// As an item of a list whose name is not a plural.
    ItemOf(String),
}

/// Names for fields of a virtual machine whose path alone would read badly, as paths of rules see them.
const NAMES: [(&str, &str); 12] = [
    (".spec.domain.memory.guest", "the guest's memory"),
    (".spec.domain.memory.maxGuest", "the guest's maximum memory"),
    (".spec.domain.resources.requests.memory", "the requested memory"),
    (".spec.domain.resources.limits.memory", "the memory limit"),
    (".spec.domain.resources.requests.cpu", "the requested CPU"),
    (".spec.domain.cpu.model", "the CPU model"),
    (".spec.domain.machine.type", "the machine type"),
    (".spec.hostname", "the hostname"),
    (".spec.architecture", "the architecture"),
    (".spec.domain.cpu.cores", "the number of CPU cores"),
    (".spec.domain.cpu.sockets", "the number of CPU sockets"),
    (".spec.domain.cpu.threads", "the number of threads of a CPU core"),
];

/// Names for fields of list elements: the element, the path from it, and the words.
const OWN_NAMES: [(&str, &str, &str); 10] = [
    ("disk", "disk.bus", "bus"),
    ("disk", "cdrom.bus", "CD-ROM bus"),
    ("disk", "lun.bus", "LUN bus"),
    ("disk", "bootOrder", "boot order"),
    ("disk", "serial", "serial number"),
    ("disk", "cache", "cache mode"),
    ("interface", "bootOrder", "boot order"),
    ("interface", "model", "model"),
    ("interface", "macAddress", "MAC address"),
    ("GPU", "deviceName", "device name"),
];

impl ElementNoun {
    /// Returns the name of a field of such an element, if its path alone would read badly.
    pub(crate) fn own(&self, path: &str) -> Option<&'static str> {
        let Self::Word(one, _) = self else { return None };
        OWN_NAMES.iter().find(|(owner, known, _)| owner == one && *known == path).map(|(.., name)| *name)
    }

    /// Returns the name of an element of the list. Below one item of another list it is named by its path: "every port" would mean those of
    /// all items.
    pub(crate) fn of(list: &Place) -> Self {
        if list.steps.iter().any(|step| matches!(step, PlaceStep::Item(_))) {
            return Self::ItemOf(path_of(list));
        }
        let name = match list.steps.last() {
            Some(PlaceStep::Field { name, .. } | PlaceStep::Key(name)) => name.as_str(),
            _ => "",
        };
        if name == "gpus" {
            return Self::Word("GPU".to_owned(), "GPUs".to_owned());
        }
        let words = in_words(name);
        match singular_noun(&words) {
            Some(one) => Self::Word(one, words),
            None => Self::ItemOf(name.to_owned()),
        }
    }

    /// `disk`.
    pub(crate) fn singular(&self) -> Prose {
        match self {
            Self::Word(one, _) => Prose::from(one.as_str()),
            Self::ItemOf(list) if list.is_empty() => Prose::from("item"),
            Self::ItemOf(list) => Prose::from("item of ").code(list.clone()),
        }
    }

    /// `disks`.
    pub(crate) fn plural(&self) -> Prose {
        match self {
            Self::Word(_, many) => Prose::from(many.as_str()),
            Self::ItemOf(list) if list.is_empty() => Prose::from("items"),
            Self::ItemOf(list) => Prose::from("items of ").code(list.clone()),
        }
    }
}

/// `hostDevices` as `host devices`.
fn in_words(name: &str) -> String {
    name.chars().fold(String::new(), |mut words, c| {
        if c.is_uppercase() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
        words
    })
}

/// The singular of an English plural; nothing if the word is none.
fn singular_noun(plural: &str) -> Option<String> {
    if !plural.chars().all(|c| c.is_ascii_lowercase() || c == ' ') || plural.ends_with("ss") {
        return None;
    }
    if let Some(stem) = plural.strip_suffix("ies") {
        return Some(format!("{stem}y"));
    }
    let ends_with = |endings: &[&str]| endings.iter().any(|ending| plural.ends_with(ending));
    let has_vowel = ends_with(&["caches", "axes", "auses", "ouses", "euses"]) || plural == "uses";
    let hisses = !has_vowel && ends_with(&["ches", "shes", "xes", "sses", "uses", "iases"]);
    let stem = plural.strip_suffix(if hisses { "es" } else { "s" })?;
    (!stem.trim().is_empty()).then(|| stem.to_owned())
}

/// The path of steps as the rule language writes it, `.` first.
fn path_text(steps: &[PlaceStep]) -> String {
    let is_plain = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let step = |step: &PlaceStep| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) if is_plain(name) => format!(".{name}"),
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
            format!("['{}']", escape_text(name).replace('\'', "\\'").replace("\\\"", "\""))
        }
        PlaceStep::Item(index) => format!("[{index}]"),
    };
    steps.iter().map(step).collect()
}

/// The path of a place seen from its base. From an element it has no `.` in front.
pub(crate) fn path_of(place: &Place) -> String {
    let path = path_text(&place.steps);
    if place.base == PlaceBase::Root {
        return path;
    }
    path.strip_prefix('.').map_or(path.clone(), str::to_owned)
}

/// The part of a place that is mentioned when its presence is: the rest exists with it.
pub(crate) fn present_part(place: &Place) -> Place {
    required_prefix(place).unwrap_or_else(|| place.clone())
}

/// Returns the name of a place of the object itself, if it has one.
pub(crate) fn name_of(place: &Place) -> Option<&'static str> {
    let path = (place.base == PlaceBase::Root).then(|| path_of(place))?;
    NAMES.iter().find(|(known, _)| *known == path).map(|(_, name)| *name)
}

/// The shortest part of a place with which the whole place exists: up to its last optional step.
/// Nothing if the place exists in every object.
pub(crate) fn required_prefix(place: &Place) -> Option<Place> {
    let last = place.steps.iter().rposition(|step| step.presence() == Presence::Optional)?;
    let steps: Vec<PlaceStep> = place.steps.iter().take(last + 1).cloned().collect();
    Some(Place { steps, ..place.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_names_have_a_singular() {
        let one = |name| singular_noun(&in_words(name));
        assert_eq!(one("disks").as_deref(), Some("disk"));
        assert_eq!(one("hostDevices").as_deref(), Some("host device"));
        assert_eq!(one("searches").as_deref(), Some("search"));
        assert_eq!(one("sizes").as_deref(), Some("size"));
        assert_eq!(one("caches").as_deref(), Some("cache"));
        assert_eq!(one("clauses").as_deref(), Some("clause"));
        assert_eq!(one("statuses").as_deref(), Some("status"));
        assert_eq!(one("aliases").as_deref(), Some("alias"));
        assert_eq!(one("prefixes").as_deref(), Some("prefix"));
        assert_eq!(one("ownerReferences").as_deref(), Some("owner reference"));
        assert_eq!(one("policies").as_deref(), Some("policy"));
        assert_eq!(one("command"), None);
        assert_eq!(one("s"), None);
    }
}
