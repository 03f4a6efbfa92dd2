//! Logos: a picture that was uploaded, decoded, scaled and encoded anew.

use std::{io::Cursor, time::Duration};

use image::{DynamicImage, ImageFormat, ImageReader, Limits, Rgba, imageops::FilterType};
use sha2::{Digest, Sha256};
use tokio::{sync::Semaphore, time::timeout};

use super::model::LogoSize;

/// Bounds of the small size in pixels, width and height, the first in which its file is no larger than
/// [`SMALL_BYTES_MAX`]; in the last one every picture is.
const SMALL: [(u32, u32); 3] = [(360, 96), (240, 64), (120, 32)];
/// Upper bound of the small file in bytes: every page loads it.
const SMALL_BYTES_MAX: usize = 16 * 1024;
const LARGE: (u32, u32) = (512, 512);
/// Upper bound of a file that is uploaded, in bytes.
const FILE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Upper bounds of the picture in it: pixels of a side, and bytes that decoding may take.
const SIDE_MAX: u32 = 4_096;
const DECODED_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// Pictures that a process decodes at a time, and the longest wait of another one.
const AT_ONCE: usize = 1;
const WAIT_MAX: Duration = Duration::from_secs(2);
static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);
const VERSION_BYTES: usize = 8;

/// Logo in both sizes, as PNG.
#[derive(Clone, Debug)]
pub(crate) struct Logo {
    /// Beginning of the hash of the file, in hexadecimal.
    pub(crate) version: String,
    pub(crate) small: Vec<u8>,
    pub(crate) large: Vec<u8>,
}

/// Reason why a file is no logo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LogoMistake {
    /// The file has more than 2 MiB, or its picture has too many pixels.
    #[error("the picture is too large")]
    TooLarge,
    /// The file is no PNG, JPEG or WebP, or a broken one.
    #[error("the file is no picture")]
    Unreadable,
    /// Other logos are being read.
    #[error("another picture is being read")]
    Busy,
}

impl Logo {
    /// Returns the file of a size.
    pub(crate) fn file(&self, size: LogoSize) -> &[u8] {
        match size {
            LogoSize::Small => &self.small,
            LogoSize::Large => &self.large,
        }
    }

    /// Reads a file, beside the threads that answer.
    pub(crate) async fn read(file: Vec<u8>) -> Result<Self, LogoMistake> {
        if file.len() > FILE_BYTES_MAX {
            return Err(LogoMistake::TooLarge);
        }
        let permit = timeout(WAIT_MAX, PERMITS.acquire()).await;
        let permit =
            permit.map_err(|_late| LogoMistake::Busy)?.map_err(|_closed| LogoMistake::Busy)?;
        let made = tokio::task::spawn_blocking(move || {
            // The permit lasts as long as the work, also when nobody waits for it any more.
            let _permit = permit;
            Self::decode(&file)
        });
        made.await.unwrap_or(Err(LogoMistake::Unreadable))
    }

    fn decode(file: &[u8]) -> Result<Self, LogoMistake> {
        let format = image::guess_format(file).map_err(|_unknown| LogoMistake::Unreadable)?;
        if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) {
            return Err(LogoMistake::Unreadable);
        }
        let mut reader = ImageReader::with_format(Cursor::new(file), format);
        let mut limits = Limits::no_limits();
        limits.max_image_width = Some(SIDE_MAX);
        limits.max_image_height = Some(SIDE_MAX);
        limits.max_alloc = Some(DECODED_BYTES_MAX);
        reader.limits(limits);
        let picture = reader.decode().map_err(|error| match error {
            image::ImageError::Limits(_) => LogoMistake::TooLarge,
            _ => LogoMistake::Unreadable,
        })?;
        let version = Sha256::digest(file)
            .iter()
            .take(VERSION_BYTES)
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let large = scaled(&picture, LARGE);
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

/// Returns the picture no wider and no higher than `bounds`; a smaller one keeps its size. Meanwhile the
/// colours are weighted by how opaque they are: otherwise those that are transparent show at the edges.
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

/// Returns `part * of / whole`, at most 255; 0 of nothing.
fn share(part: u8, of: u8, whole: u8) -> u8 {
    let share = (u16::from(part) * u16::from(of)).checked_div(u16::from(whole));
    share.map_or(0, |share| u8::try_from(share).unwrap_or(u8::MAX))
}

/// Returns the picture as PNG with eight bits a channel, which is what browsers show.
fn written(picture: &DynamicImage) -> Result<Vec<u8>, LogoMistake> {
    let mut file = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgba8(picture.to_rgba8());
    picture.write_to(&mut file, ImageFormat::Png).map_err(|_failure| LogoMistake::Unreadable)?;
    Ok(file.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn each_format_becomes_a_png_of_two_sizes_in_proportion() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let logo = Logo::decode(&file(1_440, 720, format)).unwrap();
            let sides = |bytes: &[u8]| {
                assert_eq!(image::guess_format(bytes).unwrap(), ImageFormat::Png);
                let picture = image::load_from_memory(bytes).unwrap();
                (picture.width(), picture.height())
            };
            assert_eq!((sides(&logo.small), sides(&logo.large)), ((192, 96), (512, 256)));
            assert_eq!(logo.version.len(), 2 * VERSION_BYTES);
        }
    }

    #[test]
    fn what_is_no_picture_or_would_fill_the_memory_is_refused() {
        let refused = |file: &[u8]| Logo::decode(file).unwrap_err();
        assert_eq!(refused(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), LogoMistake::Unreadable);
        assert_eq!(refused(b""), LogoMistake::Unreadable);
        assert_eq!(refused(b"GIF89a\x01\0\x01\0\0\0\0"), LogoMistake::Unreadable);
        let whole = file(40, 40, ImageFormat::Png);
        assert_eq!(refused(&whole[..60]), LogoMistake::Unreadable);
        assert_eq!(refused(&file(SIDE_MAX + 1, 1, ImageFormat::Png)), LogoMistake::TooLarge);
    }

    #[test]
    fn a_transparent_ground_leaves_no_trace_at_the_edges() {
        let red = Rgba([0xff, 0, 0, 0xff]);
        let drawn = image::RgbaImage::from_fn(1_000, 400, |x, y| {
            if (x / 7 + y / 7).is_multiple_of(2) { red } else { Rgba([0; 4]) }
        });
        let mut file = Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(drawn).write_to(&mut file, ImageFormat::Png).unwrap();
        let logo = Logo::decode(&file.into_inner()).unwrap();
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
        let logo = Logo::decode(&file.into_inner()).unwrap();
        assert!(logo.small.len() <= SMALL_BYTES_MAX, "{}", logo.small.len());
        let small = image::load_from_memory(&logo.small).unwrap();
        assert_eq!((small.width(), small.height()), (120, 32));
    }

    #[tokio::test]
    async fn a_large_file_is_refused_before_it_is_read() {
        let refused = Logo::read(vec![0; FILE_BYTES_MAX + 1]).await.unwrap_err();
        assert_eq!(refused, LogoMistake::TooLarge);
    }
}
