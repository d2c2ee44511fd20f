//! The pipeline from text to findings and files, in one short file
