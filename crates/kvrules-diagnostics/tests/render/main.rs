//! The formats seen from outside: what they look like, how the human one quotes awkward sources, and that all
//! of them answer whatever they are given.

#[cfg(test)]
mod sample;

#[cfg(test)]
mod fixes;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod human;
#[cfg(test)]
mod robust;
