//! `[lint]`: selection and severity of findings.

use std::collections::BTreeMap;

use kvrules_diagnostics::render::check_page_url;
use kvrules_triage::select::{FilePattern, Grade, LintChoice, PerFileIgnores, Selector, UnknownSelector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toml::Spanned;

use super::check::ConfigFault;

/// Selection and severity of findings of `kvrules check`. Lints are named by a code, the beginning of codes, or a name; `ALL` is
/// all of them. If two entries disagree, the more specific one counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LintConfig {
    /// The lints whose findings are reported; all of them unless set.
    #[schemars(with = "Vec<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Vec<Spanned<String>>>,
    /// Lints whose findings are ignored.
    #[schemars(with = "Vec<String>")]
    pub ignore: Vec<Spanned<String>>,
    /// Lints whose findings are ignored in some files: globs, and the lints for each. A glob without `/` matches file names in
    /// any directory.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub per_file_ignores: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    /// Severity of the findings of a lint, instead of its default.
    #[schemars(schema_with = "grades")]
    pub severity: BTreeMap<Spanned<String>, Grade>,
    /// A file of findings that are accepted and not shown. `kvrules check --write-baseline` writes it.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Spanned<String>>,
    /// Address of the pages of lints, for links in terminals and SARIF: `{page}` is replaced by the name of a page, such as
    /// `KV102-missing-key`, and `{code}` by a code; without either, `/{page}.html` is appended.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_url: Option<Spanned<String>>,
}

/// A table of severities.
fn grades(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let grades = Grade::ALL.map(Grade::as_str);
    let schema = json!({ "type": "object", "additionalProperties": { "type": "string", "enum": grades } });
    schema.try_into().unwrap_or_default()
}

impl LintConfig {
    /// Returns the choice for all files. Entries without a meaning are left out; [`parse`](super::parse) refuses them.
    ///
    /// ```
    /// use kvrules::select::Grade;
    /// use kvrules::{FileId, SourceFile, config};
    ///
    /// let text = "[lint]\nselect = ['KV']\nignore = ['unused-ignore']\nseverity = { KV3 = 'error' }\n";
    /// let file = SourceFile::new(FileId(0), "kvrules.toml", text);
    /// let choice = config::parse(&file, kvrules::all_targets()).unwrap().unwrap().lint.to_lint_choice();
    /// assert_eq!(choice.select, Some(vec!["KV".parse().unwrap()]));
    /// assert_eq!(choice.ignore, ["KV951".parse().unwrap()]);
    /// assert_eq!(choice.severity, [("KV3".parse().unwrap(), Grade::Error)]);
    /// ```
    pub fn to_lint_choice(&self) -> LintChoice {
        LintChoice {
            select: self.select.as_ref().map(|select| parse_selectors(select)),
            ignore: parse_selectors(&self.ignore),
            severity: self
                .severity
                .iter()
                .filter_map(|(text, grade)| Some((text.get_ref().parse().ok()?, *grade)))
                .collect(),
        }
    }

    /// Returns the choices for some files, ordered by glob.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, config};
    ///
    /// let file = SourceFile::new(FileId(0), "kvrules.toml", "[lint.per-file-ignores]\n'legacy/*.yaml' = ['KV8']\n");
    /// let per_file = config::parse(&file, kvrules::all_targets()).unwrap().unwrap().lint.per_file();
    /// assert!(per_file[0].files.matches("legacy/rhel.yaml") && !per_file[0].files.matches("rhel.yaml"));
    /// assert_eq!(per_file[0].ignore, ["KV8".parse().unwrap()]);
    /// ```
    pub fn per_file(&self) -> Vec<PerFileIgnores> {
        let one = |(files, ignore): (&Spanned<String>, &Vec<Spanned<String>>)| {
            Some(PerFileIgnores {
                files: FilePattern::new(files.get_ref()).ok()?,
                ignore: parse_selectors(ignore),
            })
        };
        self.per_file_ignores.iter().filter_map(one).collect()
    }

    /// Returns the errors for entries without a meaning.
    pub(super) fn find_faults(&self) -> Vec<ConfigFault> {
        let listed = self.select.iter().flatten().chain(&self.ignore);
        let texts = listed.chain(self.per_file_ignores.values().flatten()).chain(self.severity.keys());
        let globs = self.per_file_ignores.keys().filter_map(|glob| {
            let error = FilePattern::new(glob.get_ref()).err()?;
            Some(ConfigFault { range: glob.span(), message: error.0, help: None })
        });
        let page_url = self.page_url.iter().filter_map(|url| {
            let message = check_page_url(url.get_ref()).err()?;
            Some(ConfigFault { range: url.span(), message, help: None })
        });
        texts.filter_map(unknown_selector_fault).chain(globs).chain(page_url).collect()
    }
}

fn unknown_selector_fault(text: &Spanned<String>) -> Option<ConfigFault> {
    let UnknownSelector { message, help } = text.get_ref().parse::<Selector>().err()?;
    Some(ConfigFault { range: text.span(), message, help: Some(help) })
}

fn parse_selectors(texts: &[Spanned<String>]) -> Vec<Selector> {
    texts.iter().filter_map(|text| text.get_ref().parse().ok()).collect()
}
