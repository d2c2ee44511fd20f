//! Properties of images that Nova reads, and findings about them.

use kvrules_diagnostics::most_alike;

use super::{Finding, hint};
use crate::definition::Definition;
use crate::lints;
use crate::nova::NovaOutcome;
use crate::registry::DefinitionRegistry;

/// The properties that Nova reads, apart from those with a number in their names and traits.
// nova objects/image_meta.py, ImageMetaProps.fields and _legacy_property_map.
const PROPERTIES: [&str; 106] = [
    "architecture",
    "auto_disk_config",
    "bdm_v2",
    "bittorrent",
    "block_device_mapping",
    "cache_in_nova",
    "hw_architecture",
    "hw_auto_disk_config",
    "hw_boot_menu",
    "hw_cdrom_bus",
    "hw_cpu_cores",
    "hw_cpu_max_cores",
    "hw_cpu_max_sockets",
    "hw_cpu_max_threads",
    "hw_cpu_policy",
    "hw_cpu_realtime_mask",
    "hw_cpu_sockets",
    "hw_cpu_thread_policy",
    "hw_cpu_threads",
    "hw_device_id",
    "hw_disk_bus",
    "hw_disk_type",
    "hw_emulation_architecture",
    "hw_ephemeral_encryption",
    "hw_ephemeral_encryption_format",
    "hw_ephemeral_encryption_secret_uuid",
    "hw_firmware_stateless",
    "hw_firmware_type",
    "hw_floppy_bus",
    "hw_input_bus",
    "hw_ipxe_boot",
    "hw_locked_memory",
    "hw_machine_type",
    "hw_maxphysaddr_bits",
    "hw_maxphysaddr_mode",
    "hw_mem_encryption",
    "hw_mem_encryption_model",
    "hw_mem_page_size",
    "hw_numa_nodes",
    "hw_pci_numa_affinity_policy",
    "hw_pmu",
    "hw_pointer_model",
    "hw_qemu_guest_agent",
    "hw_redirected_usb_ports",
    "hw_rescue_bus",
    "hw_rescue_device",
    "hw_rng_model",
    "hw_scsi_model",
    "hw_serial_port_count",
    "hw_sound_model",
    "hw_time_hpet",
    "hw_tpm_model",
    "hw_tpm_version",
    "hw_usb_model",
    "hw_video_model",
    "hw_video_ram",
    "hw_vif_model",
    "hw_vif_multiqueue_enabled",
    "hw_viommu_model",
    "hw_virtio_packed_ring",
    "hw_vm_mode",
    "hw_watchdog_action",
    "hypervisor_type",
    "hypervisor_version_requires",
    "img_bdm_v2",
    "img_bittorrent",
    "img_block_device_mapping",
    "img_cache_in_nova",
    "img_compression_level",
    "img_config_drive",
    "img_hide_hypervisor_id",
    "img_hv_requested_version",
    "img_hv_type",
    "img_linked_clone",
    "img_mappings",
    "img_owner_id",
    "img_root_device_name",
    "img_signature",
    "img_signature_certificate_uuid",
    "img_signature_hash_method",
    "img_signature_key_type",
    "img_use_agent",
    "img_version",
    "ipxe_boot",
    "mappings",
    "os_admin_user",
    "os_command_line",
    "os_distro",
    "os_require_quiesce",
    "os_secure_boot",
    "os_skip_agent_inject_files_at_boot",
    "os_skip_agent_inject_ssh",
    "os_type",
    "owner_id",
    "root_device_name",
    "vm_mode",
    "vmware_adaptertype",
    "vmware_disktype",
    "vmware_image_version",
    "vmware_linked_clone",
    "vmware_ostype",
    "xenapi_device_id",
    "xenapi_image_compression_level",
    "xenapi_skip_agent_inject_files_at_boot",
    "xenapi_skip_agent_inject_ssh",
    "xenapi_use_agent",
];

/// Names of Glance and its clients that begin as properties of Nova's do.
// glance api/v2/images.py, get_base_properties; openstacksdk image/v2/image.py.
const OF_GLANCE: [&str; 5] =
    ["os_hash_algo", "os_hash_value", "os_hidden", "os_version", "os_glance_importing_to_stores"];

/// Similarity of two names from which on one is taken for the other: people invent properties of their own.
const NEAR: f64 = 0.85;

