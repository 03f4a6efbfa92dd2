//! Posters: the drawing that stands for a program until it has a picture of its own.
//!
//! A poster's **palette** is one of the classes `poster--1` and so on of `components.css`; its **art**
//! is a drawing of one of the [`compositions`], whose shapes take their places and sizes from the
//! **seed**, the digest of the program's name in addresses. Palette and composition follow from the
//! program's number in order of making, so programs that were made one after the other have different
//! ones, which chance alone would not give. All of it stays the same on every page, on the tickets
//! and at every instance. The art has no words: the page sets the title beside it, on the ground of
//! the palette, where it can be read. Sites on which links are shared get it as a [`picture`].
//!
//! A picture that was uploaded takes the place of the art where shows are chosen: on cards, in lists, on the
//! page of its program and in links that are shared. Reservations and tickets keep the art.

mod compositions;
pub mod picture;
mod seed;

use std::fmt;

use askama::filters::HtmlSafe;

use self::seed::PosterSeed;

#[cfg(test)]
mod tests;

/// Palettes in `components.css`.
const PALETTES: u32 = 12;
/// Distance between the palettes of programs made one after the other: neighbours in the file look related.
/// It has no divisor in common with the number of palettes.
const PALETTE_STEP: u32 = 5;

/// A program's poster.
#[derive(Clone, Debug)]
pub struct Poster {
    /// Number of its palette, from 1.
    pub palette: u32,
    /// Its drawing.
    pub art: Art,
}

/// Shapes of a poster, which are written as inline SVG, hidden from screen readers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Art(String);

impl HtmlSafe for Art {}

impl fmt::Display for Art {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It fills any box that it gets; what does not fit is cut off at the edges.
        f.write_str(
            "<svg class=\"poster__art\" viewBox=\"0 0 400 300\" preserveAspectRatio=\"xMidYMid slice\" \
             aria-hidden=\"true\" focusable=\"false\">",
        )?;
        f.write_str(&self.0)?;
        f.write_str("</svg>")
    }
}

impl Poster {
    /// Draws the poster of the program named `slug`, the one made as the `number`th.
    pub fn of_program(number: i32, slug: &str) -> Self {
        Self::new(number.unsigned_abs(), PosterSeed::of(slug))
    }

    /// Draws a poster that is always the same for `name`.
    pub fn of_name(name: &str) -> Self {
        let mut seed = PosterSeed::of(name);
        let number = u32::from(seed.below(256));
        Self::new(number, seed)
    }

    fn new(number: u32, mut seed: PosterSeed) -> Self {
        let palette = number % PALETTES * PALETTE_STEP % PALETTES + 1;
        let shapes = compositions::draw(number, &mut seed);
        let is_mirrored = seed.below(2) == 1;
        let (open, close) = match is_mirrored {
            true => ("<g transform=\"matrix(-1 0 0 1 400 0)\">", "</g>"),
            false => ("", ""),
        };
        Self { palette, art: Art(format!("{open}{shapes}{close}")) }
    }
}
