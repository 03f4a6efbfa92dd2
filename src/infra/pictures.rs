//! Pictures that people upload: decoded within bounds, and turned upright.
//!
//! Every stored picture is made from the upload's pixels, and encoded anew: nothing else of the file is kept,
//! such as where a photograph was taken. One picture is decoded at a time in a process, beside the threads that
//! answer.

use std::{io::Cursor, time::Duration};

use image::{
    DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits,
    error::{LimitError, LimitErrorKind},
    metadata::Orientation,
};
use sha2::{Digest, Sha256};
use tokio::{sync::Semaphore, time::timeout};

/// Upper bound of a picture's pixels, in millions: a sheet of A3 at 300 dots an inch has 17.
pub const MEGAPIXELS_MAX: u32 = 25;
/// Upper bound of the memory for decoding a picture, in MiB: as many pixels of 8 bits a colour, with
/// transparency, and half as many of 16.
const DECODED_MIB_MAX: u32 = 96;
const _: () = assert!(MEGAPIXELS_MAX * 1_000_000 / 1024 * 4 / 1024 <= DECODED_MIB_MAX);
/// Pictures that a process decodes at a time, and the longest wait of another one.
const AT_ONCE: usize = 1;
const WAIT_MAX: Duration = Duration::from_secs(2);
static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);
/// Bytes of the hash that make a version.
const VERSION_BYTES: usize = 8;

/// Upper bounds of a file that is uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureBounds {
    /// Size of the file, in MiB.
    pub file_mib: usize,
    /// Width and height of the picture, in pixels.
    pub side: u32,
}

/// Picture of a file, upright.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Beginning of the hash of the file, in hexadecimal.
    pub version: String,
    /// The picture itself.
    pub pixels: DynamicImage,
}

/// Reason why a file is no picture that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureMistake {
    /// The file has more bytes, or its picture more pixels, than its bounds allow.
    #[error("the picture is larger than {0:?}")]
    TooLarge(PictureBounds),
    /// The file is no PNG, JPEG or WebP, or a broken one.
    #[error("the file is no picture")]
    Unreadable,
    /// Other pictures are being read.
    #[error("another picture is being read")]
    Busy,
}

/// Decodes a file and calls `make` with its picture, both beside the threads that answer.
pub async fn read<T: Send + 'static>(
    file: Vec<u8>,
    bounds: PictureBounds,
    make: fn(Picture) -> Result<T, PictureMistake>,
) -> Result<T, PictureMistake> {
    if file.len() > bounds.file_mib * 1024 * 1024 {
        return Err(PictureMistake::TooLarge(bounds));
    }
    let permit = timeout(WAIT_MAX, PERMITS.acquire()).await;
    let permit =
        permit.map_err(|_late| PictureMistake::Busy)?.map_err(|_closed| PictureMistake::Busy)?;
    let outcome = tokio::task::spawn_blocking(move || {
        // The permit lasts as long as the work, also when its caller has gone away.
        let _permit = permit;
        make(decode(&file, bounds)?)
    });
    outcome.await.unwrap_or(Err(PictureMistake::Unreadable))
}

/// Decodes a file, and turns its picture as its camera was held.
pub fn decode(file: &[u8], bounds: PictureBounds) -> Result<Picture, PictureMistake> {
    let format = image::guess_format(file).map_err(|_unknown| PictureMistake::Unreadable)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) {
        return Err(PictureMistake::Unreadable);
    }
    let pixels = pixels_of(file, format, bounds.side).map_err(|error| match error {
        ImageError::Limits(_) => PictureMistake::TooLarge(bounds),
        _ => PictureMistake::Unreadable,
    })?;
    let version = Sha256::digest(file)
        .iter()
        .take(VERSION_BYTES)
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    Ok(Picture { version, pixels })
}

