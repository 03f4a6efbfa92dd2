//! Poster as a picture, for the sites on which people share a link: they take no SVG.
//!
//! The picture has the size that such sites ask for, and the art alone, because they set the title beside
//! it. It is drawn once in the life of a process and kept; its version changes with the drawing, so that
//! others may keep it for ever.

use std::{sync::LazyLock, time::Duration};

use actix_web::web::Bytes;
use moka::future::Cache;
use resvg::{
    render,
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::Poster;
use crate::web::files::assets;

/// Width and height of a picture, in pixels.
pub const SIZE: (u32, u32) = (1200, 630);
/// Pictures that a process keeps, of about 20 KB each.
const PICTURES_MAX: u64 = 256;
/// Pictures drawn at the same time: each is 20 ms of one processor.
const DRAWN_AT_ONCE: usize = 1;
/// Longest wait for a picture's turn.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Bytes of the digest that make a version.
const VERSION_BYTES: usize = 6;
/// Stylesheet that has the colours of the palettes.
const STYLES: &str = "css/components.css";

/// Pictures by their versions.
static PICTURES: LazyLock<Cache<String, Bytes>> = LazyLock::new(|| Cache::new(PICTURES_MAX));
static TURNS: Semaphore = Semaphore::const_new(DRAWN_AT_ONCE);

impl Poster {
    /// Returns the version of the picture, in hexadecimal.
    pub fn version(&self) -> String {
        let digest = Sha256::digest(self.file());
        let bytes = digest.iter().take(VERSION_BYTES);
        bytes.fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// Returns the picture as a PNG file; `None` where it cannot be drawn now.
    pub async fn picture(&self) -> Option<Bytes> {
        let file = self.file();
        let drawing = async {
            let turn = tokio::time::timeout(WAIT_MAX, TURNS.acquire()).await.ok()?.ok()?;
            let drawn = tokio::task::spawn_blocking(move || {
                // The turn lasts as long as the work, also when its caller has gone away.
                let _turn = turn;
                drawn(&file)
            });
            drawn.await.ok().flatten()
        };
        PICTURES.optionally_get_with(self.version(), drawing).await
    }

    /// Returns the poster as an SVG file: the art, with its colours, on its ground.
    fn file(&self) -> String {
        let (width, height) = SIZE;
        let styles = assets::text(STYLES).unwrap_or_default();
        let colour = |name| colour(&styles, self.palette, name).unwrap_or("#808080");
        let tones: String = ["a", "b", "c", "d"]
            .map(|tone| {
                let value = colour(tone);
                format!(".{tone}{{fill:{value}}}.line.{tone}{{fill:none;stroke:{value}}}")
            })
            .concat();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 300\" width=\"{width}\" \
             height=\"{height}\" preserveAspectRatio=\"xMidYMid slice\"><style>{tones}\
             .veil{{fill-opacity:0.86}}.line{{stroke-width:6}}</style>\
             <rect width=\"400\" height=\"300\" fill=\"{}\"/>{}</svg>",
            colour("ground"),
            self.art.0
        )
    }
}

/// Returns the colour of `name` in a palette of the stylesheet.
fn colour<'a>(styles: &'a str, palette: u32, name: &str) -> Option<&'a str> {
    let (_, rule) = styles.split_once(&format!(".poster--{palette} {{"))?;
    let (rule, _) = rule.split_once('}')?;
    let (_, value) = rule.split_once(&format!("--poster-{name}: "))?;
    Some(value.split_once(';')?.0)
}

/// Draws an SVG file; `None` if it is none.
fn drawn(file: &str) -> Option<Bytes> {
    let tree = Tree::from_str(file, &Options::default()).ok()?;
    let mut pixels = Pixmap::new(SIZE.0, SIZE.1)?;
    render(&tree, Transform::default(), &mut pixels.as_mut());
    pixels.encode_png().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_palette_has_its_colours_and_every_poster_is_drawn() {
        let styles = assets::text(STYLES).unwrap();
        for number in 1..=24 {
            let poster = Poster::of_program(number, &format!("show-{number}"));
            for name in ["ground", "a", "b", "c", "d"] {
                let value = colour(&styles, poster.palette, name).unwrap();
                assert!(value.len() == 7 && value.starts_with('#'), "{name}: {value}");
            }
            let picture = drawn(&poster.file()).unwrap();
            assert!(picture.starts_with(b"\x89PNG"), "{number}");
            assert!(picture.len() > 2_000 && picture.len() < 150_000, "{}", picture.len());
        }
    }

    #[test]
    fn a_version_is_of_one_drawing() {
        let version = |slug| Poster::of_program(1, slug).version();
        assert_eq!(version("lantern-field"), version("lantern-field"));
        assert_ne!(version("lantern-field"), version("late-jazz"));
    }
}
