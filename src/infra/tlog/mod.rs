//! Transparency log: the formats and the arithmetic of a log that any reader can check.
//!
//! A **log** is a list of **entries** that only grows. The hashes of its entries are the leaves of a
//! Merkle tree (RFC 6962); a **tile** holds 256 neighbouring hashes of one level. A **checkpoint** is
//! the size and the root of the tree, as a **signed note**. A **log proof** leads from one entry to
//! the root. A **witness** cosigns a checkpoint that continues the one it cosigned last. The formats
//! are the open ones of C2SP: `tlog-tiles`, `tlog-checkpoint`, `signed-note`, `tlog-proof`,
//! `tlog-witness` and `tlog-cosignature`.
//!
//! This module reads and writes nothing: the features keep the tiles and heads of their logs.

mod consistency;
mod cosignature;
mod key;
mod proof;
mod tile_path;
mod tiles;
mod tree;
#[cfg(test)]
mod vectors;

pub use consistency::{
    WitnessRequest, is_growth, places_of_growth, places_of_root, prove_growth, root_at,
};
pub use cosignature::{Cosignature, Cosigner};
pub use key::{LogKey, LogVerifier, NoteFault};
pub use proof::{LogProof, places_of_proof};
pub use tile_path::{TileContent, TilePath};
pub use tiles::{ENTRIES_PER_TILE, TilePlace, Tiles};
pub use tlog_tiles::{Checkpoint, EMPTY_HASH, Hash, record_hash};
pub use tree::GrowingTree;
