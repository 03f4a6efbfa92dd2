//! A ticket for a friend: the sender's until it is accepted, and then the friend's, with a new code.

mod history;
mod races;
mod refunds;
mod refusals;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Hold, Office, Person, Purchase, email_of, read_all, read_one, run_sql, until,
};

/// Two people, one of whom has paid for seats of a concert of tonight.
struct Evening {
    office: Office,
    concert: Concert,
    ada: Person,
    bob: Person,
    bought: Purchase,
}

impl Evening {
    async fn with(db: &PgPool, concert: Concert, seats: usize) -> Self {
        let office = Office::open(db.clone()).await;
        let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
        let hold = Hold { seat_ids: &concert.seat_ids[..seats], ..Hold::default() };
        let bought = Purchase::make(db, &concert, &ada, hold).await;
        Self { office, concert, ada, bob, bought }
    }

    async fn tonight(db: &PgPool, seats: usize) -> Self {
        Self::with(db, Concert::tonight(db).await, seats).await
    }

    async fn scan(&self, door: &Person, code: &str) -> Answer {
        let path = format!("/door/{}/check-ins", self.concert.schedule_id);
        door.post(&path, &[("code", code)]).await
    }

    async fn refund(&self) -> Answer {
        let id = self.bought.reservation_id;
        self.ada.post(&format!("/reservations/{id}/cancellation"), &()).await
    }
}

async fn offer(db: &PgPool, from: &Person, code: &str, to: &Person) -> Answer {
    let form = json!({ "to": email_of(db, to.account_id).await });
    from.post_json(&format!("/tickets/{code}/hand-overs"), &form).await
}

/// Offers a ticket, and returns the path of the hand-over.
async fn offered(db: &PgPool, from: &Person, code: &str, to: &Person) -> String {
    let answer = offer(db, from, code, to).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("/hand-overs/{}", answer.json()["hand_over_id"].as_str().unwrap())
}

async fn act(person: &Person, path: &str, act: &str) -> Answer {
    person.post(&format!("{path}/{act}"), &()).await
}

/// Accepts a hand-over, and returns the ticket's new code.
async fn accepted(person: &Person, path: &str) -> String {
    let answer = act(person, path, "acceptance").await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("ACCEPTED")));
    answer.json()["code"].as_str().unwrap().to_owned()
}

/// Hands a ticket over, and returns its new code.
async fn handed(db: &PgPool, from: &Person, code: &str, to: &Person) -> String {
    let path = offered(db, from, code, to).await;
    accepted(to, &path).await
}

async fn kinds(db: &PgPool) -> Vec<String> {
    read_all(
        db,
        "select kind from outbox where kind like 'hand-over%' or kind like 'ticket%'
         order by position",
    )
    .await
}

