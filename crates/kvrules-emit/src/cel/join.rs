//! Texts with values, for servers without `format`.

use super::expr::{Expr, Operator};

impl Expr {
    /// The same text with its parts joined by `+`; `None` if no part is formatted, or one has another form.
    pub(crate) fn without_format(&self) -> Option<Self> {
        self.is_formatted().then(|| self.with_joined_parts()).flatten()
    }

    fn is_formatted(&self) -> bool {
        match self {
            Self::Method(_, "format", _) => true,
            Self::Conditional(_, one, other) => one.is_formatted() || other.is_formatted(),
            _ => false,
        }
    }

    fn with_joined_parts(&self) -> Option<Self> {
        match self {
            Self::Text(_) => Some(self.clone()),
            Self::Conditional(condition, one, other) => Some(Self::Conditional(
                condition.clone(),
                Box::new(one.with_joined_parts()?),
                Box::new(other.with_joined_parts()?),
            )),
            Self::Method(template, "format", args) => match (&**template, args.as_slice()) {
                (Self::Text(template), [Self::List(values)]) => join_template(template, values),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The parts of a template with `%s`, `%d` and `%%`.
fn join_template(template: &str, values: &[Expr]) -> Option<Expr> {
    let (mut parts, mut text, mut values) = (Vec::new(), String::new(), values.iter());
    let mut signs = template.chars();
    while let Some(sign) = signs.next() {
        let value = match (sign, (sign == '%').then(|| signs.next()).flatten()) {
            ('%', Some('%')) | (_, None) => {
                text.push(sign);
                continue;
            }
            (_, Some('s')) => values.next()?.clone(),
            (_, Some('d')) => Expr::call_function("string", values.next()?.clone()),
            _ => return None,
        };
        if !text.is_empty() {
            parts.push(Expr::from_text(std::mem::take(&mut text)));
        }
        parts.push(value);
    }
    if !text.is_empty() {
        parts.push(Expr::from_text(text));
    }
    parts.into_iter().reduce(|before, part| before.apply_operator(Operator::Plus, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_stands_in_the_place_of_its_sign() {
        let name = |name: &str| Expr::Name(name.to_owned());
        let message = Expr::format_text("100 %%: %d of %s", vec![name("n"), name("text")]);
        let guarded = message.if_then_else(name("known"), Expr::from_text("none"));
        let joined = guarded.without_format().map(|it| it.to_string());
        assert_eq!(joined.as_deref(), Some("known ? '100 %: ' + string(n) + ' of ' + text : 'none'"));
        assert_eq!(Expr::from_text("none").without_format(), None);
    }
}
