//! Spans, source map, diagnostics and the formats they are printed in