#[sqlx::test]
async fn an_accepted_ticket_is_the_recipients_with_a_new_code_and_the_old_one_is_void(db: PgPool) {
    let evening = Evening::tonight(&db, 2).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let old = &bought.codes[0];
    let path = offered(&db, ada, old, bob).await;
    let listed = bob.get("/tickets").await.json();
    assert_eq!(listed["received"][0]["from"], "ada", "{listed}");
    let seen = bob.get(&path).await;
    assert!(!seen.body.contains(old.as_str()), "the code is the sender's: {}", seen.body);
    assert_eq!(ada.get(&format!("/tickets/{old}")).await.json()["is_offered"], true);

    let new = accepted(bob, &path).await;
    assert_ne!(&new, old);
    let codes = async |person: &Person| {
        let listed = person.get("/tickets").await.json();
        let codes = listed["tickets"].as_array().unwrap().iter();
        codes.map(|ticket| ticket["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(ada).await, [bought.codes[1].clone()]);
    assert_eq!(codes(bob).await, std::slice::from_ref(&new));
    assert_eq!(bob.get("/tickets").await.json()["received"], json!([]));
    for (person, code) in [(ada, &new), (bob, old)] {
        for path in ["", ".svg", ".ics", ".pdf"].map(|file| format!("/tickets/{code}{file}")) {
            assert_eq!(person.get(&path).await.status, 404, "{path}");
        }
    }
    // The neighbours on its page are the tickets of its holder, and no others.
    let page = bob.visit(&format!("/tickets/{new}")).await;
    assert!(page.body.contains("Ticket 1 of 1") && page.body.contains("bob"), "{}", page.body);
    assert!(!page.body.contains(bought.codes[1].as_str()), "{}", page.body);

    let door = office.employ("door", "STAFF").await;
    let refused = evening.scan(&door, old).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "ticket-replaced"));
    let let_in = evening.scan(&door, &new).await;
    assert_eq!((let_in.status, &let_in.json()["holder"]), (201, &json!("bob")));
    evening.office.close().await;
}

#[sqlx::test]
async fn until_it_is_accepted_the_ticket_admits_its_sender_and_that_ends_the_offer(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let door = office.employ("door", "STAFF").await;
    let let_in = evening.scan(&door, &bought.codes[0]).await;
    assert_eq!((let_in.status, &let_in.json()["holder"]), (201, &json!("ada")));
    for (person, how) in [(bob, "acceptance"), (bob, "declining"), (ada, "cancellation")] {
        let late = act(person, &path, how).await;
        assert_eq!((late.status, late.code().as_str()), (409, "hand-over-ended"), "{how}");
        assert_eq!(late.json()["hand_over_status"], "ADMITTED");
    }
    assert_eq!(kinds(&db).await, ["hand-over-offered", "hand-over-withdrawn"]);
    // A check-in that is undone gives the ticket back to its sender, and no offer.
    let ticket_id = let_in.json()["ticket_id"].as_str().unwrap().to_owned();
    let undo = format!("/door/{}/check-ins/{ticket_id}/undoing", evening.concert.schedule_id);
    assert_eq!(door.post(&undo, &()).await.status, 200);
    assert_eq!(act(bob, &path, "acceptance").await.code(), "hand-over-ended");
    handed(&db, ada, &bought.codes[0], bob).await;
    evening.office.close().await;
}

#[sqlx::test]
async fn declined_or_cancelled_the_ticket_stays_as_it_was(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let before = ada.get("/tickets").await.json();
    for (person, how, status) in
        [(bob, "declining", "DECLINED"), (ada, "cancellation", "CANCELLED")]
    {
        let path = offered(&db, ada, &bought.codes[0], bob).await;
        assert_eq!(act(person, &path, how).await.json(), json!({ "status": status }));
        assert_eq!(ada.get("/tickets").await.json(), before);
        assert_eq!(ada.get(&path).await.json()["address"], Value::Null, "kept no longer");
    }
    // A person gets no mail about an act of their own.
    let told = ["hand-over-offered", "hand-over-ended", "hand-over-offered"];
    assert_eq!(kinds(&db).await, told);
    evening.office.close().await;
}

#[sqlx::test]
async fn nobody_answers_in_time_and_the_ticket_stays(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let ends = "select expires_at = starts_at from ticket_hand_overs, schedules";
    assert!(read_one::<bool>(&db, ends).await, "at the start at the latest");
    run_sql(&db, "update ticket_hand_overs set expires_at = now() - interval '1 second'").await;
    assert_eq!(ada.get(&path).await.json()["status"], "EXPIRED", "whatever its row says");
    until("the offer expires", async || {
        read_one::<String>(&db, "select status from ticket_hand_overs").await == "EXPIRED"
    })
    .await;
    for (person, how) in [(bob, "acceptance"), (bob, "declining"), (ada, "cancellation")] {
        let late = act(person, &path, how).await;
        assert_eq!((late.status, late.code().as_str()), (410, "hand-over-expired"), "{how}");
    }
    assert_eq!(kinds(&db).await, ["hand-over-offered", "hand-over-ended"]);
    handed(&db, ada, &bought.codes[0], bob).await;
    evening.office.close().await;
}

#[sqlx::test]
async fn one_key_is_one_hand_over(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let path = format!("/tickets/{}/hand-overs", bought.codes[0]);
    let to = email_of(&db, bob.account_id).await;
    let form = json!({ "to": to, "request_key": Uuid::now_v7() });
    let first = ada.post_json(&path, &form).await;
    let again = ada.post_json(&path, &form).await;
    assert_eq!((first.status, again.status), (201, 201), "{}", again.body);
    assert_eq!(first.json(), again.json());
    let mut other = form.clone();
    other["to"] = json!("carol@example.com");
    assert_eq!(ada.post_json(&path, &other).await.code(), "key-reused");
    evening.office.close().await;
}

#[sqlx::test]
async fn a_person_hands_a_ticket_over_on_its_page(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let page = format!("/tickets/{}", bought.codes[0]);
    let to = email_of(&db, bob.account_id).await;
    let refused = ada.submit(&format!("{page}/hand-overs"), &[("to", "bob")]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.has("[role=alert]") && refused.has("details[open]"), "{}", refused.body);
    assert_eq!(refused.attribute("#hand-over-to", "value"), "bob");

    let done = ada.submit(&format!("{page}/hand-overs"), &[("to", &to)]).await;
    assert_eq!((done.status, done.location()), (303, page.as_str()), "{}", done.body);
    let shown = ada.visit(&page).await;
    assert!(shown.body.contains(&format!("Offered to {to}")), "{}", shown.body);
    let cancellation = shown.attribute(".hand-over form", "action");
    let path = cancellation.strip_suffix("/cancellation").unwrap();
    assert!(ada.visit("/tickets").await.body.contains("On offer"));
    let list = bob.visit("/tickets").await;
    assert!(list.body.contains("ada wants to give you a ticket for A concert"), "{}", list.body);
    assert_eq!(list.attribute(".offers a", "href"), path);
    let question = bob.visit(path).await;
    assert_eq!(question.texts("h1"), ["Accept this ticket from ada?"]);

    let accepted = bob.submit(&format!("{path}/acceptance"), &()).await;
    assert_eq!((accepted.status, accepted.location()), (303, path));
    let shown = bob.visit(path).await;
    assert_eq!(shown.texts("h1"), ["The ticket from ada is yours"]);
    let ticket = bob.visit(&shown.attribute(".hand-over__question a", "href")).await;
    assert!(
        ticket.has(".ticket__qr") && !ticket.body.contains("/reservations/"),
        "{}",
        ticket.body
    );
    // The page that the sender had open says what became of the ticket.
    let gone = ada.visit(&page).await;
    assert_eq!((gone.status, gone.location()), (303, path));
    assert_eq!(ada.visit(path).await.texts("h1"), ["bob has your ticket now"]);
    let late = bob.submit(&format!("{path}/declining"), &()).await;
    assert!(late.status == 409 && late.has("[role=alert]"), "{}", late.body);
    evening.office.close().await;
}
