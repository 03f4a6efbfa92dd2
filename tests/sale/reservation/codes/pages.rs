//! The code on the page of a map, as a browser without scripts sends it.

use super::*;

/// Every hidden field of the first form after `mark`.
fn fields_of(page: &str, mark: &str) -> Vec<(String, String)> {
    let form = page.split(mark).nth(1).unwrap().split("</form>").next().unwrap();
    let fields = form.split("<input type=\"hidden\" name=\"").skip(1);
    fields
        .map(|field| {
            let (name, rest) = field.split_once("\" value=\"").unwrap();
            (name.to_owned(), rest.split('"').next().unwrap().to_owned())
        })
        .collect()
}

#[sqlx::test]
async fn a_code_is_applied_before_the_order_and_its_forms_send_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    make_code(&office, &concert, "SUMMER", json!({ "percent": 10 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let map = ada.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    assert!(map.has("input[name='code'][form='seats']"), "{}", map.body);
    assert!(!map.has("input[name='code_id']"), "{}", map.body);

    let path = format!("/schedules/{}/code", concert.schedule_id);
    let chosen = concert.seat_ids[3].to_string();
    let typed = [("code", "summer"), ("seat_ids", &chosen)];
    let applied = ada.submit(&path, &typed).await;
    assert_eq!(applied.status, 200, "{}", applied.body);
    assert!(applied.body.contains("SUMMER: 10% off your order."), "{}", applied.body);
    assert!(applied.has(&format!("input[value='{chosen}'][checked]")), "the choice is kept");
    assert_eq!(read_one::<i32>(&db, "select uses from sale_codes").await, 0, "nothing is used");

    // What the form of the seats has, with the field that belongs to it.
    let mut seats = fields_of(&applied.body, "id=\"seats\"");
    seats.extend([
        ("code".to_owned(), "summer".to_owned()),
        ("seat_ids".to_owned(), chosen.clone()),
    ]);
    let held = ada.submit(&order_path(&concert), &seats).await;
    assert_eq!(held.status, 303, "{}", held.body);
    let mut zone = fields_of(&applied.body, "class=\"zone__form\"");
    zone.push(("quantity".to_owned(), "2".to_owned()));
    assert_eq!(ada.submit(&order_path(&concert), &zone).await.status, 303);
    let mut best = fields_of(&applied.body, "class=\"best\"");
    best.push(("best".to_owned(), "2".to_owned()));
    assert_eq!(ada.submit(&order_path(&concert), &best).await.status, 303);
    let totals: Vec<i64> =
        crate::support::read_all(&db, "select total from reservations order by id").await;
    assert_eq!(totals, [45_000, 54_000, 90_000]);

    let gone = ada.submit(&path, &[("code", "")]).await;
    assert_eq!(gone.status, 200);
    assert!(!gone.has("input[name='code_id']"), "{}", gone.body);
    let document = ada.post(&path, &[("code", "Summer")]).await.json();
    assert_eq!((&document["code"], &document["percent"]), (&json!("SUMMER"), &json!(10)));
    office.close().await;
}

#[sqlx::test]
async fn a_code_says_for_what_how_often_and_until_when_it_may_be_used(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let section: String = read_one(&db, "select section from seats order by id limit 1").await;
    let terms = json!({
        "amount": 5_000, "uses_per_account_max": 2, "schedule_id": concert.schedule_id,
        "section": section, "valid_until": "2099-12-31T20:00",
    });
    make_code(&office, &concert, "BOUND", terms).await;
    make_code(&office, &concert, "ONCE", json!({ "percent": 10, "uses_per_account_max": 1 })).await;
    make_code(&office, &concert, "PLAIN", json!({ "percent": 10 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let path = format!("/schedules/{}/code", concert.schedule_id);
    let told = async |code: &str| {
        // Whatever else was chosen meanwhile, the terms are what was asked for.
        let page = ada.submit(&path, &[("code", code), ("best", "2")]).await;
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.has("details[open] .code-box__terms"), "{}", page.body);
        assert!(!page.has("details[open] .best"), "one is open at a time: {}", page.body);
        assert_eq!(page.texts("summary .badge"), [code]);
        page.texts(".code-box__terms p")
    };
    let bounds = told("BOUND").await;
    let only = format!("Only for {section}.");
    assert_eq!(
        bounds[..4],
        [
            "BOUND: 5,000 points off your order.",
            &only,
            "Only for this performance.",
            "Up to 2 times per person."
        ]
    );
    assert!(bounds[4].starts_with("Until ") && bounds[4].contains("2099"), "{bounds:?}");
    assert_eq!(told("ONCE").await, ["ONCE: 10% off your order.", "Once per person."]);
    assert_eq!(told("PLAIN").await, ["PLAIN: 10% off your order."]);
    let document = ada.post(&path, &[("code", "bound")]).await.json();
    assert_eq!(document["uses_per_account_max"], 2);
    assert_eq!(document["schedule_id"], json!(concert.schedule_id));
    office.close().await;
}

#[sqlx::test]
async fn a_code_that_was_not_applied_asks_once_more_and_goes_on_in_one_click(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    make_code(&office, &concert, "FIVE", json!({ "amount": 5_000 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let seat = concert.seat_ids[3].to_string();
    let form = [("seat_ids", seat.as_str()), ("price_version", "0"), ("code", "five")];
    let asked = ada.submit(&order_path(&concert), &form).await;
    assert_eq!(asked.status, 409, "{}", asked.body);
    assert!(asked.body.contains("Your price with the code"), "{}", asked.body);
    assert!(asked.body.contains("Continue for 45,000 points"), "{}", asked.body);
    let on = ada.submit(&order_path(&concert), &fields_of(&asked.body, "notice--refusal")).await;
    assert_eq!(on.status, 303, "{}", on.body);

    // Refused, the same order goes on without it, at the price that was shown.
    let seat = concert.seat_ids[4].to_string();
    let form = [("seat_ids", seat.as_str()), ("price_version", "0"), ("code", "nobodys")];
    let unknown = ada.submit(&order_path(&concert), &form).await;
    assert_eq!(unknown.status, 422, "{}", unknown.body);
    assert!(unknown.body.contains("Reserve without the code"), "{}", unknown.body);
    let on = ada.submit(&order_path(&concert), &fields_of(&unknown.body, "notice--refusal")).await;
    assert_eq!(on.status, 303, "{}", on.body);
    let totals: Vec<i64> =
        crate::support::read_all(&db, "select total from reservations order by id").await;
    assert_eq!(totals, [45_000, 50_000]);
    let page =
        ada.submit(&format!("/schedules/{}/code", concert.schedule_id), &[("code", "no!")]).await;
    assert_eq!(page.status, 422, "{}", page.body);
    office.close().await;
}
