//! Expressions that are values: terms, each under the condition under which the expression is that term.

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};
use kvrules_cel::types::Type;
use kvrules_ir::{Constant, Formula, Term};

use crate::functions::{is_known, symbol_of};
use crate::opaque::{Opaque, OpaqueKind};
use crate::state::{GuardedTerm, Lifter, entry_of, property_name};

/// The most terms that an expression may be.
const MOST_TERMS: usize = 48;

type Terms = Result<Vec<GuardedTerm>, Opaque>;

impl Lifter<'_> {
    /// Lifts an expression of any type; a condition is the term `true` or `false`.
    pub(crate) fn lift_term(&mut self, expr: &Expr) -> Terms {
        let is_condition = match &expr.kind {
            ExprKind::Has { .. } => true,
            ExprKind::Comprehension(it) => !is_collecting(it.kind),
            ExprKind::Call { function, .. } => CONDITIONS.contains(&function.as_str()),
            _ => false,
        };
        if !is_condition {
            return self.lift_plain_term(expr);
        }
        let lifted = self.lift_truth(expr)?;
        let truth = |when, value| GuardedTerm { when, term: Term::Constant(Constant::Boolean(value)) };
        let terms = [truth(lifted.holds, true), truth(lifted.fails, false)];
        Ok(terms.into_iter().filter(|it| it.when != Formula::False).collect())
    }

    /// Lifts an expression that is not a condition.
    pub(crate) fn lift_plain_term(&mut self, expr: &Expr) -> Terms {
        let terms = match &expr.kind {
            ExprKind::Literal(literal) => {
                vec![GuardedTerm::always(Term::Constant(constant_of(expr, literal)?))]
            }
            ExprKind::Ident(name) => self.lift_name(expr, name)?,
            ExprKind::Select { operand, field } => self.lift_field(expr, operand, field)?,
            ExprKind::Call { function, receiver, args } => {
                self.lift_call(expr, function, receiver.as_deref(), args)?
            }
            ExprKind::List(elements) => {
                if elements.iter().any(|element| element.optional) {
                    return Err(Opaque::at(expr, OpaqueKind::Construct("an optional element of a list")));
                }
                let items: Vec<&Expr> = elements.iter().map(|element| &element.value).collect();
                self.lift_all(expr, &items, Term::List)?
            }
            ExprKind::Comprehension(comprehension) => self.lift_collection(expr, comprehension)?,
            ExprKind::Map(entries) if entries.is_empty() => {
                vec![GuardedTerm::always(Term::call_of(EMPTY_MAP, false, Vec::new()))]
            }
            ExprKind::Map(_) => {
                return Err(Opaque::at(expr, OpaqueKind::Construct("a map that is written out")));
            }
            ExprKind::Struct { .. } => {
                return Err(Opaque::at(expr, OpaqueKind::Construct("an object that is written out")));
            }
            ExprKind::SortBy { .. } => {
                return Err(Opaque::at(expr, OpaqueKind::Function("sortBy".to_owned())));
            }
            ExprKind::Has { .. } | ExprKind::OptMap { .. } => {
                return Err(Opaque::at(expr, OpaqueKind::Construct("an optional as a value")));
            }
        };
        let nodes = terms.iter().map(|it| it.when.node_count() + it.term.node_count()).sum();
        self.charge(expr, nodes)?;
        Ok(terms)
    }

    fn lift_name(&mut self, expr: &Expr, name: &str) -> Terms {
        if let Some((_, terms)) = self.bindings.iter().rev().find(|(bound, _)| bound == name) {
            return Ok(terms.clone());
        }
        if self.optional_roots.contains(&name) {
            return Err(Opaque::at(expr, OpaqueKind::Construct("an optional as a value")));
        }
        let name = name.trim_start_matches('.');
        let term = match self.type_of(expr) {
            Some(Type::Type(_)) => Term::Constant(Constant::Type(name.to_owned())),
            _ => Term::Root(name.to_owned()),
        };
        Ok(vec![GuardedTerm::always(term)])
    }

    fn lift_field(&mut self, expr: &Expr, operand: &Expr, field: &str) -> Terms {
        let name = match self.type_of(operand) {
            Some(Type::Object(_)) => property_name(expr, field)?,
            Some(Type::Map(..) | Type::Dyn) => field.to_owned(),
            Some(Type::Optional(_)) => {
                return Err(Opaque::at(expr, OpaqueKind::Construct("an optional as a value")));
            }
            _ => return Err(Opaque::at(expr, OpaqueKind::UnknownType)),
        };
        let terms = self.lift_term(operand)?.into_iter();
        Ok(terms.map(|it| GuardedTerm { when: it.when, term: it.term.with_field(name.clone()) }).collect())
    }

    fn lift_call(&mut self, expr: &Expr, function: &str, receiver: Option<&Expr>, args: &[Expr]) -> Terms {
        match (function, args) {
            (operators::CONDITIONAL, [condition, yes, no]) => {
                let condition = self.lift_truth(condition)?;
                let (yes, no) = (self.lift_term(yes)?, self.lift_term(no)?);
                let under = |when: Formula, terms: Vec<GuardedTerm>| {
                    let guard = move |it: GuardedTerm| GuardedTerm {
                        when: Formula::all_of([when.clone(), it.when]),
                        term: it.term,
                    };
                    terms.into_iter().map(guard)
                };
                let terms = under(condition.holds, yes).chain(under(condition.fails, no));
                Ok(terms.filter(|it| it.when != Formula::False).collect())
            }
            (operators::INDEX, [operand, key]) => {
                let is_map = matches!(self.type_of(operand), Some(Type::Map(..)));
                self.lift_all(expr, &[operand, key], move |terms| match <[Term; 2]>::try_from(terms) {
                    // A list has no texts as indices.
                    Ok([of, key]) if is_map || is_text(&key) => entry_of(of, key),
                    Ok([of, key]) => Term::Index(Box::new(of), Box::new(key)),
                    Err(terms) => Term::List(terms),
                })
            }
            // It changes the type that the checker sees, and not the value.
            ("dyn", [value]) if receiver.is_none() => self.lift_term(value),
            ("orValue" | "value", _) if receiver.is_some() => self.lift_opened_optional(expr, receiver, args),
            (operators::ADD, _) => match self.lift_tally(expr)? {
                Some(term) => Ok(vec![term]),
                None => self.lift_function(expr, function, receiver, args),
            },
            _ => self.lift_function(expr, function, receiver, args),
        }
    }

    fn lift_function(
        &mut self,
        expr: &Expr,
        function: &str,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Terms {
        if let Some(symbol) = symbol_of(function) {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.lift_all(expr, &operands, move |terms| Term::call_of(symbol, false, terms));
        }
        let (name, is_namespaced) = self.function_name(function, receiver);
        if !is_known(&name) {
            return Err(Opaque::at(expr, OpaqueKind::Function(name)));
        }
        let receiver = receiver.filter(|_| !is_namespaced);
        let (is_member, operands) =
            (receiver.is_some(), receiver.into_iter().chain(args).collect::<Vec<_>>());
        if name == "size"
            && let [range] = operands.as_slice()
            && let Some(term) = self.lift_literal_size(range)?
        {
            return Ok(vec![term]);
        }
        // `size(x)` and `x.size()` are the same.
        let is_member = is_member && name != "size";
        self.lift_all(expr, &operands, move |terms| Term::call_of(&name, is_member, terms))
    }

    /// The name of a function, with the namespace if it stands in place of a receiver.
    fn function_name(&self, function: &str, receiver: Option<&Expr>) -> (String, bool) {
        let is_bound = |space: &str| self.bindings.iter().any(|(name, _)| name == space);
        let space = receiver.and_then(Expr::qualified_name).filter(|space| !is_bound(space));
        let full = space.map(|space| format!("{space}.{function}")).filter(|full| is_known(full));
        match full {
            Some(full) => (full, true),
            None => (function.to_owned(), false),
        }
    }

    /// The terms of several expressions, each combination made into one.
    pub(crate) fn lift_all(
        &mut self,
        expr: &Expr,
        parts: &[&Expr],
        make: impl Fn(Vec<Term>) -> Term,
    ) -> Terms {
        let mut combinations = vec![(Formula::True, Vec::new())];
        for part in parts {
            let terms = self.lift_term(part)?;
            let mut longer = Vec::new();
            for (when, terms_so_far) in &combinations {
                for it in &terms {
                    let when = Formula::all_of([when.clone(), it.when.clone()]);
                    if when != Formula::False {
                        let joined: Vec<Term> =
                            terms_so_far.iter().cloned().chain([it.term.clone()]).collect();
                        longer.push((when, joined));
                    }
                }
            }
            if longer.len() > MOST_TERMS {
                return Err(Opaque::at(expr, OpaqueKind::TooLarge));
            }
            combinations = longer;
        }
        Ok(combinations.into_iter().map(|(when, terms)| GuardedTerm { when, term: make(terms) }).collect())
    }

    /// `(a ? 1 : 0) + (b ? 1 : 0)`: the number of conditions that hold.
    fn lift_tally(&mut self, expr: &Expr) -> Result<Option<GuardedTerm>, Opaque> {
        let mut summands = Vec::new();
        flatten_sum(expr, &mut summands);
        let is_choice = |expr: &&Expr| match &expr.kind {
            ExprKind::Call { function, args, .. } => {
                let ends = args.iter().skip(1);
                function == operators::CONDITIONAL && ends.into_iter().all(is_zero_or_one)
            }
            _ => false,
        };
        if !summands.iter().all(is_choice) {
            return Ok(None);
        }
        let (mut decided, mut counted) = (Vec::new(), Vec::new());
        for summand in summands {
            let terms = self.lift_term(summand)?;
            let is_one = |it: &&GuardedTerm| it.term == Term::Constant(Constant::Integer(1));
            counted.push(Formula::any_of(terms.iter().filter(is_one).map(|it| it.when.clone())));
            decided.push(Formula::any_of(terms.into_iter().map(|it| it.when)));
        }
        Ok(Some(GuardedTerm { when: Formula::all_of(decided), term: Term::Tally(counted) }))
    }
}

