//! Logos: a picture that was uploaded, scaled and encoded anew.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, imageops::FilterType};

use super::model::LogoSize;
use crate::infra::pictures::{self, Picture, PictureBounds, PictureMistake, share};

/// Bounds of the small size in pixels, width and height, the first in which its file is no larger than
/// [`SMALL_BYTES_MAX`]; in the last one every picture is.
const SMALL: [(u32, u32); 3] = [(360, 96), (240, 64), (120, 32)];
/// Upper bound of the small file in bytes: every page loads it.
const SMALL_BYTES_MAX: usize = 16 * 1024;
const LARGE: (u32, u32) = (512, 512);
/// Bounds of a file that is uploaded.
const BOUNDS: PictureBounds = PictureBounds { file_mib: 2, side: 4_096 };

/// Logo in both sizes, as PNG.
#[derive(Clone, Debug)]
pub struct Logo {
    /// Beginning of the hash of the file, in hexadecimal.
    pub version: String,
    /// File of the small size.
    pub small: Vec<u8>,
    /// File of the large size.
    pub large: Vec<u8>,
}

impl Logo {
    /// Returns the file of a size.
    pub fn file(&self, size: LogoSize) -> &[u8] {
        match size {
            LogoSize::Small => &self.small,
            LogoSize::Large => &self.large,
        }
    }

    /// Reads a file, beside the threads that answer.
    pub async fn read(file: Vec<u8>) -> Result<Self, PictureMistake> {
        pictures::read(file, BOUNDS, Self::of).await
    }

    fn of(Picture { version, pixels }: Picture) -> Result<Self, PictureMistake> {
        let large = scaled(&pixels, LARGE);
        let mut small = Vec::new();
        for bounds in SMALL {
            small = written(&scaled(&large, bounds))?;
            if small.len() <= SMALL_BYTES_MAX {
                break;
            }
        }
        Ok(Self { version, small, large: written(&large)? })
    }
}

/// Returns the picture no wider and no higher than `bounds`; a smaller one keeps its size. Colours are
/// weighted by their opacity while scaling: otherwise transparent pixels would tint the edges.
fn scaled(picture: &DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    if picture.width() <= width && picture.height() <= height {
        return picture.clone();
    }
    let mut weighted = picture.to_rgba8();
    for Rgba([red, green, blue, alpha]) in weighted.pixels_mut() {
        for part in [red, green, blue] {
            *part = share(*part, *alpha, u8::MAX);
        }
    }
    let small = DynamicImage::ImageRgba8(weighted).resize(width, height, FilterType::Lanczos3);
    let mut small = small.into_rgba8();
    for Rgba([red, green, blue, alpha]) in small.pixels_mut() {
        for part in [red, green, blue] {
            *part = share(*part, u8::MAX, *alpha);
        }
    }
    DynamicImage::ImageRgba8(small)
}

/// Returns the picture as PNG with eight bits a channel, which is what browsers show.
fn written(picture: &DynamicImage) -> Result<Vec<u8>, PictureMistake> {
    let mut file = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgba8(picture.to_rgba8());
    picture.write_to(&mut file, ImageFormat::Png).map_err(|_failure| PictureMistake::Unreadable)?;
    Ok(file.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(file: &[u8]) -> Logo {
        Logo::of(pictures::decode(file, BOUNDS).unwrap()).unwrap()
    }

    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn each_format_becomes_a_png_of_two_sizes_in_proportion() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let logo = made(&file(1_440, 720, format));
            let sides = |bytes: &[u8]| {
                assert_eq!(image::guess_format(bytes).unwrap(), ImageFormat::Png);
                let picture = image::load_from_memory(bytes).unwrap();
                (picture.width(), picture.height())
            };
            assert_eq!((sides(&logo.small), sides(&logo.large)), ((192, 96), (512, 256)));
        }
    }

    #[test]
    fn a_transparent_ground_leaves_no_trace_at_the_edges() {
        let red = Rgba([0xff, 0, 0, 0xff]);
        let drawn = image::RgbaImage::from_fn(1_000, 400, |x, y| {
            if (x / 7 + y / 7).is_multiple_of(2) { red } else { Rgba([0; 4]) }
        });
        let mut file = Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(drawn).write_to(&mut file, ImageFormat::Png).unwrap();
        let logo = made(&file.into_inner());
        let small = image::load_from_memory(&logo.small).unwrap().into_rgba8();
        let edges = small.pixels().filter(|pixel| (32..224).contains(&pixel.0[3]));
        assert!(edges.clone().count() > 100);
        for Rgba([red, green, blue, alpha]) in edges {
            assert!(*red > 0xf0 && *green == 0 && *blue == 0, "{red} {green} {blue} {alpha}");
        }
    }

    #[test]
    fn the_file_that_every_page_loads_is_small_whatever_the_picture() {
        let mut bits = 1_u32;
        let noise = image::RgbaImage::from_fn(1_440, 384, |_, _| {
            bits ^= bits << 13;
            bits ^= bits >> 17;
            bits ^= bits << 5;
            Rgba(bits.to_be_bytes())
        });
        let mut file = Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(noise).write_to(&mut file, ImageFormat::WebP).unwrap();
        let logo = made(&file.into_inner());
        assert!(logo.small.len() <= SMALL_BYTES_MAX, "{}", logo.small.len());
        let small = image::load_from_memory(&logo.small).unwrap();
        assert_eq!((small.width(), small.height()), (120, 32));
    }
}
