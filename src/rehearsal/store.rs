//! Empty: the SQL of a rehearsal's stage is in `fixtures::store`, that of the checks in
//! `verify::store`.