fn pixels_of(file: &[u8], format: ImageFormat, side_max: u32) -> Result<DynamicImage, ImageError> {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(side_max);
    limits.max_image_height = Some(side_max);
    limits.max_alloc = Some(u64::from(DECODED_MIB_MAX) * 1024 * 1024);
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    // By the head alone: one of a colour takes few bytes, and as long as any other.
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > u64::from(MEGAPIXELS_MAX) * 1_000_000 {
        return Err(ImageError::Limits(LimitError::from_kind(LimitErrorKind::DimensionError)));
    }
    // The decoder's other memory is bounded by the remainder.
    limits.reserve(decoder.total_bytes())?;
    decoder.set_limits(limits)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut pixels = DynamicImage::from_decoder(decoder)?;
    pixels.apply_orientation(orientation);
    Ok(pixels)
}

/// Returns `part * of / whole`, at most 255; 0 of nothing.
pub fn share(part: u8, of: u8, whole: u8) -> u8 {
    let share = (u16::from(part) * u16::from(of)).checked_div(u16::from(whole));
    share.map_or(0, |share| u8::try_from(share).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: PictureBounds = PictureBounds { file_mib: 1, side: 64 };

    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn what_is_no_picture_or_would_fill_the_memory_is_refused() {
        let refused = |file: &[u8]| decode(file, BOUNDS).unwrap_err();
        let unreadable = PictureMistake::Unreadable;
        assert_eq!(refused(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), unreadable);
        assert_eq!(refused(b""), unreadable);
        assert_eq!(refused(b"GIF89a\x01\0\x01\0\0\0\0"), unreadable);
        let whole = file(40, 40, ImageFormat::Png);
        assert_eq!(refused(&whole[..60]), unreadable);
        let too_large = PictureMistake::TooLarge(BOUNDS);
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            assert_eq!(refused(&file(65, 1, format)), too_large, "{format:?}");
            let allowed = decode(&file(64, 1, format), BOUNDS).unwrap();
            assert_eq!(allowed.version.len(), 2 * VERSION_BYTES);
        }
        // Each side is allowed, and the whole is not: by its pixels, or by 8 bytes of each.
        let wide = PictureBounds { file_mib: 1, side: 8_192 };
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_luma8(8_192, 8_192).write_to(&mut file, ImageFormat::Png).unwrap();
        let refused = decode(&file.into_inner(), wide).unwrap_err();
        assert_eq!(refused, PictureMistake::TooLarge(wide));
        let pixels = DynamicImage::new_rgba16(5_000, 2_600);
        let mut file = Cursor::new(Vec::new());
        pixels.write_to(&mut file, ImageFormat::Png).unwrap();
        let refused = decode(&file.into_inner(), wide).unwrap_err();
        assert_eq!(refused, PictureMistake::TooLarge(wide));
    }

    #[tokio::test]
    async fn a_large_file_is_refused_before_it_is_read() {
        let file = vec![0; 1024 * 1024 + 1];
        let refused = read(file, BOUNDS, |_| Ok(())).await.unwrap_err();
        assert_eq!(refused, PictureMistake::TooLarge(BOUNDS));
    }

    #[test]
    fn a_photograph_is_turned_as_its_camera_was_held() {
        let mut upright = image::RgbImage::new(32, 16);
        for pixel in upright.pixels_mut() {
            *pixel = image::Rgb([0xff, 0, 0]);
        }
        let mut file = Cursor::new(Vec::new());
        upright.write_to(&mut file, ImageFormat::Jpeg).unwrap();
        let file = file.into_inner();
        let turned = decode(&turned_by_a_quarter(&file), BOUNDS).unwrap().pixels;
        assert_eq!((turned.width(), turned.height()), (16, 32));
        let as_it_was = decode(&file, BOUNDS).unwrap().pixels;
        assert_eq!((as_it_was.width(), as_it_was.height()), (32, 16));
    }

    /// Adds to a JPEG that its camera was turned by 90 degrees: Exif 2.3, sections 4.5.4 and 4.6.2.
    fn turned_by_a_quarter(jpeg: &[u8]) -> Vec<u8> {
        let exif: &[u8] =
            b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        [&jpeg[..2], b"\xff\xe1", &length, exif, &jpeg[2..]].concat()
    }
}
