//! What the rehearsal token opens, and what it does not.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::wallet::claim_transfers;
use uuid::Uuid;

use super::{TOKEN, counts};
use crate::support::{
    Answer, Concert, Hold, Office, Person, Purchase, api_document::takes_field, app, email_of,
    read_one, read_one_with, run_sql,
};

/// What `person` is answered who says `token`.
pub(super) async fn ask(
    person: &Person,
    token: &str,
    method: Method,
    path: &str,
    form: Value,
) -> Answer {
    let request = person.asks(method, path, "application/json");
    person.send(request.bearer_auth(token).json(&form)).await
}

pub(super) async fn open(db: PgPool) -> Office {
    Office::open_with(db, 1, &[("REHEARSAL_TOKEN", TOKEN)]).await
}

pub(super) async fn set_up(office: &Office) -> Value {
    let form = json!({ "people": 10 });
    let answer = ask(&office.stranger(), TOKEN, Method::POST, "/rehearsal/stages", form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// The concert of that rehearsal.
pub(super) fn concert_of(stage: &Value) -> Concert {
    let id = |name: &str| stage[name].as_str().unwrap().parse::<Uuid>().unwrap();
    Concert {
        program_id: id("program_id"),
        slug: stage["slug"].as_str().unwrap().to_owned(),
        schedule_id: id("schedule_id"),
        seat_ids: Vec::new(),
        zone_id: id("zone_id"),
    }
}

/// Removes a rehearsal, and expects that nothing is left of it in `tables`.
pub(super) async fn remove_all_of(office: &Office, concert: &Concert, tables: &[&str]) {
    let path = format!("/rehearsal/stages/{}", concert.program_id);
    let removed = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    for table in tables {
        let left = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        assert_eq!(read_one::<i64>(&office.db, left).await, 0, "{table}");
    }
}

/// A person of that rehearsal, signed in.
pub(super) async fn actor(office: &Office, stage: &Value) -> Person {
    let path = format!("/rehearsal/stages/{}/people", stage["program_id"].as_str().unwrap());
    let answer = ask(&office.stranger(), TOKEN, Method::POST, &path, json!({ "count": 1 })).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let people: Value = serde_json::from_str(&answer.body).unwrap();
    let account_id = people["people"][0]["account_id"].as_str().unwrap();
    let person = office.person(account_id.parse().unwrap(), 0);
    person.set_cookie("session", people["people"][0]["sessions"][1].as_str().unwrap());
    person
}

#[sqlx::test]
async fn nobody_gets_in_without_the_token(db: PgPool) {
    let office = open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let before = counts(&db).await;
    let longer = format!("{TOKEN}!");
    for token in ["", "wrong", &TOKEN[1..], longer.as_str()] {
        let stage = ask(&admin, token, Method::POST, "/rehearsal/stages", json!({ "people": 1 }));
        let stage = stage.await;
        assert_eq!((stage.status, stage.code()), (401, "wrong-token".to_owned()), "{token}");
    }
    assert_eq!(counts(&db).await, before);
    office.close().await;
}

#[sqlx::test]
async fn a_rehearsal_has_a_size(db: PgPool) {
    let office = open(db).await;
    for people in [json!(0), json!(20_001), json!("many"), Value::Null] {
        let form = json!({ "people": people });
        let answer = ask(&office.stranger(), TOKEN, Method::POST, "/rehearsal/stages", form).await;
        assert_eq!((answer.status, answer.code()), (422, "too-many-people".to_owned()));
    }
    let stage = set_up(&office).await;
    let path = format!("/rehearsal/stages/{}/people", stage["program_id"].as_str().unwrap());
    let flood = ask(&office.stranger(), TOKEN, Method::POST, &path, json!({ "count": 501 })).await;
    assert_eq!(flood.status, 422, "{}", flood.body);
    let mut last = set_up(&office).await;
    for _ in 0..6 {
        last = set_up(&office).await;
    }
    assert!(last["slug"].is_string());
    let form = json!({ "people": 10 });
    let ninth = ask(&office.stranger(), TOKEN, Method::POST, "/rehearsal/stages", form).await;
    assert_eq!((ninth.status, ninth.code()), (409, "stage-limit".to_owned()));
    office.close().await;
}

#[sqlx::test]
async fn a_rehearsal_and_what_is_real_never_meet(db: PgPool) {
    let office = open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let stage = set_up(&office).await;
    let (actor, ada) = (actor(&office, &stage).await, office.sign_in("ada").await);
    let slug = stage["slug"].as_str().unwrap();
    let nothing: [(&str, &str); 0] = [];
    let real_line = format!("/programs/{}/queue", concert.slug);
    assert_eq!(actor.post(&real_line, &nothing).await.status, 404);
    let rehearsed_line = format!("/programs/{slug}/queue");
    assert_eq!(ada.post(&rehearsed_line, &nothing).await.status, 404);
    assert_eq!(actor.post(&rehearsed_line, &nothing).await.status, 201);

    run_sql(&db, "update accounts set email_confirmed_at = now()").await;
    for (from, to) in [(&actor, &ada), (&ada, &actor)] {
        from.post("/wallet/charges", &[("amount", 100)]).await;
        let form = [("to", email_of(&db, to.account_id).await), ("amount", "5".into())];
        assert_eq!(from.post("/wallet/transfers", &form).await.status, 201);
    }
    claim_transfers(&app(&db).await.db).await.unwrap();
    let met = "select (select count(*) from transfers where receiver_id is not null)
        + (select count(*) from outbox where kind like 'transfer%')";
    assert_eq!(read_one::<i64>(&db, met).await, 0, "they wait for nobody");
    let home = ada.visit("/").await;
    assert!(home.body.contains(&concert.slug) && !home.body.contains(slug), "{}", home.body);
    assert_eq!(actor.visit("/admin").await.status, 403);
    office.close().await;
}

/// What a rehearsal made goes with it; until then no administrator may change it.
#[sqlx::test]
async fn the_management_acts_on_nothing_that_a_rehearsal_made(db: PgPool) {
    const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
    let office = open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let stage = set_up(&office).await;
    let person = actor(&office, &stage).await;
    let id = person.account_id;
    let marked = [id.to_string(), id.simple().to_string(), id.to_string().to_uppercase()];
    let escaped = id.to_string().replacen('8', "%38", 1);
    let acts = stagedoor::routes::all();
    let acts = acts.iter().filter(|path| {
        let is_act = path.methods().any(|method| method.as_str() == "POST");
        is_act
            && path.pattern().contains('{')
            && ["/admin/", "/door/"].iter().any(|start| path.pattern().starts_with(start))
    });
    let mut n_acts = 0;
    for act in acts {
        for id in marked.iter().chain([&escaped]) {
            let (start, rest) = act.pattern().split_once('{').unwrap();
            let mut path = format!("{start}{id}");
            let parts = rest.split('}').skip(1).map(|part| part.split('{').next().unwrap());
            path.push_str(&parts.collect::<Vec<_>>().join(NOBODY));
            let mut form = vec![
                ("reason", "because"),
                ("amount", "500"),
                ("from", "CUSTOMER"),
                ("role", "ADMIN"),
                ("version", "0"),
            ];
            form.retain(|(field, _)| takes_field(&Method::POST, &path, field));
            let answer = admin.post(&path, &form).await;
            let told = (answer.status, answer.code());
            assert_eq!(told, (409, "rehearsed".to_owned()), "{path}: {}", answer.body);
            n_acts += 1;
        }
    }
    assert!(n_acts > 60, "only {n_acts} acts were tried");
    let page = admin.submit(&format!("/admin/people/{id}/lock"), &[("reason", "x")]).await;
    assert!(page.body.contains("This belongs to a rehearsal"), "{}", page.body);

    // A reservation of theirs bears no mark; its owner does.
    let concert = Concert::usual(&db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Default::default() };
    let bought = Purchase::make(&db, &concert, &person, hold).await;
    let refund = format!("/admin/reservations/{}/refund", bought.reservation_id);
    let refused = admin.post(&refund, &[("share", "all"), ("reason", "because")]).await;
    assert_eq!((refused.status, refused.code()), (409, "rehearsed".to_owned()));
    let acted: i64 = read_one(&db, "select count(*) from audit_log").await;
    let role: String = read_one_with(&db, "select role from accounts where id = $1", id).await;
    assert_eq!((acted, role.as_str()), (0, "CUSTOMER"));
    office.close_as_it_is().await;
}
