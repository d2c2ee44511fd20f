//! Resolves the signatures that fit a call.

use crate::functions::Overload;
use crate::types::Type;

use super::core::CoreNode;
use super::infer::Inference;
use super::signatures::find_checker_overloads;

impl Inference<'_> {
    /// Notes the overloads that fit and gives the type of the call.
    // cel-go checker/checker.go, resolveOverload: bindings of an overload that fits stay for those that come after it
    pub(super) fn resolve_call(
        &mut self,
        node: &CoreNode,
        function: &str,
        target: Option<&CoreNode>,
        args: &[CoreNode],
    ) -> Type {
        let given: Vec<Type> = target.into_iter().chain(args).map(|arg| self.type_of(arg.id)).collect();
        let is_member = target.is_some();
        let candidates = find_checker_overloads(function, is_member, self.dialect());
        let mut result: Option<Type> = None;
        for overload in candidates.filter(|overload| overload.params.len() == given.len()) {
            let Some(ty) = self.try_overload(overload, &given) else { continue };
            self.set_overload(node, overload.id);
            result = Some(match result {
                None => ty,
                // Overloads with different results, as of `dyn(x) + dyn(y)`, make the type of the call unknown.
                Some(before) if before.is_dyn() || before == ty => before,
                Some(_) => Type::Dyn,
            });
        }
        result.unwrap_or_else(|| {
            self.no_overload(node, function, is_member, &given);
            Type::Error
        })
    }

    // cel-go checker/checker.go, resolveOverload: each overload has type variables of its own
    fn try_overload(&mut self, overload: &Overload, given: &[Type]) -> Option<Type> {
        let mut letters: Vec<(char, Type)> = Vec::new();
        let mut instantiate = |ty| {
            Type::from_signature(ty, &mut |letter| {
                if let Some((_, variable)) = letters.iter().find(|(known, _)| *known == letter) {
                    return variable.clone();
                }
                let variable = self.known.new_variable();
                letters.push((letter, variable.clone()));
                variable
            })
        };
        let wanted: Vec<Type> = overload.params.iter().map(|ty| instantiate(*ty)).collect();
        let result = instantiate(overload.result);
        self.known.assign_all(given, &wanted).then(|| self.known.resolve_type(&result, false))
    }

    fn no_overload(&mut self, node: &CoreNode, function: &str, member: bool, given: &[Type]) {
        let shows_variables = self.dialect().shows_type_variables;
        let shown: Vec<String> =
            given.iter().map(|ty| self.known.resolve_type(ty, !shows_variables).to_string()).collect();
        let signature = match shown.split_first() {
            Some((target, args)) if member => format!("{target}.({})", args.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        let message = format!("found no matching overload for '{function}' applied to '{signature}'");
        self.add_error(node, message);
    }
}
