//! The reference meaning of an elaborated rule