/// The function without arguments whose value is an empty map.
pub(crate) const EMPTY_MAP: &str = "{}";

/// Calls whose value is a condition that is lifted as such.
const CONDITIONS: &[&str] = &[
    operators::NOT,
    operators::AND,
    operators::OR,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
    operators::IN,
];

/// True if a loop makes a list.
fn is_collecting(kind: kvrules_cel::ast::ComprehensionKind) -> bool {
    use kvrules_cel::ast::ComprehensionKind::{All, Exists, ExistsOne};
    !matches!(kind, All | Exists | ExistsOne)
}

fn is_text(term: &Term) -> bool {
    matches!(term, Term::Constant(Constant::Text(_)))
}

fn flatten_sum<'e>(expr: &'e Expr, summands: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Call { function, args, .. } if function == operators::ADD => {
            for arg in args {
                flatten_sum(arg, summands);
            }
        }
        _ => summands.push(expr),
    }
}

fn is_zero_or_one(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Literal::Int(0 | 1)))
}

fn constant_of(expr: &Expr, literal: &Literal) -> Result<Constant, Opaque> {
    Ok(match literal {
        Literal::Null => Constant::Null,
        Literal::Bool(value) => Constant::Boolean(*value),
        Literal::Int(value) => Constant::Integer(*value),
        Literal::Uint(value) => Constant::Unsigned(*value),
        Literal::Double(value) => Constant::Float(*value),
        Literal::String(text) => Constant::Text(text.clone()),
        Literal::Bytes(_) => {
            return Err(Opaque::at(expr, OpaqueKind::Construct("bytes that are written out")));
        }
    })
}
