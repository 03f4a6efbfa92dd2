//! Pictures to upload.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use reqwest::{
    Method,
    multipart::{Form, Part},
};

use super::{Answer, Person, eventually};

/// Returns the file of a black picture.
pub fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Returns a PNG of some hundred bytes that says that it has 30,000 pixels on each side.
pub fn picture_bomb() -> Vec<u8> {
    let mut file = picture(40, 40, ImageFormat::Png);
    // The first chunk: its length, "IHDR", the width, the height and more, and its checksum.
    let side = 30_000_u32.to_be_bytes();
    file[16..20].copy_from_slice(&side);
    file[20..24].copy_from_slice(&side);
    let mut checksum = flate2::Crc::new();
    checksum.update(&file[12..29]);
    file[29..33].copy_from_slice(&checksum.sum().to_be_bytes());
    file
}

/// Returns the form of an upload to what has the version `version`.
pub fn picture_form(version: &str, file: Vec<u8>) -> Form {
    let part = Part::bytes(file).file_name("picture.png");
    Form::new().text("version", version.to_owned()).part("file", part)
}

impl Person {
    /// Uploads a file with the version of what it belongs to, again while other tests of the process have theirs
    /// read: one is at a time.
    pub async fn upload(&self, path: &str, version: &str, file: Vec<u8>, accept: &str) -> Answer {
        eventually("the picture is read", async || {
            let request = self.asks(Method::POST, path, accept);
            let answer = self.send(request.multipart(picture_form(version, file.clone()))).await;
            let is_busy = answer.status == 409 && answer.body.contains("contended");
            if is_busy { Err(answer.body) } else { Ok(answer) }
        })
        .await
    }
}
