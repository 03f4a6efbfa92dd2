//! Plans that draw seats elsewhere, or give them another price category, which people have.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::told_moves::{Show, cancel, moment, now};
use crate::support::{Answer, Hold, Purchase, agree_on, read_all, read_one, run_sql};

impl Show {
    /// Saves the plan that the venue has, with the seats of these places in the plan moved by one seat to the front, and
    /// the fields `said` beside it.
    async fn try_plan(&self, moved: &[usize], said: &[(&str, &str)]) -> Answer {
        self.send_plan("", moved, said).await
    }

    async fn send_plan(&self, to: &str, moved: &[usize], said: &[(&str, &str)]) -> Answer {
        let id: Uuid = read_one(&self.office.db, "select id from venues").await;
        let path = format!("/admin/venues/{id}");
        let version = self.admin.get(&path).await.json()["venue"]["version"].to_string();
        let mut lines = vec!["section,row,number,x,y".to_owned()];
        let seats = "select format('%s,%s,%s,%s,', section, row_label, number, x) || y::text
            from seats order by id";
        for (nth, line) in read_all::<String>(&self.office.db, seats).await.iter().enumerate() {
            let (seat, y) = line.rsplit_once(',').unwrap();
            let y = y.parse::<f32>().unwrap() - if moved.contains(&nth) { 1.5 } else { 0.0 };
            lines.push(format!("{seat},{y}"));
        }
        let csv = lines.join("\n");
        let mut form = vec![("version", version.as_str()), ("csv", csv.as_str())];
        form.extend(said);
        self.admin.post(&format!("{path}/seats{to}"), &form).await
    }
}

#[sqlx::test]
async fn seats_that_are_elsewhere_in_the_hall_are_told_to_those_who_have_one(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    // Of ada's two seats bob has the first, cleo holds the third, and a deleted account had the fourth.
    show.fill().await;
    let asked = show.try_plan(&[0, 2, 3], &[]).await;
    assert_eq!((asked.status, asked.code().as_str()), (409, "plan-moves-seats"), "{}", asked.body);
    let preview = show.send_plan("/preview", &[0, 2, 3], &[]).await;
    assert_eq!(preview.json()["moved"], 3, "{}", preview.body);
    let concerned = &preview.json()["concerned"];
    let counts = ["holders", "payers", "held"].map(|name| concerned[name].as_i64().unwrap());
    assert_eq!(counts, [2, 2, 1], "bob and who is gone, ada and who is gone, cleo: {concerned}");
    let none = show.send_plan("/preview", &[1], &[]).await.json();
    assert_eq!((&none["moved"], &none["concerned"]["holders"]), (&json!(1), &json!(1)), "{none}");
    let drawn = show.try_plan(&[0, 2, 3], &[("moved", "drawing"), ("words", "Unsaid.")]).await;
    assert_eq!(drawn.status, 200, "{}", drawn.body);
    assert_eq!(show.told().await, Vec::<String>::new());

    let said = [("moved", "elsewhere"), ("words", "The balcony is closed.")];
    let moved = show.try_plan(&[0, 2, 3], &said).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    assert_eq!(show.told().await, ["ada", "bob", "cle"], "once each");
    for letter in show.letters().await {
        for words in ["another place in the hall", "The balcony is closed.", "full refund until"] {
            assert!(letter.contains(words), "{words}: {letter}");
        }
    }
    // The test has deleted an account without ending what it had.
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_has_a_seat_that_is_elsewhere_gets_all_back_and_who_has_another_the_agreed_share(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let (of_ada, of_bob) = (show.buy(&ada, 0).await, show.buy(&bob, 1).await);
    assert_eq!(show.try_plan(&[0], &[("moved", "elsewhere")]).await.status, 200);
    assert_eq!(show.told().await, ["ada"]);
    let page = ada.visit(&format!("/tickets/{}", of_ada.codes[0])).await;
    assert!(page.body.contains("another place in the hall"), "{}", page.body);
    let told = ada.get(&format!("/reservations/{}", of_ada.reservation_id)).await.json();
    assert!(moment(&told["full_refund_until"]) > now(&db).await, "{told}");
    assert_eq!(told["changes"][0]["part"], "SEAT", "{told}");
    let other = bob.get(&format!("/reservations/{}", of_bob.reservation_id)).await.json();
    assert!(other.get("full_refund_until").is_none() && other.get("changes").is_none(), "{other}");
    let page = ada.visit(&format!("/programs/{}", show.concert.slug)).await;
    assert!(!page.body.contains("another place in the hall"), "{}", page.body);
    let all = cancel(&ada, of_ada.reservation_id).await;
    assert_eq!((all.status, &all.json()["refunded"]), (200, &json!(50_000)), "{}", all.body);
    let none = cancel(&bob, of_bob.reservation_id).await;
    assert_eq!((none.status, &none.json()["refunded"]), (200, &json!(0)), "{}", none.body);
    // Nothing is asked where nobody has the seats, or the performance is over.
    assert_eq!(show.try_plan(&[2, 3], &[]).await.status, 200);
    run_sql(&db, "update schedules set starts_at = now() - interval '1 minute'").await;
    assert_eq!(show.try_plan(&[0, 1, 2], &[]).await.status, 200);
    assert_eq!(show.told().await, ["ada"]);
    let unknown = show.try_plan(&[0], &[("moved", "perhaps")]).await;
    assert_eq!(unknown.status, 422, "{}", unknown.body);
    show.office.close_as_it_is().await;
}

/// Of ada's two seats bob has the one that is elsewhere, as she gave it back before: it gives no right to her other's refund.
#[sqlx::test]
async fn a_seat_that_has_left_its_order_says_nothing_of_the_rest(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let hold = Hold { seat_ids: &show.concert.seat_ids[..2], ..Hold::default() };
    let bought = Purchase::make(&db, &show.concert, &ada, hold).await;
    let id = bought.reservation_id;
    agree_on(&db, id, 40, 0).await;
    let code: String = read_one(
        &db,
        "select t.code from tickets t join reservation_items i on i.id = t.reservation_item_id
         order by i.schedule_seat_id limit 1",
    )
    .await;
    let given = ada.post_json(&format!("/tickets/{code}/refund"), &json!({})).await;
    assert_eq!((given.status, &given.json()["refunded"]), (201, &json!(20_000)), "{}", given.body);
    let bob = show.office.sign_in("bob").await;
    show.buy(&bob, 0).await;
    assert_eq!(show.try_plan(&[0], &[("moved", "elsewhere")]).await.status, 200);
    assert_eq!(show.told().await, ["bob"]);
    let rest = ada.get(&format!("/reservations/{id}")).await.json();
    assert!(rest.get("full_refund_until").is_none() && rest.get("changes").is_none(), "{rest}");
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 20_000);
    show.office.close().await;
}

