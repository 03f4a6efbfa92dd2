//! Posters that organisers upload for their programs.
//!
//! A **poster** is a row beside its program, with its **version** (the beginning of the hash of the upload)
//! and three **files**: JPEG of four by three in the sizes of [`PosterSize`]. They are cut from the middle of
//! the picture, so that no list loads pixels that it does not show, and encoded from its pixels alone.
//! Transparent pixels become white. A program without a poster shows the drawing that is made of its name
//! ([`web::poster`](mod@crate::web::poster)).
//!
//! # Invariants
//!
//! * A program has one poster at most, and the files of no other are kept.
//! * A file keeps to the bound of its size for any picture.
//!
//! # Concurrency
//!
//! A poster is replaced as an edit of its program, under the lock of the program's row. Its files are read
//! through [`PosterCache`](pages::PosterCache), a cache of a second: a file that was removed is served that much longer.

mod files;
mod model;
pub mod pages;
pub mod store;

pub use self::{
    files::PosterFiles,
    model::{PosterSize, UploadedPoster},
};
