//! Emitters: one target, one folder
