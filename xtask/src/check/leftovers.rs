//! Leftovers: code that is not written yet, tests that do not run, and names of the machine a file was made on.

use std::path::Path;

use super::at;
use crate::scan::code_only;
use crate::workspace::{Finding, Source, Workspace};

/// Searched in code alone, so that messages and comments may mention them.
const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "#[ignore"];

/// Hosts that packages are downloaded from, in two halves so that this file does not name them.
const REGISTRY_HOSTS: [(&str, &str); 6] = [
    ("index.", "crates.io"),
    ("static.", "crates.io"),
    ("pypi.org", "/simple"),
    ("files.", "pythonhosted.org"),
    ("registry.", "npmjs.org"),
    ("proxy.", "golang.org"),
];

/// Environment variables that name package registries.
const REGISTRY_VARIABLES: [&str; 5] =
    ["CARGO_REGISTRIES_CRATES_IO_INDEX", "PIP_INDEX_URL", "UV_INDEX_URL", "NPM_CONFIG_REGISTRY", "GOPROXY"];

/// Folders that are the same everywhere, so that their names give no machine away.
const COMMON_FOLDERS: [&str; 16] = [
    "/app", "/builds", "/data", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/repo", "/run", "/src",
    "/srv", "/tmp", "/usr/src", "/var/tmp",
];

pub(super) fn findings(source: &Source) -> Vec<Finding> {
    if !source.is_rust() {
        return Vec::new();
    }
    let code = code_only(&source.text);
    let found = UNFINISHED.iter().flat_map(|word| code.match_indices(word));
    found
        .map(|(offset, word)| at(&source.path, &code, offset, format!("leftover `{word}` in the code")))
        .collect()
}

/// Paths of this machine and hosts of package registries, in any file.
pub(super) fn outside_names(workspace: &Workspace, sources: &[Source]) -> Vec<Finding> {
    let folders = machine_folders(&workspace.root);
    let hosts = registry_hosts();
    let mut findings = Vec::new();
    for Source { path, text } in sources {
        let found = folders.iter().find_map(|folder| machine_path(text, folder));
        findings.extend(found.map(|offset| at(path, text, offset, "contains a path of this machine")));
        let found = hosts.iter().filter_map(|host| text.find(host.as_str()));
        findings
            .extend(found.map(|offset| at(path, text, offset, "contains the host of a package registry")));
    }
    findings
}

/// The checkout and its parent folder, except folders that exist on every machine, which a text may mention for
/// other reasons.
fn machine_folders(root: &Path) -> Vec<&str> {
    let is_special = |folder: &&str| folder.len() > 1 && !COMMON_FOLDERS.contains(folder);
    root.ancestors().take(2).filter_map(Path::to_str).filter(is_special).collect()
}

/// The first place that names a path in the folder. It must begin there: the folder may be called `/src`, and
/// `lib/src/` is another matter.
fn machine_path(text: &str, folder: &str) -> Option<usize> {
    let begins = |start: usize| {
        let before = text[..start].chars().next_back();
        before.is_none_or(|c| {
            !(c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '}' | '>' | '*' | '~'))
        })
    };
    let mut places = text.match_indices(folder).map(|(start, _)| start);
    places.find(|start| begins(*start) && text[start + folder.len()..].starts_with('/'))
}

fn registry_hosts() -> Vec<String> {
    let mut hosts: Vec<String> = REGISTRY_HOSTS.iter().map(|(a, b)| format!("{a}{b}")).collect();
    let set = REGISTRY_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    hosts.extend(set.filter_map(|value| host_of(&value)));
    hosts
}

/// The host of an address; none for a name without a dot, which would be found everywhere.
fn host_of(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', ',']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    host.contains('.').then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_code_is_found_and_talk_of_it_is_not() {
        let text = "//! x\n// todo!()\nfn a() { \"todo!\"; }\nfn b() { todo!() }\n".to_owned();
        let found = findings(&Source { path: "a.rs".into(), text });
        assert_eq!(found, [Finding::new("a.rs", 4, "leftover `todo!` in the code")]);
    }

    #[test]
    fn a_machine_path_begins_with_the_folder_of_the_checkout() {
        assert_eq!(machine_path("see `/srv/x`", "/srv"), Some(5));
        assert_eq!(machine_path("/srv/x", "/srv"), Some(0));
        assert_eq!(machine_path("src/srv/x /srvice/ /srv", "/srv"), None);
    }

    #[test]
    fn a_folder_that_every_machine_has_is_not_searched_for() {
        assert_eq!(machine_folders(Path::new("/checkouts/kvrules")), ["/checkouts/kvrules", "/checkouts"]);
        assert_eq!(machine_folders(Path::new("/tmp/kvrules")), ["/tmp/kvrules"]);
        assert_eq!(machine_folders(Path::new("/app")), [""; 0]);
    }

    #[test]
    fn the_host_of_an_address_is_without_user_and_port() {
        assert_eq!(host_of("sparse+https://user@mirror.test:81/index/").as_deref(), Some("mirror.test"));
        assert_eq!(host_of("http://localhost/simple"), None);
        assert_eq!(host_of("off"), None);
    }
}
