//! The document targets: what they say of every kind of rule, and that no text can break them.

#[cfg(test)]
mod author;
#[cfg(test)]
mod author_rst;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod sphinx;
#[cfg(test)]
mod support;
#[cfg(test)]
mod templates;
#[cfg(test)]
mod words;
