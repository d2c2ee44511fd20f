//! Pictures of rules as plain SVG, for pages that people look at rather than read.
//!
//! Each picture is drawn from data of its own, by one function: a [`NumberLine`] by [`draw_number_line`], a regular expression by
//! [`draw_pattern`], and so on. The result is a [`Picture`], which is written on its own ([`Picture::to_file`]) or as a
//! part of an HTML page ([`Picture::to_inline`], with [`PICTURE_STYLE`] once on the page).
//!
//! The same data gives the same bytes. A picture has a title and a description, no scripts and no references; text of users is
//! escaped. Colours follow light and dark, and shapes differ too, so that a picture can be read without colours.
//!
//! ```
//! use kvrules_pages::pictures::{NumberLine, draw_number_line};
//!
//! let line = NumberLine::from_integers(Some(1), Some(10), None, "");
//! let picture = draw_number_line(&line);
//! assert_eq!(picture.description(), "1 to 10. 0 and 11 are outside. Not to scale.");
//! assert!(picture.to_file().starts_with("<svg xmlns="));
//! ```

mod canvas;
mod cost_bars;
mod cost_grid;
mod fidelity_matrix;
mod number_line;
mod picture;
mod railroad;
mod rule_tree;
mod shared_bodies;
mod shown;
mod state_diagram;
mod terminal;
mod text_width;
mod timeline;

pub use cost_bars::{CostBar, draw_cost_bars};
pub use cost_grid::{CostCell, CostGrid, CostRow, CostShare, draw_cost_grid};
pub use fidelity_matrix::{FidelityMatrix, FidelityRow, draw_fidelity_matrix};
pub use number_line::{LinePoint, NumberBound, NumberLine, draw_number_line};
pub use picture::{PICTURE_STYLE, Picture};
pub use railroad::{MOST_PARTS, draw_pattern, draw_regex};
pub use rule_tree::{TreeField, draw_rule_tree};
pub use shared_bodies::share_bodies;
pub use state_diagram::{StateDiagram, draw_state_diagram};
pub use terminal::draw_terminal;
pub use text_width::{TextFont, estimate_width, fit_text};
pub use timeline::{ChangeDirection, TimelineChange, TimelineStep, draw_timeline};
