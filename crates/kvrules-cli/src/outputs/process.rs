//! Processes: which of them live, and on which machine.

use std::sync::LazyLock;

/// A number for the machine, or the container, in which the numbers of processes mean what they mean here.
pub(super) fn machine_number() -> u32 {
    static MACHINE: LazyLock<u32> = LazyLock::new(|| hash_text(&identity()));
    *MACHINE
}

/// Returns an identity of this machine: the time that it was started, and the namespace of processes that this one can see.
#[cfg(target_os = "linux")]
fn identity() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{boot}{}", namespace.to_string_lossy())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn identity() -> String {
    nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(not(unix))]
fn identity() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// FNV-1a, which gives the same number in every run and every release.
fn hash_text(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// True if a process of this machine is alive; `None` if that is unknown.
#[cfg(unix)]
pub(super) fn is_alive(process: u32) -> Option<bool> {
    use nix::errno::Errno;
    use nix::sys::signal::kill;
    use nix::unistd::Pid;
    // For `kill`, zero and negative numbers are process groups.
    let number = i32::try_from(process).ok().filter(|number| *number > 0)?;
    // Without a signal, `kill` only checks that the process exists.
    Some(!matches!(kill(Pid::from_raw(number), None), Err(Errno::ESRCH)))
}

#[cfg(not(unix))]
pub(super) fn is_alive(_: u32) -> Option<bool> {
    None
}
