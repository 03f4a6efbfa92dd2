//! A name is one name in whichever of its Unicode forms it is typed.

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{field, make_venue};
use crate::support::{Concert, Hold, Office, Person, Purchase, read_all, read_one};

/// `객석` as a keyboard of one system writes it, and as another does.
const WHOLE: &str = "객석";
const IN_PARTS: &str = "\u{1100}\u{1162}\u{11a8}\u{1109}\u{1165}\u{11a8}";
/// `Zoë`, likewise.
const ZOE: &str = "Zo\u{eb}";
const ZOE_IN_PARTS: &str = "Zoe\u{308}";

fn csv(sections: [&str; 2]) -> String {
    let [first, second] = sections;
    format!("section,row,number\n{first},A,1\n{second},A,1\n")
}

#[sqlx::test]
async fn one_seat_in_two_forms_of_its_name_is_the_same_seat(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, &format!("{IN_PARTS}, 1, 2")).await;
    let path = format!("/admin/venues/{venue}/seats");
    assert_eq!(read_all::<String>(&db, "select distinct section from seats").await, [WHOLE]);
    for sections in [[WHOLE, IN_PARTS], [IN_PARTS, WHOLE]] {
        for action in ["/preview", ""] {
            let path = format!("{path}{action}");
            let form = [("version", "1".to_owned()), ("csv", csv(sections))];
            let file = Form::new().text("version", "1").text("file", csv(sections));
            let upload = admin.asks(Method::POST, &path, "application/json").multipart(file);
            let document = json!({ "version": 1, "csv": csv(sections) });
            let refusals = [
                admin.post(&path, &form).await,
                admin.post_json(&path, &document).await,
                admin.send(upload).await,
            ];
            for refused in refusals {
                assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"));
                let said = (field(&refused, "line"), field(&refused, "problem"));
                assert_eq!(said, (3.into(), "twice".into()), "{}", refused.body);
            }
        }
    }
    let saved =
        admin.post(&path, &[("version", "1"), ("grid", &format!("{IN_PARTS}, 1, 3"))]).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(
        read_one::<i64>(&db, "select count(*) from seats").await,
        3,
        "the same two, and one more"
    );
    office.close().await;
}

fn names(found: &Value, list: &str, name: &str) -> Vec<String> {
    let rows = found[list].as_array().unwrap().iter();
    rows.map(|row| row[name].as_str().unwrap().to_owned()).collect()
}

async fn sign_up(office: &Office, email: &str, name: &str, password: &str) -> Person {
    let person = office.stranger();
    let form = [("email", email), ("name", name), ("password", password)];
    let answer = person.post("/signup", &form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let account_id = answer.json()["account_id"].as_str().unwrap().parse().unwrap();
    office.log_in(&office.person(account_id, 0), 0).await
}

#[sqlx::test]
async fn a_person_is_found_by_either_form_of_the_name(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let zoe = sign_up(&office, "z@example.com", ZOE_IN_PARTS, "a long enough one").await;
    assert_eq!(
        read_all::<String>(&db, "select name from accounts where email like 'z@%'").await,
        [ZOE]
    );
    let concert = Concert::tonight(&db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &concert, &zoe, hold).await;
    let attendees = format!("/admin/schedules/{}/attendees", concert.schedule_id);
    for q in [ZOE, ZOE_IN_PARTS] {
        let people = admin.get(&format!("/admin/people?q={q}")).await.json();
        assert_eq!(names(&people, "people", "name"), [ZOE], "{people}");
        let coming = admin.get(&format!("{attendees}?q=%20{q}%20")).await.json();
        assert_eq!(names(&coming, "attendees", "name"), [ZOE], "{coming}");
        let guests =
            admin.post(&format!("/door/{}/guests", concert.schedule_id), &[("q", q)]).await;
        assert_eq!(names(&guests.json(), "guests", "holder"), [ZOE], "{}", guests.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn sections_zones_types_and_codes_are_kept_in_one_form(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let concert = Concert::usual(&db).await;
    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let zone = |name: &str| json!({ "version": 0, "name": name, "price": 30_000, "capacity": 10 });
    assert_eq!(admin.post_json(&format!("{schedule}/zones"), &zone(IN_PARTS)).await.status, 200);
    let twice = json!({ "version": 1, "name": WHOLE, "price": 30_000, "capacity": 10 });
    let twice = admin.post_json(&format!("{schedule}/zones"), &twice).await;
    assert!((400..500).contains(&twice.status), "{}", twice.body);
    let codes = format!("/admin/programs/{}/codes", concert.program_id);
    let code = json!({ "code": "SUMMER", "percent": 20, "section": IN_PARTS });
    let made = admin.post_json(&codes, &code).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(admin.get(&codes).await.json()["codes"][0]["section"], WHOLE);
    let key = json!({ "name": ZOE_IN_PARTS, "scopes": ["programs:read"] });
    let key = admin.post_json("/admin/api-keys", &key).await;
    assert_eq!(key.status, 201, "{}", key.body);
    let zones: Vec<String> = read_all(&db, "select name from zones order by name").await;
    assert!(
        zones.contains(&WHOLE.to_owned()) && !zones.contains(&IN_PARTS.to_owned()),
        "{zones:?}"
    );
    // Whatever else is kept of these: `verify` looks for other forms.
    office.close().await;
}

#[sqlx::test]
async fn a_password_is_its_bytes(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let password = format!(" {IN_PARTS} is long enough");
    sign_up(&office, "z@example.com", "zoe", &password).await;
    let log_in = async |password: &str| {
        let form = [("email", "z@example.com"), ("password", password)];
        office.stranger().post("/login", &form).await.status
    };
    assert_eq!(log_in(&password).await, 200);
    assert_eq!(log_in(password.trim()).await, 401);
    assert_eq!(log_in(&password.replace(IN_PARTS, WHOLE)).await, 401);
    office.close().await;
}
