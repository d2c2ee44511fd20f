//! Groups, flags, look-arounds, conditionals and comments.

use std::ops::Range;

use super::{Construct, Flags, Node, Parser, Result1, refuse_pattern};

/// Token after a group's flags.
enum FlagList {
    /// `(?i)`, for the whole pattern.
    Whole,
    /// `(?i-s:`, for this group.
    Scoped(Flags),
}

impl Parser<'_> {
    /// Reads what `(` begins; none if it is a comment or sets flags, which leave no part.
    pub(super) fn group(&mut self, depth: usize, flags: Flags, may_set: bool) -> Result1<Option<Node>> {
        let start = self.cursor.pos();
        self.cursor.bump();
        if !self.cursor.eat("?") {
            return self.capture(None, start, depth, flags).map(Some);
        }
        let Some(char) = self.cursor.bump() else {
            return refuse_pattern(start..self.cursor.end(), "the pattern ends inside of `(?`");
        };
        match char {
            'P' => self.python_group(start, depth, flags).map(Some),
            ':' => self.inside(start, depth, flags).map(|node| Some(Node::Concat(vec![node]))),
            '#' => match self.cursor.take_until(')') {
                Some(_) => Ok(None),
                None => refuse_pattern(start..self.cursor.end(), "the comment has no closing `)`"),
            },
            '=' | '!' => self.look(start, depth, flags, char == '!', false).map(Some),
            '<' => self.look_behind(start, depth, flags).map(Some),
            '(' => self.conditional(start, depth, flags).map(Some),
            '>' => self.inside(start, depth, flags).map(|node| Some(Node::Atomic(Box::new(node)))),
            _ if is_flag(char) || char == '-' => self.flag_group(char, start, depth, flags, may_set),
            _ => self.unknown_group(start),
        }
    }

    /// Reads up to the `)` that belongs to the `(` at `start`.
    fn inside(&mut self, start: usize, depth: usize, flags: Flags) -> Result1<Node> {
        let node = self.alternation(depth + 1, flags)?;
        self.close(start)?;
        Ok(node)
    }

    fn close(&mut self, start: usize) -> Result1<()> {
        if self.cursor.eat(")") {
            return Ok(());
        }
        refuse_pattern(start..start + 1, "the group has no closing `)`")
    }

    fn capture(
        &mut self,
        name: Option<(String, Range<usize>)>,
        start: usize,
        depth: usize,
        flags: Flags,
    ) -> Result1<Node> {
        let index = self.groups.len();
        self.groups.push(None);
        let name = match name {
            Some((name, span)) => {
                if self.by_name.insert(name.clone(), index).is_some() {
                    return refuse_pattern(span, format!("two groups are called `{name}`"));
                }
                Some(name)
            }
            None => None,
        };
        let node = self.inside(start, depth, flags)?;
        let width = node.width(&self.widths());
        if let Some(known) = self.groups.get_mut(index) {
            *known = Some(width);
        }
        Ok(Node::Group { index, name, node: Box::new(node) })
    }

    fn widths(&self) -> Vec<(u64, u64)> {
        self.groups.iter().map(|width| width.unwrap_or((0, u64::from(u32::MAX)))).collect()
    }

    /// `(?P<name>…)` and `(?P=name)`.
    fn python_group(&mut self, start: usize, depth: usize, flags: Flags) -> Result1<Node> {
        if self.cursor.eat("<") {
            let name = self.name('>', start)?;
            return self.capture(Some(name), start, depth, flags);
        }
        if !self.cursor.eat("=") {
            self.cursor.bump();
            return self.unknown_group(start);
        }
        let (name, span) = self.name(')', start)?;
        match self.by_name.get(&name) {
            Some(group) => self.reference(*group, start, flags),
            None => refuse_pattern(span, format!("no group is called `{name}`")),
        }
    }

    /// Reads a name up to `end`.
    fn name(&mut self, end: char, start: usize) -> Result1<(String, Range<usize>)> {
        let at = self.cursor.pos();
        let Some(name) = self.cursor.take_until(end) else {
            return refuse_pattern(
                start..self.cursor.end(),
                format!("the name of the group has no closing `{end}`"),
            );
        };
        let span = at..at + name.len();
        if super::unicode::is_identifier(name) {
            return Ok((name.to_owned(), span));
        }
        refuse_pattern(span, format!("`{name}` cannot name a group"))
    }

    fn look_behind(&mut self, start: usize, depth: usize, flags: Flags) -> Result1<Node> {
        match self.cursor.bump() {
            Some(char @ ('=' | '!')) => {
                let outermost = self.behind.is_none();
                if outermost {
                    self.behind = Some(self.groups.len());
                }
                let node = self.look(start, depth, flags, char == '!', true);
                if outermost {
                    self.behind = None;
                }
                node
            }
            Some(_) => self.unknown_group(start),
            None => refuse_pattern(start..self.cursor.end(), "the pattern ends inside of `(?<`"),
        }
    }

    fn look(
        &mut self,
        start: usize,
        depth: usize,
        flags: Flags,
        negated: bool,
        behind: bool,
    ) -> Result1<Node> {
        let node = Box::new(self.inside(start, depth, flags)?);
        if !behind {
            return Ok(Node::Look { node, behind: None, negated });
        }
        let (low, high) = node.width(&self.widths());
        match usize::try_from(low) {
            Ok(width) if low == high => Ok(Node::Look { node, behind: Some(width), negated }),
            _ => refuse_pattern(start..self.cursor.pos(), "a look-behind must have a fixed width"),
        }
    }

    fn conditional(&mut self, start: usize, depth: usize, flags: Flags) -> Result1<Node> {
        let at = self.cursor.pos();
        let Some(name) = self.cursor.take_until(')') else {
            return refuse_pattern(start..self.cursor.end(), "the condition has no closing `)`");
        };
        let group = self.condition(name, at..at + name.len())?;
        let yes = self.sequence(depth + 1, flags, false)?;
        let mut no = Node::Empty;
        if self.cursor.eat("|") {
            no = self.sequence(depth + 1, flags, false)?;
            if self.cursor.peek() == Some('|') {
                return refuse_pattern(start..self.cursor.pos(), "a conditional has at most two branches");
            }
        }
        self.close(start)?;
        Ok(Node::Conditional { group, yes: Box::new(yes), no: Box::new(no) })
    }

    /// The group that a condition asks about; one by number may come later.
    fn condition(&mut self, name: &str, span: Range<usize>) -> Result1<usize> {
        let group = if super::unicode::is_identifier(name) {
            match self.by_name.get(name) {
                Some(group) => *group,
                None => return refuse_pattern(span, format!("no group is called `{name}`")),
            }
        } else {
            match name.trim().parse::<usize>() {
                Ok(0) | Err(_) => {
                    return refuse_pattern(span, format!("`{name}` is not the number of a group"));
                }
                Ok(group) => {
                    self.conditions.push((group, span.clone()));
                    group
                }
            }
        };
        if self.behind.is_some_and(|known| group >= known) {
            return refuse_pattern(span, "the condition asks about a group of the same look-behind");
        }
        Ok(group)
    }

    fn flag_group(
        &mut self,
        first: char,
        start: usize,
        depth: usize,
        flags: Flags,
        may_set: bool,
    ) -> Result1<Option<Node>> {
        match self.flag_list(first, start, flags)? {
            FlagList::Scoped(inner) => {
                self.inside(start, depth, inner).map(|node| Some(Node::Concat(vec![node])))
            }
            FlagList::Whole if !may_set => {
                refuse_pattern(start..self.cursor.pos(), "flags for the whole pattern must be at its start")
            }
            FlagList::Whole => {
                self.restart_verbose = self.flags.verbose && !flags.verbose;
                Ok(None)
            }
        }
    }

    fn flag_list(&mut self, first: char, start: usize, flags: Flags) -> Result1<FlagList> {
        let (mut on, mut off) = (String::new(), String::new());
        let mut char = Some(first);
        while let Some(letter) = char.filter(|char| is_flag(*char)) {
            on.push(letter);
            char = self.cursor.bump();
        }
        if char == Some('-') {
            char = self.cursor.bump();
            while let Some(letter) = char.filter(|char| is_flag(*char)) {
                off.push(letter);
                char = self.cursor.bump();
            }
            if off.is_empty() || char != Some(':') {
                return self.bad_flags(start);
            }
        }
        self.check_flags(&on, &off, start)?;
        match char {
            Some(')') => {
                self.flags = set(self.flags, &on, true);
                if self.flags.ascii && self.flags.unicode {
                    return self.bad_flags(start);
                }
                Ok(FlagList::Whole)
            }
            Some(':') => Ok(FlagList::Scoped(set(scope(flags, &on), &off, false))),
            _ => self.bad_flags(start),
        }
    }

    fn check_flags(&self, on: &str, off: &str, start: usize) -> Result1<()> {
        let types = ['a', 'u'].iter().filter(|flag| on.contains(**flag)).count();
        let both = on.chars().any(|flag| off.contains(flag));
        if types > 1 || both || on.contains('L') || off.contains(['a', 'u', 'L', 't']) {
            return self.bad_flags(start);
        }
        if on.contains('t') {
            return self.unsupported(Construct::TemplateFlag, start);
        }
        Ok(())
    }

    fn bad_flags<T>(&self, start: usize) -> Result1<T> {
        let span = start..self.cursor.pos();
        refuse_pattern(span.clone(), format!("Python does not take the flags `{}`", self.text(&span)))
    }

    fn unknown_group<T>(&self, start: usize) -> Result1<T> {
        let span = start..self.cursor.pos();
        refuse_pattern(span.clone(), format!("`{}` begins no group of Python's", self.text(&span)))
    }
}

fn is_flag(char: char) -> bool {
    matches!(char, 'a' | 'i' | 'L' | 'm' | 's' | 't' | 'u' | 'x')
}

/// The flags of a group of their own: `a` and `u` replace each other there.
fn scope(flags: Flags, on: &str) -> Flags {
    let typed = on.contains(['a', 'u']);
    let base = if typed { Flags { ascii: false, unicode: false, ..flags } } else { flags };
    set(base, on, true)
}

fn set(mut flags: Flags, letters: &str, on: bool) -> Flags {
    for letter in letters.chars() {
        match letter {
            'i' => flags.ignore_case = on,
            'm' => flags.multi_line = on,
            's' => flags.dot_all = on,
            'x' => flags.verbose = on,
            'a' => flags.ascii = on,
            'u' => flags.unicode = on,
            _ => {}
        }
    }
    flags
}
