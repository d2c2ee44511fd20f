//! Proofs by a decider whose searches are recorded.

use kvrules_ir::{Constant, Term};

use super::cell_kinds::{Cell, CellKind};
use super::propositions::{PropositionId, PropositionTable};
use super::record::{ProofRecord, RecordedClosing, RecordedStep};
use super::terms::TermId;
use super::{Decider, Satisfiability, SearchMemory};
use crate::certificate::{CaseStep, CertifiedCases, Closing, Fact, Statement, TypeCondition};

impl<'a> Decider<'a> {
    /// Notes what the searches do. Has to come before formulas.
    pub(crate) fn recording(schema: &'a serde_json::Value) -> Self {
        let mut table = PropositionTable::new(schema, false);
        table.record = Some(ProofRecord::default());
        Self { table, memory: SearchMemory::default() }
    }

    /// Returns the facts and cases of the proof that a proposition never holds. `None` if there is none.
    pub(crate) fn into_proof(mut self, proposition: PropositionId) -> Option<CertifiedCases> {
        if self.can_hold(proposition) != Satisfiability::Never {
            return None;
        }
        let record = self.table.record.take()?;
        let statement = |cell: Cell| self.statement(cell);
        let fact = |(cell, holds): (Cell, bool)| Some(Fact { statement: statement(cell)?, holds });
        let condition = |(cell, of, name): (Cell, TermId, &Term)| {
            let Term::Constant(Constant::Type(name)) = name else { return None };
            Some(TypeCondition { statement: statement(cell)?, of: self.term(of)?, name: name.clone() })
        };
        let step = |step: RecordedStep| {
            Some(match step {
                RecordedStep::Split(cell, first) => {
                    CaseStep::Split(statement(self.table.cells.get(cell)?.cell)?, first)
                }
                RecordedStep::Closed(RecordedClosing::Formula) => CaseStep::Closed(Closing::Formula),
                RecordedStep::Closed(RecordedClosing::Value) => CaseStep::Closed(Closing::Value),
                RecordedStep::Closed(RecordedClosing::Listed) => CaseStep::Closed(Closing::Listed),
                RecordedStep::Closed(RecordedClosing::Order) => CaseStep::Closed(Closing::Order),
                RecordedStep::Closed(RecordedClosing::Text(of)) => {
                    CaseStep::Closed(Closing::Text(self.term(of)?))
                }
            })
        };
        Some(CertifiedCases {
            facts: record.facts.into_iter().filter_map(fact).collect(),
            types: record.types.into_iter().filter_map(condition).collect(),
            steps: record.steps.into_iter().map(step).collect::<Option<_>>()?,
        })
    }

    fn term(&self, id: TermId) -> Option<Term> {
        self.table.terms.get(id).map(|known| known.term.clone())
    }

    /// `None` for loops, which formulas without loops do not have.
    fn statement(&self, cell: Cell) -> Option<Statement> {
        let (left, right) = (self.term(cell.left)?, self.term(cell.right)?);
        Some(match cell.kind {
            CellKind::There => Statement::Present(left),
            CellKind::Equal => Statement::Equal(left, right),
            CellKind::Less => Statement::Less(left, right),
            CellKind::Comparable => Statement::Comparable(left, right),
            CellKind::AllPass(_) => return None,
        })
    }
}
