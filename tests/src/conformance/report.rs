//! Results of the cases of a file, and their output.

use std::collections::BTreeMap;
use std::io::{self, Write};

/// Number of agreeing cases, and of all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseCount {
    /// Cases that came out as recorded.
    pub agreed: usize,
    /// All cases.
    pub total: usize,
}

/// A case that did not come out as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseDifference {
    /// Its line, from 1.
    pub line: usize,
    /// Its name, if it has one.
    pub id: Option<String>,
    /// Recorded result.
    pub expected: String,
    /// Actual result.
    pub actual: String,
}

/// Results of the cases of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseReport {
    /// The counts by family.
    pub families: BTreeMap<String, CaseCount>,
    /// Compared aspects of the cases of each family, if they are counted one by one.
    pub aspects: BTreeMap<String, BTreeMap<&'static str, CaseCount>>,
    /// The first cases that differ, in their order.
    pub differences: Vec<CaseDifference>,
    /// The first lines that are no case, from 1, and why.
    pub problems: Vec<(usize, String)>,
    /// Number of lines that are not cases.
    pub unread: usize,
    limit: usize,
}

impl CaseReport {
    /// Nothing was run. Of each list, the first `limit` are kept.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The sum over the families.
    pub fn total_count(&self) -> CaseCount {
        self.families.values().fold(CaseCount::default(), |sum, family| CaseCount {
            agreed: sum.agreed + family.agreed,
            total: sum.total + family.total,
        })
    }

    /// True if no case and no problem was found.
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && self.unread == 0
    }

    /// Counts a case that agrees.
    pub fn add_agreement(&mut self, family: String) {
        let count = self.families.entry(family).or_default();
        count.agreed += 1;
        count.total += 1;
    }

    /// Counts one thing that was compared in a case.
    pub fn add_aspect(&mut self, family: &str, aspect: &'static str, agrees: bool) {
        let count = self.aspects.entry(family.to_owned()).or_default().entry(aspect).or_default();
        count.agreed += usize::from(agrees);
        count.total += 1;
    }

    /// Counts a case that differs.
    pub fn add_difference(&mut self, family: String, difference: CaseDifference) {
        self.families.entry(family).or_default().total += 1;
        if self.differences.len() < self.limit {
            self.differences.push(difference);
        }
    }

    /// Counts a line that is no case.
    pub fn add_unread_line(&mut self, line: usize, reason: String) {
        self.unread += 1;
        if self.problems.len() < self.limit {
            self.problems.push((line, reason));
        }
    }

    /// Tells the counts and the differences; the lines that are no case are for [`CaseReport::write_problems`].
    pub fn write_report(&self, file: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{file}")?;
        for (family, count) in &self.families {
            writeln!(out, "  {family}: {}/{}", count.agreed, count.total)?;
            for (aspect, count) in self.aspects.get(family).into_iter().flatten() {
                writeln!(out, "    {aspect}: {}/{}", count.agreed, count.total)?;
            }
        }
        for difference in &self.differences {
            let CaseDifference { line, id, expected, actual } = difference;
            let id = id.as_deref().unwrap_or("(no id)");
            writeln!(out, "  {id} (line {line})\n    expected {expected}\n    actual   {actual}")?;
        }
        let count = self.total_count();
        let more = count.total - count.agreed - self.differences.len();
        if more > 0 {
            writeln!(out, "  and {more} more that differ; --all shows them")?;
        }
        writeln!(out, "  {}", summary_line(count, self.unread))
    }

    /// Tells which lines are no case, each with its place.
    pub fn write_problems(&self, file: &str, out: &mut impl Write) -> io::Result<()> {
        for (line, reason) in &self.problems {
            writeln!(out, "{file}:{line}: {reason}")?;
        }
        let more = self.unread - self.problems.len();
        if more > 0 {
            writeln!(out, "{file}: and {more} more lines that are no case; --all shows them")?;
        }
        Ok(())
    }
}

/// The line that sums up.
pub fn summary_line(count: CaseCount, unread: usize) -> String {
    let failed = count.total - count.agreed;
    let line = format!("{} passed, {failed} failed", count.agreed);
    if unread == 0 { line } else { format!("{line}, {unread} not read") }
}
