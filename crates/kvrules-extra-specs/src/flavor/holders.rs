//! Flavors and images in the files of other tools: Ansible, Heat, Terraform, and controllers of Kubernetes.
//!
//! A file is searched for what the tool calls a flavor; everything around it is the tool's own.

use kvrules_diagnostics::most_alike;
use kvrules_syntax::{Node, Notation};

use super::keys::{add_malformed, has_image_properties, is_namespaced, name_of};
use super::specs::{read_properties, read_specs};
use super::value::Tool;
use super::{Flavor, Flavors, Image};

/// Modules of Ansible for flavors, without their collection.
// collection openstack.cloud, plugins/modules/compute_flavor.py; its name was os_nova_flavor in Ansible 2.9 and collection 1.
const FLAVOR_MODULES: [&str; 2] = ["compute_flavor", "os_nova_flavor"];
/// Modules of Ansible for images. `image` without its collection may be the name of anything.
const IMAGE_MODULES: [&str; 3] = ["openstack.cloud.image", "openstack.cloud.os_image", "os_image"];
/// The parts of an output of Terraform that say everything, the first that there is.
// terraform.io/internals/json-format: `prior_state` and `configuration` repeat them, as they were and unresolved.
const TERRAFORM_PARTS: [&str; 3] = ["planned_values", "values", "resource_changes"];
/// Names of the extra specs of a flavor.
const SPECS: [&str; 2] = ["extra_specs", "extraSpecs"];
/// Similarity from which on a key is taken for that of extra specs. `extra_args` has a lower one.
const NEAR: f64 = 0.8;
/// Nesting at which a search ends. No tool nests its objects nearly as deep.
const MOST_DEPTH: usize = 40;

/// The search for flavors and images.
struct Search<'f> {
    found: &'f mut Flavors,
    /// Tool that reads the file, as far as an object around says so.
    tool: Tool,
    /// True below a key that names flavors, such as `openstack_flavors`.
    is_about_flavors: bool,
    depth: usize,
}

/// Adds the flavors and images in a document of another tool.
pub(super) fn add_held(root: Node<'_>, found: &mut Flavors) {
    if may_hold(root) {
        let root = terraform_part(root).unwrap_or(root);
        Search { found, tool: Tool::Ansible, is_about_flavors: false, depth: 0 }.visit(root);
    }
}

/// True if a document of another tool has flavors or images.
pub(super) fn has_held(root: Node<'_>) -> bool {
    let mut found = Flavors::default();
    add_held(root, &mut found);
    !found.flavors.is_empty() || !found.images.is_empty()
}

/// True unless the text has none of the words, or describes objects instead of having some.
fn may_hold(root: Node<'_>) -> bool {
    let words = ["extra_spec", "extraSpec", "properties", "lavor"];
    let text = root.source_text();
    let describes = ["$schema", "openapi", "swagger"].iter().any(|key| root.get(key).is_some())
        || root.get("kind").is_some_and(|kind| kind.text() == "CustomResourceDefinition");
    root.is_container() && !describes && words.iter().any(|word| text.contains(word))
}

