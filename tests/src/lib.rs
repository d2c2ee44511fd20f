//! What the suites share: where recorded data lies and how a run is reported.
