//! Named reasons for counts that got worse.

use std::fs;
use std::path::Path;

/// Lines `COMMAND | COUNT | REASON`. A `*` is every command or count.
#[derive(Default)]
pub struct Reasons {
    lines: Vec<[String; 3]>,
}

impl Reasons {
    /// # Errors
    ///
    /// If the file cannot be read, or a line has other parts.
    pub fn read(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts: Vec<String> = line.splitn(3, '|').map(|part| part.trim().to_owned()).collect();
            let parts: [String; 3] = parts.try_into().map_err(|_| {
                format!("{}:{}: expected COMMAND | COUNT | REASON", path.display(), index + 1)
            })?;
            if parts.iter().any(String::is_empty) {
                return Err(format!("{}:{}: a part is empty", path.display(), index + 1));
            }
            lines.push(parts);
        }
        Ok(Self { lines })
    }

    /// The reason for a count of a command.
    pub fn find(&self, command: &str, count: &str) -> Option<&str> {
        let is_about = |given: &str, asked: &str| given == "*" || given == asked;
        let found = self.lines.iter().find(|[of, key, _]| is_about(of, command) && is_about(key, count));
        found.map(|[_, _, reason]| reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_of_a_command_and_a_count() {
        let path = std::env::temp_dir().join(format!("reasons-{}", std::process::id()));
        fs::write(&path, "# reasons\ncheck | direction=unknown | was a false proof\n").unwrap();
        let reasons = Reasons::read(Some(&path)).unwrap();
        assert_eq!(reasons.find("check", "direction=unknown"), Some("was a false proof"));
        assert_eq!(reasons.find("diff", "direction=unknown"), None);
        fs::write(&path, "check | direction=unknown |\n").unwrap();
        assert!(Reasons::read(Some(&path)).is_err());
        fs::remove_file(&path).unwrap();
    }
}
