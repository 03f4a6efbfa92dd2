//! What is special about a seat, on its ticket, in the file and at the door, in each language.

use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Pdf, Purchase, run_sql};

const KINDS: [(&str, [&str; 3]); 4] = [
    ("WHEELCHAIR", ["Wheelchair space", "휠체어석", "車いす席"]),
    ("COMPANION", ["Companion seat", "동반자석", "同伴者席"]),
    ("EASY_ACCESS", ["Easy access, no steps", "계단 없이 가는 좌석", "段差のない席"]),
    ("RESTRICTED_VIEW", ["Restricted view", "시야 제한석", "見切れ席"]),
];

#[sqlx::test]
async fn the_kind_of_a_seat_is_on_its_ticket_and_at_the_door(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    for (number, (kind, _)) in (1..).zip(KINDS) {
        let mark = "update seats set kind = $1, companion_of = case $1 when 'COMPANION' then 1 end
                    where row_label = 'A' and number = $2";
        sqlx::query(mark).bind(kind).bind(number).execute(&db).await.unwrap();
    }
    let marked = "update schedule_seats c set kind = s.kind, wheelchair_seat_id = w.id
                  from seats s left join seats w on w.number = s.companion_of and w.row_label = 'A'
                  where s.id = c.seat_id";
    run_sql(&db, marked).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..5], places: 1, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let path = format!("/door/{}/check-ins", concert.schedule_id);
    let file = format!("/reservations/{}/tickets.pdf", bought.reservation_id);
    for (language, tag) in ["en", "ko", "ja"].into_iter().enumerate() {
        for person in [&ada, &door] {
            assert_eq!(person.submit("/language", &[("lang", tag)]).await.status, 303);
        }
        let pages = Pdf::download(&ada, &file).await.pages();
        for ((code, page), (_, names)) in bought.codes.iter().zip(&pages).zip(KINDS) {
            let name = names[language];
            let shown = ada.visit(&format!("/tickets/{code}")).await;
            let seat = shown.texts(".ticket__fact--seat dd").join(" ");
            assert!(seat.ends_with(&format!(" \u{b7} {name}")), "{seat}");
            let printed: String = page.split_whitespace().collect();
            assert!(printed.contains(&name.replace(' ', "")), "{name}: {page}");
            let let_in = door.submit(&path, &[("code", code)]).await;
            let verdict = door.visit(let_in.location()).await;
            let place = verdict.texts(".verdict__place").join(" ");
            assert!(place.ends_with(&format!(" \u{b7} {name}")), "{place}");
            run_sql(&db, "update tickets set status = 'VALID', used_at = null, used_by = null")
                .await;
        }
        // An ordinary seat, and a place of a zone.
        for code in &bought.codes[4..] {
            let shown = ada.visit(&format!("/tickets/{code}")).await;
            assert!(!shown.texts(".ticket__fact--seat dd").join(" ").contains('\u{b7}'));
        }
    }
    let kinds: Vec<String> = KINDS.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    let mut told = Vec::new();
    for code in &bought.codes[..4] {
        let ticket = ada.get(&format!("/tickets/{code}")).await.json();
        told.push(ticket["kind"].as_str().unwrap().to_owned());
        let let_in = door.post(&path, &[("code", code)]).await.json();
        assert_eq!(let_in["kind"], ticket["kind"], "{let_in}");
    }
    assert_eq!(told, kinds);
    let ordinary = ada.get(&format!("/tickets/{}", bought.codes[4])).await.json();
    assert!(ordinary.get("kind").is_none(), "{ordinary}");
    office.close_as_it_is().await;
}
