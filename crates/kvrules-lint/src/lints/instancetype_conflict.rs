//! KV121 `instancetype_conflict`: a VirtualMachine that KubeVirt rejects because of its instance type or preference.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::{Node, SyntaxKind};

use crate::{LintCheck, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV121",
    name: "instancetype_conflict",
    level: Level::Error,
    summary: "a VirtualMachine conflicts with its instance type or preference",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// Fields that an instance type sets in any case, from `.spec.template.spec`.
// kubevirt pkg/instancetype/apply/cpu.go, validateCPU; memory.go, validateMemory
pub(crate) const ALWAYS_SET: [&str; 8] = [
    "domain.cpu.sockets",
    "domain.cpu.cores",
    "domain.cpu.threads",
    "domain.memory.guest",
    "domain.resources.requests.cpu",
    "domain.resources.limits.cpu",
    "domain.resources.requests.memory",
    "domain.resources.limits.memory",
];

/// Fields that an instance type sets if it has another field, from its `spec`.
// kubevirt pkg/instancetype/apply, one file for each
const SET_WITH: [(&str, &str); 14] = [
    ("domain.cpu.model", "cpu.model"),
    ("domain.cpu.dedicatedCpuPlacement", "cpu.dedicatedCPUPlacement"),
    ("domain.cpu.isolateEmulatorThread", "cpu.isolateEmulatorThread"),
    ("domain.cpu.numa", "cpu.numa"),
    ("domain.cpu.realtime", "cpu.realtime"),
    ("domain.memory.hugepages", "memory.hugepages"),
    ("domain.memory.maxGuest", "memory.maxGuest"),
    ("domain.devices.gpus", "gpus"),
    ("domain.devices.hostDevices", "hostDevices"),
    ("domain.ioThreads.supplementalPoolThreadCount", "ioThreads.supplementalPoolThreadCount"),
    ("domain.ioThreadsPolicy", "ioThreadsPolicy"),
    ("domain.launchSecurity", "launchSecurity"),
    ("nodeSelector", "nodeSelector"),
    ("schedulerName", "schedulerName"),
];

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let roots = file.documents.iter().filter_map(|document| document.root());
    let objects: Vec<TypedObject<'_>> = roots.flat_map(find_objects).collect();
    for machine in objects.iter().filter(|object| object.kind == "VirtualMachine") {
        let Some(spec) = machine.node.get("spec").filter(|_| machine.api_version.starts_with("kubevirt.io/"))
        else {
            continue;
        };
        let chosen = |key: &str, cluster_kind: &str| {
            let matcher = spec.get(key).filter(|matcher| matcher.is_map() && !matcher.is_templated())?;
            let own = find_matched(&objects, machine.node, matcher, cluster_kind);
            Some((matcher, own))
        };
        let instancetype = chosen("instancetype", "VirtualMachineClusterInstancetype");
        if let (Some((matcher, own)), Some(pod)) = (instancetype, at(spec, "template.spec")) {
            report_conflicts(pod, matcher, own, found);
        }
        let preference = chosen("preference", "VirtualMachineClusterPreference");
        if let Some((matcher, Some(preference))) = preference {
            report_requirements(spec, (matcher, preference), instancetype, found);
        }
    }
}

/// True if a machine has an instance type, so that fields which that sets must be absent.
pub(crate) fn has_instancetype(machine: Node<'_>) -> bool {
    machine.get("spec").and_then(|spec| spec.get("instancetype")).is_some_and(Node::is_map)
}

/// The object of the file that a matcher selects.
// kubevirt pkg/instancetype/find: without a kind it is that of the cluster; names of kinds are compared without case
fn find_matched<'d>(
    objects: &[TypedObject<'d>],
    machine: Node<'d>,
    matcher: Node<'d>,
    cluster_kind: &str,
) -> Option<Node<'d>> {
    let text = |node: Node<'d>, path: &str| at(node, path).and_then(Node::as_str);
    let name = text(matcher, "name")?;
    let kind = text(matcher, "kind").unwrap_or(cluster_kind);
    let is_namespaced = !kind.eq_ignore_ascii_case(cluster_kind);
    let is_selected = |object: &&TypedObject<'d>| {
        object.api_version.starts_with("instancetype.kubevirt.io/")
            && object.kind.eq_ignore_ascii_case(kind)
            && text(object.node, "metadata.name") == Some(name)
            && (!is_namespaced
                || text(object.node, "metadata.namespace") == text(machine, "metadata.namespace"))
    };
    let mut selected = objects.iter().filter(is_selected);
    // Of two with one name it is unknown which one is meant.
    let only = selected.next().filter(|_| selected.next().is_none());
    only.and_then(|object| object.node.get("spec"))
}

