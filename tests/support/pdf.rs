//! PDF files as other programs read them: poppler's, and a reader of QR codes.

use std::{fs, path::PathBuf, process::Command};

use reqwest::Method;
use uuid::Uuid;

use super::Person;

/// Dots per inch at which pages are drawn.
const DOTS_PER_INCH: &str = "150";

/// PDF file in the temporary folder, removed with this.
#[derive(Debug)]
pub struct Pdf {
    path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Pdf {
    /// Keeps a file.
    pub fn new(bytes: Vec<u8>) -> Self {
        let path = std::env::temp_dir().join(format!("{}.pdf", Uuid::now_v7()));
        fs::write(&path, &bytes).unwrap();
        Self { path, bytes }
    }

    /// Downloads a file as a browser.
    pub async fn download(person: &Person, path: &str) -> Self {
        let answer = person.asks(Method::GET, path, "text/html").send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "application/pdf");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("content-disposition"), "attachment; filename=\"tickets.pdf\"");
        Self::new(answer.bytes().await.unwrap().to_vec())
    }

    /// Returns the text of each page.
    pub fn pages(&self) -> Vec<String> {
        let text = String::from_utf8(self.run("pdftotext", &["-layout"], &["-"])).unwrap();
        let pages = text.trim_end_matches('\u{c}').split('\u{c}');
        pages.map(str::to_owned).collect()
    }

    /// Returns the words of the first page, with one space between them.
    pub fn words(&self) -> String {
        let text = String::from_utf8(self.run("pdftotext", &["-raw"], &["-"])).unwrap();
        text.split('\u{c}').next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns a line of poppler's list for each font: its name, its kind and what it has.
    pub fn fonts(&self) -> Vec<String> {
        let list = String::from_utf8(self.run("pdffonts", &[], &[])).unwrap();
        list.lines().skip(2).map(str::to_owned).collect()
    }

    /// Returns what is in the QR codes of all pages, as drawn.
    pub fn qr_codes(&self) -> Vec<String> {
        let arguments = ["-gray", "-r", DOTS_PER_INCH];
        let drawn = self.run("pdftoppm", &arguments, &[]);
        pictures(&drawn).iter().flat_map(Picture::qr_codes).collect()
    }

    /// Returns what is in the QR codes of each quarter of all pages, as cut apart.
    pub fn qr_codes_of_quarters(&self) -> Vec<String> {
        let drawn = self.run("pdftoppm", &["-gray", "-r", DOTS_PER_INCH], &[]);
        let quarters = pictures(&drawn).into_iter().flat_map(|page| page.quarters());
        quarters.flat_map(|quarter| quarter.qr_codes()).collect()
    }

    fn run(&self, program: &str, before: &[&str], after: &[&str]) -> Vec<u8> {
        let mut command = Command::new(program);
        let output = command.args(before).arg(&self.path).args(after).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{program}: {errors}");
        output.stdout
    }
}

impl Drop for Pdf {
    fn drop(&mut self) {
        fs::remove_file(&self.path).unwrap();
    }
}

/// Picture of a page in shades of grey, row by row.
struct Picture {
    width: usize,
    shades: Vec<u8>,
}

impl Picture {
    /// Cuts the picture once across and once along.
    fn quarters(&self) -> [Self; 4] {
        let (width, height) = (self.width / 2, self.shades.len() / self.width / 2);
        [(0, 0), (width, 0), (0, height), (width, height)].map(|(left, top)| {
            let row = |y: usize| self.shades[y * self.width + left..][..width].to_vec();
            Self { width, shades: (top..top + height).flat_map(row).collect() }
        })
    }

    fn qr_codes(&self) -> Vec<String> {
        let height = self.shades.len() / self.width;
        let shade = |x: usize, y: usize| self.shades[y * self.width + x];
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(self.width, height, shade);
        image.detect_grids().iter().map(|grid| grid.decode().unwrap().1).collect()
    }
}

/// Reads pictures in the format PGM, which follow each other.
fn pictures(mut bytes: &[u8]) -> Vec<Picture> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let mut fields = Vec::new();
        while fields.len() < 4 {
            let end = bytes.iter().position(u8::is_ascii_whitespace).unwrap();
            fields.push(String::from_utf8(bytes[..end].to_vec()).unwrap());
            bytes = &bytes[end + 1..];
        }
        assert_eq!((fields[0].as_str(), fields[3].as_str()), ("P5", "255"));
        let (width, height): (usize, usize) =
            (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let (shades, rest) = bytes.split_at(width * height);
        found.push(Picture { width, shades: shades.to_vec() });
        bytes = rest;
    }
    found
}