/// The part of an output of `terraform show -json` to search.
fn terraform_part(root: Node<'_>) -> Option<Node<'_>> {
    root.get("format_version")?;
    TERRAFORM_PARTS.iter().find_map(|part| root.get(part))
}

impl Search<'_> {
    fn visit(&mut self, node: Node<'_>) {
        // The target of an alias is searched where it is written.
        if node.is_alias() || self.depth > MOST_DEPTH {
            return;
        }
        self.depth += 1;
        if node.is_list() {
            node.items().for_each(|item| self.visit(item));
        } else if node.is_map() && !self.read_typed(node) && !self.read_untyped(node) {
            for entry in node.entries() {
                self.visit_entry(entry.key.text(), entry.value);
            }
        }
        self.depth -= 1;
    }

    /// Visits the value of a key, which may name a module or a type of resources.
    fn visit_entry(&mut self, key: &str, value: Node<'_>) {
        let module = key.rsplit('.').next().unwrap_or(key);
        let is_ours = !key.contains('.') || key.starts_with("openstack.cloud.");
        if is_ours && FLAVOR_MODULES.contains(&module) && value.is_map() {
            self.add_flavor(value, value, Tool::Ansible);
        } else if IMAGE_MODULES.contains(&key) && value.get("properties").is_some() {
            self.add_image(value, value.get("properties"), Tool::Ansible);
        } else if key.starts_with("openstack_") && has_numbered_version(key) {
            self.read_configured(key, value);
        } else if !["volume", "share", "backend"].iter().any(|other| key.contains(other)) {
            let is_about_flavors = self.is_about_flavors || key.to_ascii_lowercase().contains("flavor");
            let outer = std::mem::replace(&mut self.is_about_flavors, is_about_flavors);
            self.visit(value);
            self.is_about_flavors = outer;
        }
    }

    /// Reads resources of a type in a configuration of Terraform in JSON: one object for each name, or a list of such objects.
    fn read_configured(&mut self, r#type: &str, value: Node<'_>) {
        if value.is_list() {
            return value.items().for_each(|item| self.read_configured(r#type, item));
        }
        for entry in value.entries() {
            let resources = entry.value.items().chain(entry.value.is_map().then_some(entry.value));
            resources.for_each(|resource| self.add_terraform(r#type, resource));
        }
    }

    /// Reads an object that names its type; false if it does not, or is of another type.
    fn read_typed(&mut self, node: Node<'_>) -> bool {
        let text = |key: &str| node.get(key).filter(|value| !value.is_container()).map_or("", Node::text);
        let version = text("apiVersion");
        let is_openstack = version.contains("openstack") && version.contains('/');
        match (text("type"), text("kind")) {
            ("OS::Nova::Flavor", _) => {
                self.add_heat(node, |search, of| search.add_flavor(of, of, Tool::Heat));
            }
            ("OS::Glance::WebImage" | "OS::Glance::Image", _) => self.add_heat(node, |search, of| {
                search.add_image(of, of.get("extra_properties"), Tool::Heat);
            }),
            (r#type, _) if r#type.starts_with("openstack_") && has_numbered_version(r#type) => {
                self.read_terraform(r#type, node);
            }
            (_, "Flavor" | "FlavorV2") if is_openstack => {
                let spec = node.get("spec");
                let within = |key: &str| spec.and_then(|spec| spec.get(key));
                let flavor = within("resource").or_else(|| within("forProvider")).or(spec);
                let Some(flavor) = flavor.filter(|flavor| flavor.is_map()) else { return false };
                let named = node.get("metadata").filter(|_| name_of(flavor).is_none()).unwrap_or(flavor);
                self.add_flavor(flavor, named, Tool::Kubernetes);
            }
            _ => return self.read_action(node),
        }
        true
    }

    /// Reads a task of Ansible that names its module in `module`, below `action` or `local_action`.
    fn read_action(&mut self, node: Node<'_>) -> bool {
        let module = node.get("module").map_or("", Node::text);
        let is_flavor = FLAVOR_MODULES.contains(&module.trim_start_matches("openstack.cloud."));
        if is_flavor {
            self.add_flavor(node, node, Tool::Ansible);
        }
        is_flavor
    }

    fn add_heat(&mut self, node: Node<'_>, add: impl FnOnce(&mut Self, Node<'_>)) {
        if let Some(properties) = node.get("properties").filter(|properties| properties.is_map()) {
            add(self, properties);
        }
    }

    /// Reads a resource of a plan or a state of Terraform.
    fn read_terraform(&mut self, r#type: &str, node: Node<'_>) {
        let instances = node.get("instances").into_iter().flat_map(Node::items);
        let of_state = instances.filter_map(|instance| instance.get("attributes"));
        let after = node.get("change").and_then(|change| change.get("after"));
        for values in node.get("values").into_iter().chain(after).chain(of_state) {
            self.add_terraform(r#type, values);
        }
    }

    fn add_terraform(&mut self, r#type: &str, values: Node<'_>) {
        match r#type {
            "openstack_compute_flavor_v2" => self.add_flavor(values, values, Tool::Terraform),
            "openstack_images_image_v2" => {
                self.add_image(values, values.get("properties"), Tool::Terraform);
            }
            _ => {}
        }
    }

    /// Reads an object that is a flavor or an image by its fields; false if it is neither.
    fn read_untyped(&mut self, node: Node<'_>) -> bool {
        let is_plain = |key: &&str| node.get(key).is_some_and(|value| !value.is_container());
        let is_sized = ["ram", "vcpus", "RAM", "VCPUs", "memory_mb"].iter().any(&is_plain);
        let is_named = ["name", "Name", "flavorid", "id", "disk"].iter().any(is_plain);
        let has_specs = |specs: Node<'_>| {
            specs.entries().any(|entry| is_nova_key(entry.key.text()))
                || specs.items().any(|item| item.as_str().is_some_and(is_nova_key))
        };
        let specs = SPECS.iter().find_map(|key| node.get(key));
        let is_flavor =
            specs.is_some_and(|specs| is_sized || self.is_about_flavors && is_named || has_specs(specs));
        let properties = || ["properties", "image_properties"].iter().find_map(|key| node.get(key));
        if is_flavor || is_sized && is_named && misspelt_specs(node).is_some() {
            self.add_flavor(node, node, self.tool);
            return true;
        }
        if is_sized && properties().is_some_and(has_specs) {
            let specs = properties().map(|specs| read_specs(specs, self.tool, self.found));
            self.found.flavors.push(Flavor { name: name_of(node), specs: specs.unwrap_or_default() });
            return true;
        }
        let is_image = !is_sized && is_named && properties().is_some_and(has_image_properties);
        if is_image {
            self.add_image(node, properties(), self.tool);
        }
        is_image
    }

    fn add_flavor(&mut self, node: Node<'_>, named: Node<'_>, tool: Tool) {
        let tool = if node.notation() == Notation::Yaml || tool != Tool::Ansible { tool } else { Tool::Api };
        let specs = SPECS.iter().find_map(|key| node.get(key));
        if let (None, Some((key, meant))) = (specs, misspelt_specs(node)) {
            let message = format!("unknown field `{}` of a flavor", key.text());
            add_malformed(self.found, key.span(), &message, &format!("did you mean `{meant}`?"));
        }
        let specs = specs.map(|specs| read_specs(specs, tool, self.found)).unwrap_or_default();
        self.found.flavors.push(Flavor { name: name_of(named), specs });
    }

    fn add_image(&mut self, node: Node<'_>, properties: Option<Node<'_>>, tool: Tool) {
        let properties = properties.map(|properties| read_properties(properties, tool));
        self.found.images.push(Image { name: name_of(node), properties: properties.unwrap_or_default() });
    }
}

/// True for a key of Nova's extra specs. Volume types have capabilities, too.
fn is_nova_key(key: &str) -> bool {
    is_namespaced(key) && !key.starts_with("capabilities:")
}

/// True for a type of resources with a version, such as `openstack_compute_flavor_v2`.
fn has_numbered_version(r#type: &str) -> bool {
    r#type.rsplit_once("_v").is_some_and(|(_, version)| version.parse::<u8>().is_ok())
}

/// The key of a flavor without extra specs that is nearly theirs, and the key that was meant.
fn misspelt_specs(node: Node<'_>) -> Option<(Node<'_>, &'static str)> {
    let mut near = node.entries().filter(|entry| entry.value.is_container());
    near.find_map(|entry| {
        let meant = most_alike(entry.key.text(), NEAR, SPECS.iter().map(|key| (*key, *key)))?;
        Some((entry.key, meant))
    })
}