/// True for a property that Nova reads.
pub(crate) fn is_image_property(key: &str) -> bool {
    PROPERTIES.contains(&key) || key.starts_with("hw_numa_cpus.") || key.starts_with("hw_numa_mem.")
}

/// True for a property of Nova's alone, as it is or with a slip: others have an architecture, too.
pub(crate) fn is_evident_property(key: &str) -> bool {
    (key.starts_with("hw_") || key.starts_with("img_"))
        && !key.contains(':')
        && (is_image_property(key) || near_property(key).is_some())
}

/// True for a name next to the fields of an image that is a property, or was to be one.
pub(crate) fn may_be_property(key: &str) -> bool {
    let begins = ["hw_", "hw:", "os_", "img_", "trait:", "resources:", "quota:"];
    !OF_GLANCE.contains(&key) && begins.iter().any(|begin| key.starts_with(begin))
}

impl DefinitionRegistry {
    /// The extra spec with the meaning of an image property: its key, and its definition.
    ///
    /// ```
    /// use kvrules_extra_specs::{DefinitionRegistry, shipped_document};
    ///
    /// let registry = DefinitionRegistry::new([shipped_document().expand_definitions()]);
    /// let (key, _) = registry.find_image_property("hw_numa_cpus.1").unwrap();
    /// assert_eq!(key, "hw:numa_cpus.1");
    /// ```
    pub fn find_image_property(&self, property: &str) -> Option<(String, &Definition)> {
        self.definitions().find_map(|definition| {
            let name = definition.image_property.as_deref()?;
            let Some((begin, _)) = name.split_once('{') else {
                return (name == property).then(|| (definition.name.clone(), definition));
            };
            let parameter = property.strip_prefix(begin)?;
            let key = format!("{}{parameter}", definition.name.split('{').next()?);
            self.find_definition(&key).map(|found| (key, found.definition))
        })
    }
}

/// The property that a name is nearly.
fn near_property(key: &str) -> Option<&'static str> {
    most_alike(key, NEAR, PROPERTIES.iter().map(|name| (*name, *name)))
}

/// Returns what is wrong with a property of an image: its value, or a name that Nova does not read and that is nearly one, or
/// an extra spec.
pub(crate) fn check_property(registry: &DefinitionRegistry, key: &str, value: &str) -> Option<Finding> {
    if let Some((spec, _)) = registry.find_image_property(key) {
        let found = registry.find_definition(&spec)?;
        let NovaOutcome::Refused(refusal) = found.entry.value.check(value) else { return None };
        let reason = refusal.text.trim_start_matches("Validation failed; ").trim_end_matches('.').to_owned();
        let message = format!("invalid value of the image property `{key}`: {reason}");
        let help = hint::value_hint(&found, value);
        return Some(Finding {
            help,
            nova: Some(refusal.text),
            ..Finding::new(&lints::EXTRA_SPEC_VALUE, key, value, message)
        });
    }
    let ignored = |message: String, help: Option<String>| {
        Some(Finding { help, ..Finding::new(&lints::IMAGE_PROPERTY, key, value, message) })
    };
    if key.starts_with("trait:") {
        // nova objects/image_meta.py, _set_attr_from_trait_names.
        let message = format!("`{key}` has no effect: only the value `required` applies to an image");
        return if value == "required" {
            None
        } else {
            ignored(message, Some("write `required`".to_owned()))
        };
    }
    if is_image_property(key) || OF_GLANCE.contains(&key) {
        return None;
    }
    if let Some(found) = registry.find_definition(key).filter(|_| key.contains(':')) {
        let property = found.definition.image_property.as_ref();
        let property =
            property.map(|name| match (name.split_once('{'), found.definition.name.split('{').next()) {
                (Some((begin, _)), Some(own)) => {
                    format!("{begin}{}", key.strip_prefix(own).unwrap_or_default())
                }
                _ => name.clone(),
            });
        let help = property
            .map_or("set it in the flavor".to_owned(), |name| format!("use the image property `{name}`"));
        return ignored(
            format!("`{key}` is an extra spec of flavors, which Nova ignores in an image"),
            Some(help),
        );
    }
    let near = near_property(key)?;
    ignored(format!("unknown image property `{key}`"), Some(format!("did you mean `{near}`?")))
}
