//! QR codes as pictures.

use actix_web::{HttpResponse, http::header};
use qrcode::{EcLevel, QrCode, render::svg};

/// Least side of a picture, in pixels.
const SIDE_MIN: u32 = 240;

/// How much of a code may be covered or dirty.
#[derive(Clone, Copy, Debug)]
pub enum Repair {
    /// 7 %: fewest dots.
    Least,
    /// 25 %.
    Quarter,
}

/// Draws a code of `text`, black on white with the quiet zone that scanners need; `None` if the text
/// is too long.
pub fn draw(text: &str, repair: Repair) -> Option<String> {
    let level = match repair {
        Repair::Least => EcLevel::L,
        Repair::Quarter => EcLevel::Q,
    };
    let matrix = QrCode::with_error_correction_level(text, level).ok()?;
    let mut renderer = matrix.render::<svg::Color<'_>>();
    renderer.min_dimensions(SIDE_MIN, SIDE_MIN).quiet_zone(true);
    Some(renderer.dark_color(svg::Color("#000")).light_color(svg::Color("#fff")).build())
}

/// Answers with a drawing.
pub fn answer(drawing: String) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "image/svg+xml")).body(drawing)
}