fn report_conflicts(pod: Node<'_>, matcher: Node<'_>, own: Option<Node<'_>>, found: &mut Vec<Diagnostic>) {
    let sets = |source: Node<'_>| is_set(source) || source.kind() == SyntaxKind::False;
    let with = SET_WITH.iter().filter(|(_, source)| own.and_then(|own| at(own, source)).is_some_and(sets));
    let fields = ALWAYS_SET.iter().chain(with.map(|(field, _)| field));
    for field in fields {
        let Some(entry) = entry_at(pod, field).filter(|entry| is_set(entry.value)) else { continue };
        let name = matcher.get("name").map_or(String::new(), |name| format!(" {}", code(name.text())));
        let path = code(&format!(".spec.template.spec.{field}"));
        let message = format!("{path} conflicts with the instance type{name}");
        let help = "remove the field: the instance type sets it, and KubeVirt rejects the VirtualMachine";
        let finding = LINT.diagnostic_at(entry.key.span(), message).with_help(help);
        found.push(finding.with_secondary_label(matcher.span().first_byte(), "the instance type"));
    }
}

/// Reports what a preference requires and the machine does not have.
// kubevirt pkg/instancetype/preference/requirements: checkMemory, checkCPU
fn report_requirements(
    spec: Node<'_>,
    (matcher, preference): (Node<'_>, Node<'_>),
    instancetype: Option<(Node<'_>, Option<Node<'_>>)>,
    found: &mut Vec<Diagnostic>,
) {
    let provider = match instancetype {
        Some((_, None)) => return,
        Some((_, Some(own))) => Some(own),
        None => None,
    };
    let pod = at(spec, "template.spec");
    let own_value = |of_type: &str, of_machine: &str| match provider {
        Some(own) => at(own, of_type),
        None => pod.and_then(|pod| at(pod, of_machine)),
    };
    let source = if provider.is_some() { "the instance type provides" } else { "the VirtualMachine has" };
    let mut report = |what: &str, provided: String, required: &str| {
        let name = matcher.get("name").map_or("", Node::text);
        let message = format!(
            "preference {} requires {what} {}, and {source} {}",
            code(name),
            code(required),
            code(&provided)
        );
        let at = instancetype.map_or(matcher, |(matcher, _)| matcher).span().first_byte();
        let help = "choose a larger instance type, or a preference with fewer requirements";
        found.push(LINT.diagnostic_at(at, message).with_help(help));
    };
    if let Some(required) = at(preference, "requirements.memory.guest") {
        let own = own_value("memory.guest", "domain.memory.guest");
        let size = own.map_or_else(|| Quantity::parse("0").ok(), read_quantity);
        if let (Some(size), Some(least)) = (size, read_quantity(required))
            && size < least
        {
            report("memory", own.map_or("0", Node::text).to_owned(), required.text());
        }
    }
    // Without an instance type the number depends on the topology that the preference prefers.
    if let (Some(required), Some(own)) = (at(preference, "requirements.cpu.guest"), provider) {
        let count = |node: Node<'_>| node.text().parse::<u32>().ok();
        let number = at(own, "cpu.guest").and_then(count);
        if let (Some(number), Some(least)) = (number, count(required))
            && number < least
        {
            report("CPUs", number.to_string(), required.text());
        }
    }
}

/// The size of a quantity; `None` if it is not one, or has a part that is not written out.
fn read_quantity(node: Node<'_>) -> Option<Quantity> {
    Quantity::parse(node.text()).ok().filter(|_| !node.is_templated())
}

/// True for a value that a server keeps: KubeVirt does not distinguish 0, `false` and empty lists from absent ones.
fn is_set(value: Node<'_>) -> bool {
    match value.kind() {
        SyntaxKind::Null | SyntaxKind::False | SyntaxKind::Hole => false,
        SyntaxKind::Number => value.text() != "0",
        SyntaxKind::String => !value.text().is_empty(),
        SyntaxKind::List => value.items().next().is_some(),
        SyntaxKind::Map => value.entries().next().is_some(),
        _ => true,
    }
}

fn at<'d>(node: Node<'d>, path: &str) -> Option<Node<'d>> {
    path.split('.').try_fold(node, Node::get)
}

fn entry_at<'d>(node: Node<'d>, path: &str) -> Option<kvrules_syntax::Entry<'d>> {
    match path.rsplit_once('.') {
        Some((before, last)) => at(node, before)?.entry(last),
        None => node.entry(path),
    }
}
