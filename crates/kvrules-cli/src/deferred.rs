//! Arguments of a subcommand that are only declared once the subcommand is named.

use std::collections::VecDeque;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Id};

/// Arguments of type `T`, which clap asks for when it needs them: to parse the subcommand, or to print its help.
///
/// Every start would declare the arguments of all subcommands otherwise, several hundred. The variant with these arguments has
/// the text about the subcommand, since the list of commands shows it.
#[derive(Debug)]
pub(crate) struct Deferred<T>(pub(crate) T);

impl<T: Args> Args for Deferred<T> {
    fn group_id() -> Option<Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        command.defer(|command| own_arguments_first(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| own_arguments_first(command, T::augment_args_for_update))
    }
}

/// Declares arguments in front of those that the command has, which are the global ones.
fn own_arguments_first(command: Command, declare: impl FnOnce(Command) -> Command) -> Command {
    let global = command.get_arguments().count();
    let command = declare(command);
    let mut arguments: VecDeque<Arg> = command.get_arguments().cloned().collect();
    arguments.rotate_left(global);
    command.mut_args(|same_place| arguments.pop_front().unwrap_or(same_place))
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches_mut(matches)
    }
}
