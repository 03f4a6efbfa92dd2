//! Refund terms of a program: typed in rows, taken from a list, or sent as a document.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{field, program, with};
use crate::support::{Office, Person, acts, run_sql};

type Form = Vec<(&'static str, String)>;

/// A program's form with rows of percent, fee, count, unit and time instead of the one line; six, as in a browser.
fn with_rows(rows: &[[&str; 5]]) -> Form {
    const COLUMNS: [&str; 5] = [
        "refund_step_percent",
        "refund_step_fee",
        "refund_step_count",
        "refund_step_unit",
        "refund_step_time",
    ];
    let mut form = program("Hamlet", "hamlet");
    form.retain(|(name, _)| !name.starts_with("refund_"));
    let empty = std::iter::repeat(["", "", "", "days", ""]);
    for row in rows.iter().copied().chain(empty).take(rows.len().max(6)) {
        form.extend(COLUMNS.into_iter().zip(row.map(str::to_owned)));
    }
    form
}

async fn make(admin: &Person, form: &Form) -> String {
    let made = admin.post("/admin/programs", form).await;
    assert_eq!(made.status, 201, "{}", made.body);
    format!("/admin/programs/{}", field(&made, "id").as_str().unwrap())
}

async fn stored(admin: &Person, path: &str) -> Value {
    admin.get(path).await.json()["program"].clone()
}

#[sqlx::test]
async fn rows_become_steps_and_are_shown_again(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let mut form = with_rows(&[
        ["100", "", "10", "days", "24:00"],
        ["", "", "", "days", ""],
        ["90", "1000", "3", "days", ""],
        ["50", "1000", "12", "hours", ""],
    ]);
    form.extend([("refund_free_hours", "24".to_owned()), ("refund_free_days", "7".to_owned())]);
    let path = make(&admin, &form).await;
    let program = stored(&admin, &path).await;
    let expected = json!({
        "steps": [
            { "days": 10, "at": "24:00", "percent": 100, "fee": 0 },
            { "days": 3, "percent": 90, "fee": 1000 },
            { "hours": 12, "percent": 50, "fee": 1000 },
        ],
        "free_within_hours": 24, "free_until_days": 7,
    });
    assert_eq!(program["refund_terms"], expected);
    let line = (&program["refund_until_hours"], &program["refund_percent"]);
    assert_eq!(line, (&json!(240), &json!(100)), "no later than the first step");
    let page = admin.visit(&path).await;
    for shown in [
        "tr:nth-child(1) [name='refund_step_time'][value='24:00']",
        "tr:nth-child(2) [name='refund_step_fee'][value='1000']",
        "tr:nth-child(3) [name='refund_step_count'][value='12']",
        "tr:nth-child(3) option[value='hours'][selected]",
        "tr:nth-child(6) [name='refund_step_percent'][value='']",
        "[name='refund_free_hours'][value='24']",
    ] {
        assert!(page.has(&format!(".admin__form {shown}")), "{shown}: {}", page.body);
    }
    // What the page shows and sends again is the same.
    let mut again = form.clone();
    again.push(("version", "0".to_owned()));
    assert_eq!(admin.submit(&path, &again).await.status, 303);
    assert_eq!(stored(&admin, &path).await["refund_terms"], expected);
    // One row of hours is the line that programs without steps have.
    let mut one = with_rows(&[["70", "", "36", "hours", ""]]);
    one.push(("version", "1".to_owned()));
    assert_eq!(admin.post(&path, &one).await.status, 200);
    let program = stored(&admin, &path).await;
    assert!(program.get("refund_terms").is_none(), "{program}");
    assert_eq!(
        (&program["refund_until_hours"], &program["refund_percent"]),
        (&json!(36), &json!(70))
    );
    assert_eq!(admin.visit("/admin/audit").await.status, 200);
    assert_eq!(acts(&db).await, ["program-created", "program-edited", "program-edited"]);
    office.close().await;
}

#[sqlx::test]
async fn terms_that_make_no_sense_are_refused_by_their_field_and_kept_as_typed(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let first = ["90", "500", "3", "days", ""];
    let cases = [
        (["80", "500", "4", "days", ""], "refund_terms.2.until"),
        (["80", "500", "3", "days", ""], "refund_terms.2.until"),
        (["80", "500", "72", "hours", ""], "refund_terms.2.until"),
        (["80", "500", "4", "days", "24:00"], "refund_terms.2.until"),
        (["91", "500", "1", "days", ""], "refund_terms.2.percent"),
        (["101", "500", "1", "days", ""], "refund_terms.2.percent"),
        (["-1", "500", "1", "days", ""], "refund_terms.2.percent"),
        (["", "500", "1", "days", ""], "refund_terms.2.percent"),
        (["80", "499", "1", "days", ""], "refund_terms.2.fee"),
        (["80", "-1", "1", "days", ""], "refund_terms.2.fee"),
        (["80", "1000000001", "1", "days", ""], "refund_terms.2.fee"),
        (["80", "500", "", "days", ""], "refund_terms.2.until"),
        (["80", "500", "1", "days", "25:00"], "refund_terms.2.until"),
        (["80", "500", "1", "hours", "18:00"], "refund_terms.2.until"),
        (["80", "500", "-1", "hours", ""], "refund_terms.2.until"),
    ];
    for (second, name) in cases {
        let form = with_rows(&[first, second]);
        let refused = admin.post("/admin/programs", &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{second:?}");
        let fields = refused.json()["fields"].clone();
        assert!(fields[name].is_string(), "{second:?}: {fields}");
        let page = admin.submit("/admin/programs", &form).await;
        assert_eq!(page.status, 422);
        assert!(page.has("#refund-row-2.field__refusal"), "{second:?}: {}", page.body);
        let typed = format!("[name='refund_step_percent'][value='{}'][aria-invalid]", second[0]);
        assert!(page.has(&typed), "{second:?}: {}", page.body);
    }
    let rows = [["50", "", "9", "days", ""]; 7];
    let refused = admin.post("/admin/programs", &with_rows(&rows)).await;
    assert!(refused.json()["fields"]["refund_terms"].is_string(), "{}", refused.body);
    let mut half = with_rows(&[first]);
    half.push(("refund_free_hours", "24".to_owned()));
    let refused = admin.post("/admin/programs", &half).await;
    assert!(refused.json()["fields"]["refund_free_days"].is_string(), "{}", refused.body);
    let unknown = with(&program("Hamlet", "hamlet"), &[("refund_preset", "generous")]);
    let refused = admin.post("/admin/programs", &unknown).await;
    assert!(refused.json()["fields"]["refund_preset"].is_string(), "{}", refused.body);
    assert!(acts(&db).await.is_empty());
    office.close().await;
}

#[sqlx::test]
async fn terms_that_many_halls_have_are_chosen_from_a_list(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let korean = json!({ "steps": [
        { "days": 10, "at": "24:00", "percent": 100, "fee": 0 },
        { "days": 7, "at": "24:00", "percent": 90, "fee": 0 },
        { "days": 3, "at": "24:00", "percent": 80, "fee": 0 },
        { "days": 1, "at": "24:00", "percent": 70, "fee": 0 },
        { "hours": 0, "percent": 10, "fee": 0 },
    ] });
    let cases = [
        ("korean", korean),
        ("day-before", json!({ "steps": [{ "days": 1, "percent": 100, "fee": 0 }] })),
        ("none", json!({ "steps": [] })),
    ];
    let form = with_rows(&[["100", "", "5", "hours", ""]]);
    let path = make(&admin, &form).await;
    for (version, (name, expected)) in cases.into_iter().enumerate() {
        assert!(admin.visit(&path).await.has(&format!("[name='refund_preset'] [value='{name}']")));
        let mut form = form.clone();
        form.extend([("refund_preset", name.to_owned()), ("version", version.to_string())]);
        assert_eq!(admin.submit(&path, &form).await.status, 303);
        assert_eq!(stored(&admin, &path).await["refund_terms"], expected, "{name}");
    }
    let page = admin.visit(&path).await;
    assert!(
        page.has("[name='refund_step_percent'][value='']")
            && !page.has("[name='refund_step_percent'][value='0']")
    );
    office.close().await;
}

#[sqlx::test]
async fn programs_send_terms_and_those_that_know_the_one_line_keep_them(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let fields = program("Hamlet", "hamlet").into_iter();
    let mut old: Value = fields.map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let terms = json!({ "steps": [
        { "days": 3, "percent": 90, "fee": 0 }, { "days": 1, "at": "18:00", "percent": 50, "fee": 200 },
    ] });
    let mut new = old.clone();
    new["refund_terms"] = terms.clone();
    let made = admin.post_json("/admin/programs", &new).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(field(&made, "refund_terms"), terms, "more than the line beside it");
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    // A client that knows the one line sends it back as it was shown, with another title.
    let shown = stored(&admin, &path).await;
    (old["refund_until_hours"], old["refund_percent"]) =
        (shown["refund_until_hours"].clone(), shown["refund_percent"].clone());
    (old["title"], old["version"]) = (json!("Hamlet, Prince"), json!(0));
    assert_eq!(admin.post_json(&path, &old).await.json()["refund_terms"], terms);
    // Another line is one step.
    (old["refund_percent"], old["version"]) = (json!(40), json!(1));
    let saved = admin.post_json(&path, &old).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert!(saved.json().get("refund_terms").is_none(), "{}", saved.body);
    assert_eq!(saved.json()["refund_percent"], 40);
    new["refund_terms"]["steps"][1]["percents"] = json!(1);
    new["version"] = json!(2);
    assert_eq!(admin.post_json(&path, &new).await.status, 400, "an unknown member");
    new["refund_terms"] = json!({ "steps": [{ "hours": 1, "days": 1, "percent": 1, "fee": 0 }] });
    let refused = admin.post_json(&path, &new).await;
    assert!(refused.json()["fields"]["refund_terms.1.until"].is_string(), "{}", refused.body);

    // A copy has the terms of what it copies.
    run_sql(
        &db,
        r#"update programs set refund_terms = '{"steps": [{"days": 2, "percent": 5, "fee": 0}]}'"#,
    )
    .await;
    let copied = admin.post(&format!("{path}/copies"), &()).await;
    assert_eq!(copied.status, 201, "{}", copied.body);
    assert_eq!(copied.json()["refund_terms"]["steps"][0]["days"], 2, "{}", copied.body);
    office.close().await;
}
