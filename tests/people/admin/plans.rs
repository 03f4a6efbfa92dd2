//! Seat plans as they are read: from files of other programs, with each mistake named, and what was previewed
//! is what is saved.

use std::{collections::BTreeSet, fmt::Write as _};

use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::make_venue;
use crate::support::{Answer, Office, Person, read_all, read_one};

/// The plan of a venue that is being made.
pub(super) struct Plan {
    pub(super) admin: Person,
    pub(super) path: String,
    pub(super) version: u32,
}

impl Plan {
    pub(super) async fn new(office: &Office) -> Self {
        let admin = office.employ("admin", "ADMIN").await;
        let venue = make_venue(&admin, "Stalls, 1, 2").await;
        Self { admin, path: format!("/admin/venues/{venue}/seats"), version: 1 }
    }

    pub(super) async fn send(
        &self,
        action: &str,
        name: &'static str,
        bytes: &[u8],
        accept: &str,
    ) -> Answer {
        let request = self.admin.asks(Method::POST, &format!("{}{action}", self.path), accept);
        let part = Part::bytes(bytes.to_vec()).file_name("seats.csv");
        let form = Form::new().text("version", self.version.to_string()).part(name, part);
        self.admin.send(request.multipart(form)).await
    }

    /// Saves a CSV.
    pub(super) async fn save(&mut self, csv: &str) -> Answer {
        let saved = self.send("", "csv", csv.as_bytes(), "application/json").await;
        self.version += u32::from(saved.status == 200);
        saved
    }
}

/// The name and the text of the plan that a preview sends back.
fn carried(preview: &Answer) -> (&'static str, String) {
    let field = |name: &'static str| {
        let start = format!("<textarea name=\"{name}\" hidden>\n");
        let text = preview.body.split(start.as_str()).nth(1)?.split("</textarea>").next()?;
        Some((name, text.to_owned()))
    };
    field("csv").or_else(|| field("grid")).unwrap_or_else(|| panic!("{}", preview.body))
}

/// The points of the seats that a page draws.
fn drawn(page: &Answer) -> BTreeSet<String> {
    let circles = page.body.split("<circle cx=\"").skip(1);
    circles.map(|circle| circle.split("\" r=").next().unwrap().replace("\" cy=\"", ",")).collect()
}

#[sqlx::test]
async fn what_a_preview_draws_is_what_is_saved(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let mut plan = Plan::new(&office).await;
    let texts = [
        ("grid", "Floor left, 12, 14, R | Floor right, 12, 14, R\nCircle, 8, 40\n"),
        ("csv", "section,row,number\nB,1,1\nB,1,3\nA,1,1\n"),
        ("csv", "\n\nsection;row;number;x;y;category\nB;1;1;0,5;2;R\nA;1;1;0;0;\n"),
    ];
    for (name, text) in texts {
        let preview = plan.send("/preview", name, text.as_bytes(), "text/html").await;
        assert_eq!(preview.status, 200, "{}", preview.body);
        let (name, text) = carried(&preview);
        // As a browser sends it.
        let text = text.replace('\n', "\r\n");
        let saved = plan.send("", name, text.as_bytes(), "text/html").await;
        assert_eq!(saved.status, 303, "{}", saved.body);
        plan.version += 1;
        let points: Vec<String> = read_all(&db, "select x || ',' || y from seats").await;
        assert_eq!(drawn(&preview), points.into_iter().collect(), "{preview:?}");
    }
    office.close().await;
}

#[sqlx::test]
async fn files_of_other_programs_are_read_in_their_charset_and_with_their_delimiter(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let plan = Plan::new(&office).await;
    let text = "section,row,number,category\n1층,A,1,R\n1층,A,2,R\n2층,B,1,S\n";
    let utf16 = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cp949 = text.replace('층', "_").into_bytes();
    let cp949 = cp949.into_iter().flat_map(|byte| match byte {
        b'_' => vec![0xc3, 0xfe],
        byte => vec![byte],
    });
    let files: [(Vec<u8>, &str); 5] = [
        (text.into(), "UTF-8"),
        (text.replace(',', ";").into(), "UTF-8"),
        (text.replace(',', "\t").into(), "UTF-8"),
        (utf16, "UTF-16"),
        (cp949.collect(), "CP949"),
    ];
    for (bytes, charset) in files {
        let told = plan.send("/preview", "file", &bytes, "application/json").await;
        assert_eq!(told.status, 200, "{}", told.body);
        let told = told.json();
        assert_eq!(told["charset"], charset);
        assert_eq!(told["sections"], json!([["1층", 2], ["2층", 1]]));
        assert_eq!(told["categories"], json!([["R", 2], ["S", 1]]));
        let page = plan.send("/preview", "file", &bytes, "text/html").await;
        let is_told = page.body.contains(&format!("The file was read as {charset}"));
        assert_eq!(is_told, charset != "UTF-8", "{}", page.body);
        assert!(carried(&page).1.contains("1층"), "{}", page.body);
    }
    let japanese = b"section,row,number\n1\x8aK,A,1\n";
    let refused = plan.send("", "file", japanese, "application/json").await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"));
    assert_eq!(
        (&refused.json()["problem"], &refused.json()["line"]),
        (&"charset".into(), &2.into())
    );
    office.close().await;
}

