//! Changes for the template validator deployed today, for a person: by named difference, with an object each.

use kvrules::all_differences;
use kvrules::render::one_line;
use kvrules::verify::{SspReport, ValidatorDeparture, VerdictChange};

use crate::sentences::{count_noun, list_few};
use crate::terminal::ColorPainter;

/// Shown of one difference at the most.
const EXAMPLES: usize = 3;

/// The whole report.
pub(super) fn render_ssp_report(report: &SspReport, paint: ColorPainter) -> String {
    let named = all_differences().iter().filter_map(|difference| {
        let shown: Vec<&ValidatorDeparture> = report
            .departures
            .iter()
            .filter(|departure| departure.differences.contains(&difference.id))
            .collect();
        let head = format!("{} {}: {}", difference.id, difference.name, difference.summary);
        (!shown.is_empty()).then(|| departure_group(&head, &shown, paint))
    });
    let unnamed: Vec<_> =
        report.departures.iter().filter(|departure| departure.differences.is_empty()).collect();
    let unnamed = (!unnamed.is_empty())
        .then(|| departure_group("without a name; please report these", &unnamed, paint));
    named.chain(unnamed).collect::<Vec<_>>().join("\n")
}

/// In one line.
pub(super) fn ssp_summary(report: &SspReport) -> String {
    let looked =
        format!("compared {} on {}", count_noun(report.rules, "rule"), count_noun(report.objects, "object"));
    let of = |change| report.departures.iter().filter(|departure| departure.change == Some(change)).count();
    if report.departures.is_empty() {
        return format!("{looked}: the meaning and the deployed validator agree");
    }
    let (allowed, denied) = (of(VerdictChange::Allowed), of(VerdictChange::Denied));
    format!(
        "{looked}: {}; {allowed} would allow what is denied today, {denied} would deny what is allowed",
        count_noun(report.departures.len(), "difference")
    )
}

fn departure_group(head: &str, departures: &[&ValidatorDeparture], paint: ColorPainter) -> String {
    let mut rules: Vec<String> = departures.iter().map(|departure| format!("`{}`", departure.rule)).collect();
    rules.dedup();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let shown: String =
        departures.iter().take(EXAMPLES).map(|departure| departure_example(departure)).collect();
    format!("{}\n  {}\n{shown}", paint.bold(head), one_line(&list_few(&rules, "rule")))
}

fn departure_example(departure: &ValidatorDeparture) -> String {
    let change = match departure.change {
        Some(VerdictChange::Allowed) => "; denied today, allowed by the meaning",
        Some(VerdictChange::Denied) => "; allowed today, denied by the meaning",
        None => "",
    };
    format!(
        "  `{}` in {}: means {}, the validator: {}{change}\n    {}\n",
        one_line(&departure.rule),
        one_line(&departure.set),
        departure.means,
        departure.validator,
        departure.object
    )
}
