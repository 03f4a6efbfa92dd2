//! Targets of texts that people write and others read: addresses, descriptions, pictures, cells.

use actix_web::body::to_bytes;
use futures_util::FutureExt;
use resvg::usvg::roxmltree::Document;
use scraper::Html;
use uuid::Uuid;

use super::{check, text};
use crate::{
    accounts::{Email, name::Name, sessions::device_name},
    text::{cell::unguarded, markdown::Markdown},
    web::{
        files::{
            download,
            qr_code::{self, Repair},
        },
        poster::Poster,
    },
};

/// Elements that a description may have.
const ELEMENTS: [&str; 17] = [
    "html",
    "head",
    "body",
    "p",
    "br",
    "em",
    "strong",
    "a",
    "ul",
    "ol",
    "li",
    "blockquote",
    "code",
    "pre",
    "h3",
    "hr",
    "del",
];
/// Most that a description may grow by as HTML: each byte as an entity, and what Markdown expands.
const GROWTH_MAX: usize = 8;
const EXPANSION_MAX: usize = 200_000;

#[test]
fn a_description_runs_nothing_and_leads_only_out() {
    check(bolero::check!(), |bytes| {
        let typed = text(bytes);
        let shown = Markdown(&typed).to_string();
        assert!(shown.len() <= typed.len() * GROWTH_MAX + EXPANSION_MAX, "{} bytes", shown.len());
        let page = Html::parse_document(&shown);
        for element in page.tree.values().filter_map(|node| node.as_element()) {
            assert!(ELEMENTS.contains(&element.name()), "{shown}");
            for (name, value) in element.attrs() {
                let is_known = match name {
                    "href" => ["https:", "http:", "mailto:"]
                        .iter()
                        .any(|scheme| value.to_ascii_lowercase().starts_with(scheme)),
                    "title" | "class" | "start" => true,
                    _ => false,
                };
                assert!(is_known, "{name}={value}: {shown}");
            }
        }
        assert!(!Markdown(&typed).plain().contains('\n'));
    });
}

#[test]
fn an_address_is_folded_once_and_has_one_line() {
    check(bolero::check!(), |bytes| {
        let typed = text(bytes);
        if let Some(email) = Email::parse(&typed) {
            assert!(email.as_str().len() <= 254 && email.as_str().contains('@'));
            assert!(!email.as_str().chars().any(|c| c.is_control() || c.is_whitespace()));
            assert_eq!(Email::parse(email.as_str()).as_ref(), Some(&email));
        }
        if let Some(name) = Name::parse(&typed) {
            assert!(!name.as_str().chars().any(char::is_control));
        }
        assert!(device_name(&typed).bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '));
    });
}

#[test]
fn a_picture_is_well_formed_whatever_it_is_made_of() {
    check(bolero::check!(), |bytes| {
        let name = text(bytes);
        let number = i32::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default());
        for art in [Poster::of_name(&name).art, Poster::of_program(number, &name).art] {
            let art = art.to_string();
            Document::parse(&art).unwrap();
            assert!(art.len() < 4_000 && !art.contains("script"));
        }
        if let Some(drawing) = qr_code::draw(&name, Repair::Quarter) {
            let drawing = Document::parse(&drawing).unwrap();
            assert!(drawing.descendants().all(|node| !node.is_text() || node.text() == Some("\n")));
        }
    });
}

#[test]
fn a_file_of_cells_has_one_cell_for_each_and_no_formula() {
    check(bolero::check!(), |bytes| {
        let cell = text(bytes);
        let row = vec![cell.clone(), "end".to_owned()];
        let answer = download::csv("x", ["a", "b"], move |after| {
            let rows = if after.is_none() { vec![(Uuid::nil(), row.clone())] } else { Vec::new() };
            async { Ok(rows) }
        });
        let answer = answer.now_or_never().unwrap().unwrap();
        let file = to_bytes(answer.into_body()).now_or_never().unwrap().unwrap();
        let mut reader = csv::Reader::from_reader(&file[3..]);
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 1);
        assert_eq!((records[0].len(), &records[0][1]), (2, "end"));
        let written = &records[0][0];
        let signs = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
        let is_formula = written.starts_with(signs);
        assert!(!is_formula || written.parse::<f64>().is_ok(), "{written}");
        assert!(written == cell || written.strip_prefix('\'') == Some(&cell), "{written}");
        assert_eq!(unguarded(written), cell);
    });
}
