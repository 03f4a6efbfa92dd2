//! A name of a zone that a code says means the zone that had it, whatever the zone is called later.

use super::{
    super::{edit, rename_zone},
    hidden::{hide, redeem, with_hidden},
    *,
};

/// Ada, to whom a code has opened the hidden zone Standing, and Bob, to whom it is hidden.
async fn with_open_zone(db: &PgPool) -> (Office, Concert, Person, Person) {
    let (office, concert, _) = with_hidden(db).await;
    make_code(&office, &concert, "FLOOR", json!({ "access": true, "section": "Standing" })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(db, &concert, &[ada.clone(), bob.clone()]).await;
    assert_eq!(redeem(&ada, &concert, "FLOOR").await.status, 201);
    (office, concert, ada, bob)
}

async fn add_zone(office: &Office, concert: &Concert, name: &str) -> Uuid {
    edit(office, concert, "zones", json!({ "name": name, "price": 10_000, "capacity": 5 })).await;
    read_one_with(&office.db, "select id from zones where name = $1", name.to_owned()).await
}

async fn order_place(person: &Person, concert: &Concert, zone_id: Uuid) -> Answer {
    order(person, concert, json!({ "zone_id": zone_id, "quantity": 1 })).await
}

async fn zone_names(person: &Person, concert: &Concert) -> Vec<String> {
    let map = person.get(&format!("/schedules/{}", concert.schedule_id)).await.json();
    let names = map["zones"].as_array().unwrap().iter();
    names.map(|zone| zone["name"].as_str().unwrap().to_owned()).collect()
}

/// Gives the zones `first` and `second` each other's names.
async fn swap(office: &Office, concert: &Concert, first: (Uuid, &str), second: (Uuid, &str)) {
    for (zone_id, name) in [(first.0, "Neither"), (second.0, first.1), (first.0, second.1)] {
        rename_zone(office, concert, zone_id, name).await;
    }
}

#[sqlx::test]
async fn a_redeemed_code_opens_its_zone_under_another_name(db: PgPool) {
    let (office, concert, ada, bob) = with_open_zone(&db).await;
    assert_eq!(order_place(&ada, &concert, concert.zone_id).await.status, 201);
    rename_zone(&office, &concert, concert.zone_id, "Floor").await;
    office.verify().await;
    assert_eq!(zone_names(&ada, &concert).await, ["Floor"]);
    assert_eq!(order_place(&ada, &concert, concert.zone_id).await.status, 201);
    refused(&order_place(&bob, &concert, concert.zone_id).await, 422, "invalid");
    // Another zone of the old name is none of the code's.
    let other = add_zone(&office, &concert, "Standing").await;
    hide(&office, &concert, "Standing", "hide").await;
    assert_eq!(zone_names(&ada, &concert).await, ["Floor"]);
    refused(&order_place(&ada, &concert, other).await, 422, "invalid");
    office.close().await;
}

#[sqlx::test]
async fn two_zones_that_swap_their_names_keep_their_codes(db: PgPool) {
    let (office, concert, ada, bob) = with_open_zone(&db).await;
    let other = add_zone(&office, &concert, "Terrace").await;
    hide(&office, &concert, "Terrace", "hide").await;
    make_code(&office, &concert, "ABOVE", json!({ "access": true, "section": "Terrace" })).await;
    assert_eq!(redeem(&bob, &concert, "ABOVE").await.status, 201);
    swap(&office, &concert, (concert.zone_id, "Standing"), (other, "Terrace")).await;
    assert_eq!(zone_names(&ada, &concert).await, ["Terrace"]);
    assert_eq!(zone_names(&bob, &concert).await, ["Standing"]);
    assert_eq!(order_place(&ada, &concert, concert.zone_id).await.status, 201);
    refused(&order_place(&ada, &concert, other).await, 422, "invalid");
    assert_eq!(order_place(&bob, &concert, other).await.status, 201);
    refused(&order_place(&bob, &concert, concert.zone_id).await, 422, "invalid");
    office.close().await;
}

#[sqlx::test]
async fn a_code_takes_points_off_its_zone_under_another_name_and_off_no_other(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    make_code(&office, &concert, "HALF", json!({ "percent": 50, "section": "Standing" })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    rename_zone(&office, &concert, concert.zone_id, "Floor").await;
    let other = add_zone(&office, &concert, "Standing").await;
    let held = place_with(&ada, &concert, "HALF").await;
    assert_eq!((held.status, &held.json()["discount"]), (201, &json!(15_000)), "{}", held.body);
    let elsewhere = json!({ "zone_id": other, "quantity": 1, "code": "HALF" });
    refused(&order(&ada, &concert, elsewhere).await, 409, "code-elsewhere");
    office.close().await;
}

#[sqlx::test]
async fn a_code_means_the_first_zone_that_gets_its_name(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    for (word, section) in [("LATER", "Terrace"), ("CALLED", "Floor")] {
        make_code(&office, &concert, word, json!({ "percent": 50, "section": section })).await;
    }
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let added = add_zone(&office, &concert, "Terrace").await;
    let later = json!({ "zone_id": added, "quantity": 1, "code": "LATER" });
    let held = order(&ada, &concert, later).await;
    assert_eq!((held.status, &held.json()["discount"]), (201, &json!(5_000)), "{}", held.body);
    refused(&place_with(&ada, &concert, "CALLED").await, 409, "code-elsewhere");
    rename_zone(&office, &concert, concert.zone_id, "Floor").await;
    assert_eq!(place_with(&ada, &concert, "CALLED").await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_plan_that_renames_a_section_on_sale_is_refused_and_its_code_still_opens_it(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    assert_eq!(redeem(&ada, &concert, "INVITED").await.status, 201);
    let admin = office.employ("admin", "ADMIN").await;
    let venue: Uuid = read_one(&db, "select id from venues").await;
    let lines = [("Stalls", "A"), ("Gold", "B")].into_iter().flat_map(|(section, row)| {
        (1..=10).map(move |number| format!("{section},{row},{number}\n"))
    });
    let csv = format!("section,row,number\n{}", lines.collect::<String>());
    let plan = json!({ "version": 0, "csv": csv });
    let renamed = admin.post_json(&format!("/admin/venues/{venue}/seats"), &plan).await;
    refused(&renamed, 409, "seats-in-use");
    assert_eq!(renamed.json()["seats"][0], "VIP B-1");
    let seat = json!({ "seat_ids": [concert.seat_ids[12]] });
    assert_eq!(order(&ada, &concert, seat).await.status, 201);
    office.close().await;
}
