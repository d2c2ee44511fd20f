//! Rule sets, rules and elaborated predicates: types only
