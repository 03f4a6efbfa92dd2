//! The SQL of the proof. It may read every table and writes none but in [`cast`], where a
//! rehearsal's own program and people are made and removed.
//!
//! Each check is one statement over whole tables that answers with the rows that break
//! an invariant, at most `rows_max`.