#[sqlx::test]
async fn a_mistake_is_named_with_its_line_and_column(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let plan = Plan::new(&office).await;
    let cases: [(&str, u64, Value, &str); 11] = [
        ("\n\nsection,row,number\nA,1,1\nA,1,x\n", 5, json!("number"), "number"),
        ("section,row,number,x\nA,1,1,5\nA,1,2,0\n", 1, json!("x"), "lone-column"),
        ("section,row,number,companion_of\nA,1,1,\n", 1, json!("companion_of"), "lone-column"),
        ("section,section,row,number\nA,B,1,1\n", 1, json!("section"), "doubled-column"),
        ("\nsection,row,number,catgory\nA,1,1,R\n", 2, json!("catgory"), "unknown-column"),
        ("\n\nsection,row\nA,1\n", 3, json!("number"), "column"),
        ("section,row,number,x,y\nA,1,1,0,0\nA,1,2,0,0\n", 3, Value::Null, "same-point"),
        ("section,row,number,x,y\nA,1,1,0,far\n", 2, json!("y"), "place"),
        ("section,row,number,kind\nA,1,1,Throne\n", 2, json!("kind"), "kind"),
        ("section,row,number\nA,1,1\n\n,1,2\n", 4, json!("section"), "name"),
        ("section,row,number\nA,1\n", 2, Value::Null, "shape"),
    ];
    for (csv, line, column, problem) in cases {
        for action in ["", "/preview"] {
            let refused = plan.send(action, "file", csv.as_bytes(), "application/json").await;
            assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"), "{csv}");
            let told = refused.json();
            let told = (&told["line"], &told["column"], &told["problem"]);
            assert_eq!(told, (&json!(line), &column, &json!(problem)), "{csv}");
            let page = plan.send(action, "csv", csv.as_bytes(), "text/html").await;
            assert!(page.body.contains(&format!("Line {line}:")), "{}", page.body);
            let column = column.as_str().unwrap_or_default();
            assert!(page.texts("[role='alert']").concat().contains(column), "{}", page.body);
        }
    }
    let grid = plan.send("", "grid", b"\n\nStalls, two, 10", "application/json").await;
    assert_eq!((grid.status, &grid.json()["line"]), (422, &3.into()), "{}", grid.body);
    office.close().await;
}

/// A plan of `n` seats, whose sections have 1,000 of them.
pub(super) fn seats(n: usize) -> String {
    let mut csv = "section,row,number\n".to_owned();
    for idx in 0..n {
        writeln!(csv, "S{},R{},{}", idx / 1_000, idx / 50, idx % 50 + 1).unwrap();
    }
    csv
}

#[sqlx::test]
async fn a_plan_of_many_seats_is_saved_again_and_again(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let mut plan = Plan::new(&office).await;
    let csv = seats(5_000);
    for _ in 0..2 {
        let saved = plan.save(&csv).await;
        assert_eq!((saved.status, &saved.json()["seats"]), (200, &5_000.into()), "{}", saved.body);
    }
    let ids = "select md5(string_agg(id::text, ',' order by id)) from seats";
    let before: String = read_one(&db, ids).await;
    // A companion's place before its wheelchair place, and in another batch.
    let kinds = csv.replace("number\n", "number,kind,companion_of\nS0,R0,51,COMPANION,52\n");
    let kinds = kinds.replace(",1\n", ",1,EASY_ACCESS,\n") + "S0,R0,52,WHEELCHAIR,\n";
    let kinds: Vec<String> = kinds
        .lines()
        .map(|line| line.to_owned() + [",,", ","].get(line.matches(',').count() - 2).unwrap_or(&""))
        .collect();
    let saved = plan.save(&kinds.join("\n")).await;
    assert_eq!((saved.status, &saved.json()["seats"]), (200, &5_002.into()), "{}", saved.body);
    let marked = "select array_agg(kind || n order by kind)
                  from (select kind, count(*) as n from seats group by kind) k";
    let marked: Vec<String> = read_one(&db, marked).await;
    assert_eq!(marked, ["COMPANION1", "EASY_ACCESS100", "STANDARD4900", "WHEELCHAIR1"]);
    let fewer = plan.save(&seats(4_000)).await;
    assert_eq!((fewer.status, &fewer.json()["seats"]), (200, &4_000.into()), "{}", fewer.body);
    assert_eq!(plan.save(&csv).await.status, 200);
    let after: String = read_one(&db, ids).await;
    assert_ne!(before, after, "removed seats come back as others");
    office.close().await;
}