#[sqlx::test]
async fn an_order_shows_the_category_that_it_was_made_at(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    run_sql(&db, "update seats set price_category = 'R'").await;
    let before = show.buy(&ada, 0).await;
    let id: Uuid = read_one(&db, "select id from venues").await;
    let path = format!("/admin/venues/{id}");
    let saved = show.admin.get(&format!("{path}/seats.csv")).await.body;
    for category in ["S", "A"] {
        let version = show.admin.get(&path).await.json()["venue"]["version"].to_string();
        let csv = saved.replace("\"R\"", &format!("\"{category}\""));
        let form = [("version", version.as_str()), ("csv", csv.as_str())];
        let replaced = show.admin.post(&format!("{path}/seats"), &form).await;
        assert_eq!(replaced.status, 200, "{}", replaced.body);
    }
    let after = show.buy(&bob, 1).await;
    for (person, bought, category) in [(&ada, before, "R"), (&bob, after, "A")] {
        let ticket = person.get(&format!("/tickets/{}", bought.codes[0])).await.json();
        assert_eq!(ticket["category"], category, "{ticket}");
        let page = person.visit(&format!("/reservations/{}", bought.reservation_id)).await;
        assert!(page.body.contains(&format!("Category {category}")), "{}", page.body);
    }
    assert_eq!(show.told().await, Vec::<String>::new(), "nothing of what they bought changed");
    show.office.close().await;
}

#[sqlx::test]
async fn seats_that_stand_again_where_they_stood_are_told_and_not_elsewhere_any_more(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    let id: Uuid = read_one(&db, "select id from venues").await;
    let saved = show.admin.get(&format!("/admin/venues/{id}/seats.csv")).await.body;
    assert_eq!(show.try_plan(&[0, 1], &[("moved", "elsewhere")]).await.status, 200);
    let ticket = format!("/tickets/{}", bought.codes[0]);
    assert!(ada.visit(&ticket).await.body.contains("another place in the hall"));
    // Bob buys the other moved seat meanwhile.
    let bob = show.office.sign_in("bob").await;
    show.buy(&bob, 1).await;
    let version =
        show.admin.get(&format!("/admin/venues/{id}")).await.json()["venue"]["version"].to_string();
    let form = [("version", version.as_str()), ("csv", saved.as_str()), ("moved", "elsewhere")];
    let back = show.admin.post(&format!("/admin/venues/{id}/seats"), &form).await;
    assert_eq!(back.status, 200, "{}", back.body);
    assert!(!ada.visit(&ticket).await.body.contains("another place in the hall"));
    assert_eq!(show.told().await, ["ada", "ada", "bob"], "each time once");
    show.office.close_as_it_is().await;
}
