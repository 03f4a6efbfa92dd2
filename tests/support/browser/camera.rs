//! A camera of a browser, in front of which one QR code is held.

use std::{env, fs, iter, path::PathBuf};

use qrcode::{Color, QrCode};
use uuid::Uuid;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;
/// Pixels of a module of the code.
const MODULE: usize = 6;
/// Brightness of ink, and of what is around it.
const DARK: u8 = 40;
const LIGHT: u8 = 220;

/// Camera; its film is a file that ends with it.
#[derive(Debug)]
pub struct Camera {
    film: PathBuf,
}

impl Camera {
    /// Holds the code of `text` in front of a camera.
    pub fn showing(text: &str) -> Self {
        let film = env::temp_dir().join(format!("stagedoor-camera-{}.y4m", Uuid::new_v4()));
        let header = format!("YUV4MPEG2 W{WIDTH} H{HEIGHT} F10:1 Ip A1:1 C420jpeg\nFRAME\n");
        let colours = iter::repeat_n(128, WIDTH * HEIGHT / 2);
        let bytes = header.into_bytes().into_iter().chain(brightness(text)).chain(colours);
        fs::write(&film, bytes.collect::<Vec<u8>>()).unwrap();
        Self { film }
    }

    /// Arguments of a browser that has this camera and may use it.
    pub fn arguments(&self) -> [String; 3] {
        [
            "--use-fake-ui-for-media-stream".to_owned(),
            "--use-fake-device-for-media-stream".to_owned(),
            format!("--use-file-for-fake-video-capture={}", self.film.display()),
        ]
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.film);
    }
}

/// Brightness of each pixel of a frame with the code in its middle.
fn brightness(text: &str) -> Vec<u8> {
    let code = QrCode::new(text).unwrap();
    let side = code.width();
    let (left, top) = ((WIDTH - side * MODULE) / 2, (HEIGHT - side * MODULE) / 2);
    let pixels = (0..WIDTH * HEIGHT).map(|idx| (idx % WIDTH, idx / WIDTH));
    let module = |at: usize, from: usize| {
        at.checked_sub(from).map(|inside| inside / MODULE).filter(|nth| *nth < side)
    };
    let pixel = |(x, y)| match (module(x, left), module(y, top)) {
        (Some(x), Some(y)) if code[(x, y)] == Color::Dark => DARK,
        _ => LIGHT,
    };
    pixels.map(pixel).collect()
}
