//! Files of a poster: a picture that was uploaded, cut, scaled and encoded anew.

use image::{DynamicImage, Rgb, RgbImage, Rgba, codecs::jpeg::JpegEncoder, imageops::FilterType};

use super::PosterSize;
use crate::infra::pictures::{self, Picture, PictureBounds, PictureMistake, share};

/// Bounds of a file that is uploaded: a photograph, or a sheet of A3 at 300 dots an inch.
const BOUNDS: PictureBounds = PictureBounds { file_mib: 8, side: 8_192 };
/// Qualities of a JPEG, from 1 to 100, the first in which a file keeps to its bound; in the last one every
/// picture does.
const QUALITIES: [u8; 4] = [82, 60, 35, 8];

/// Poster in all sizes, as JPEG.
#[derive(Clone, Debug)]
pub struct PosterFiles {
    /// Beginning of the hash of the upload, in hexadecimal.
    pub version: String,
    pub(crate) thumbnail: Vec<u8>,
    pub small: Vec<u8>,
    pub large: Vec<u8>,
}

impl PosterFiles {
    /// Reads an upload, beside the threads that answer.
    pub async fn read(file: Vec<u8>) -> Result<Self, PictureMistake> {
        pictures::read(file, BOUNDS, Self::of).await
    }

    fn of(Picture { version, pixels }: Picture) -> Result<Self, PictureMistake> {
        let large = scaled(&opaque(cut(&pixels)), PosterSize::Large);
        let small = scaled(&large, PosterSize::Small);
        let thumbnail = scaled(&small, PosterSize::Thumbnail);
        Ok(Self {
            version,
            thumbnail: written(&thumbnail, PosterSize::Thumbnail)?,
            small: written(&small, PosterSize::Small)?,
            large: written(&large, PosterSize::Large)?,
        })
    }
}

/// Returns the upper bound of a file, in bytes.
const fn bytes_max(size: PosterSize) -> usize {
    match size {
        PosterSize::Thumbnail => 16 * 1024,
        PosterSize::Small => 128 * 1024,
        PosterSize::Large => 384 * 1024,
    }
}

/// Returns the largest part of the picture, around its middle, that is as wide and high as a poster. The cut
/// comes before the scaling: a strip of a pixel would become a picture of millions.
fn cut(picture: &DynamicImage) -> DynamicImage {
    let (wide, high) = PosterSize::Large.pixels();
    let width = picture.width().min((picture.height() * wide / high).max(1));
    let height = picture.height().min((picture.width() * high / wide).max(1));
    picture.crop_imm((picture.width() - width) / 2, (picture.height() - height) / 2, width, height)
}

/// Returns the picture on white.
fn opaque(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8().into();
    }
    let picture = picture.into_rgba8();
    let mut opaque = RgbImage::new(picture.width(), picture.height());
    for (onto, Rgba([red, green, blue, alpha])) in opaque.pixels_mut().zip(picture.pixels()) {
        let on_white = |part: u8| share(part, *alpha, u8::MAX).saturating_add(u8::MAX - *alpha);
        *onto = Rgb([on_white(*red), on_white(*green), on_white(*blue)]);
    }
    opaque.into()
}

fn scaled(picture: &DynamicImage, size: PosterSize) -> DynamicImage {
    let (width, height) = size.pixels();
    picture.resize_exact(width, height, FilterType::CatmullRom)
}

/// Returns the picture as JPEG in the best quality in which it keeps to the bound of its size.
fn written(picture: &DynamicImage, size: PosterSize) -> Result<Vec<u8>, PictureMistake> {
    let mut file = Vec::new();
    for quality in QUALITIES {
        file.clear();
        let encoder = JpegEncoder::new_with_quality(&mut file, quality);
        picture.write_with_encoder(encoder).map_err(|_failure| PictureMistake::Unreadable)?;
        if file.len() <= bytes_max(size) {
            break;
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [PosterSize; 3] = [PosterSize::Thumbnail, PosterSize::Small, PosterSize::Large];

    fn made(pixels: impl Into<DynamicImage>) -> PosterFiles {
        PosterFiles::of(Picture { version: String::new(), pixels: pixels.into() }).unwrap()
    }

    /// Returns the files with their sizes.
    fn sized(files: &PosterFiles) -> [(PosterSize, &[u8]); 3] {
        let [thumbnail, small, large] = SIZES;
        [(thumbnail, &files.thumbnail), (small, &files.small), (large, &files.large)]
    }

    #[test]
    fn each_size_is_as_wide_and_high_as_pages_say_whatever_the_picture() {
        for (width, height) in [(1, 1), (8_000, 1), (1, 8_000), (40, 30), (700, 900), (1_201, 900)]
        {
            let files = made(RgbImage::new(width, height));
            for (size, file) in sized(&files) {
                assert_eq!(image::guess_format(file).unwrap(), image::ImageFormat::Jpeg);
                let picture = image::load_from_memory(file).unwrap();
                assert_eq!((picture.width(), picture.height()), size.pixels(), "{width}x{height}");
            }
        }
    }

    #[test]
    fn the_middle_is_kept() {
        for (width, height) in [(900, 300), (300, 900)] {
            let drawn = RgbImage::from_fn(width, height, |x, y| {
                let is_middle = width.abs_diff(2 * x) < 290 && height.abs_diff(2 * y) < 210;
                if is_middle { Rgb([0, 0xff, 0]) } else { Rgb([0xff, 0, 0]) }
            });
            let large = image::load_from_memory(&made(drawn).large).unwrap().into_rgb8();
            let is_green = |x, y| large.get_pixel(x, y).0[1] > 0xf0;
            assert!(is_green(600, 450), "{width}x{height}");
            let greens = (0..1_200).filter(|x| is_green(*x, 450)).count();
            assert!(greens > 800, "{width}x{height}: nothing is squeezed, {greens}");
        }
    }

    #[test]
    fn what_is_transparent_becomes_white() {
        let clear = image::RgbaImage::from_pixel(40, 30, Rgba([0xff, 0, 0, 0]));
        let large = image::load_from_memory(&made(clear).large).unwrap().into_rgb8();
        assert_eq!(large.get_pixel(600, 450), &Rgb([0xff, 0xff, 0xff]));
    }

    #[test]
    fn every_file_keeps_to_its_bound_whatever_the_picture() {
        let mut bits = 1_u32;
        let noise = RgbImage::from_fn(1_200, 900, |_, _| {
            bits ^= bits << 13;
            bits ^= bits >> 17;
            bits ^= bits << 5;
            let [red, green, blue, _] = bits.to_be_bytes();
            Rgb([red, green, blue])
        });
        let noise = DynamicImage::from(noise);
        for size in SIZES {
            // Noise of the size itself: a larger one is smoothed by the scaling.
            let (width, height) = size.pixels();
            let file = written(&noise.crop_imm(0, 0, width, height), size).unwrap();
            assert!(file.len() <= bytes_max(size), "{size:?}: {}", file.len());
        }
    }
}
