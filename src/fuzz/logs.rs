//! Targets of the formats of public logs: paths of tiles, notes, proofs and receipts.

use uuid::Uuid;

use super::{check, corpus, text};
use crate::{
    accounts::AccountId,
    entry_queue::{
        DrawFault, QueueNumber, TokenId, check_draw, check_entry, check_receipt,
        log::{Commitment, Salt, entry::JoinEntry, receipt::model::ReceiptText},
    },
    infra::tlog::{Cosigner, LogKey, LogProof, LogVerifier, TileContent, TilePath, WitnessRequest},
};

const ORIGIN: &str = "tickets.example/programs/1/log";
const HASH: &str = "j0PKGhD3wAPm3c6ZKjlWlm2Y5ZfJyB5gpYkPpvW6k3c=";

fn key() -> LogKey {
    LogKey::of_seed(&[7; 32])
}

fn receipt() -> ReceiptText {
    let token = TokenId(Uuid::from_u128(7));
    let salt = Salt::parse(HASH).unwrap();
    let joined_at = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
    let commitment = Commitment::to(token, salt);
    let entry = JoinEntry { number: QueueNumber(7), joined_at, commitment };
    let account_id = Some(AccountId(Uuid::from_u128(8)));
    ReceiptText { origin: ORIGIN.to_owned(), entry, token, salt, account_id }
}

#[test]
fn a_tile_has_one_path() {
    check(bolero::check!(), |bytes| {
        let path = text(bytes);
        let Some(TilePath { content, width }) = TilePath::parse(&path) else { return };
        let (kind, number) = match content {
            TileContent::Hashes(place) => (place.level.to_string(), place.number),
            TileContent::Entries(number) => ("entries".to_owned(), number),
        };
        let mut groups = format!("{:03}", number % 1_000);
        let mut rest = number / 1_000;
        while rest > 0 {
            groups = format!("x{:03}/{groups}", rest % 1_000);
            rest /= 1_000;
        }
        let partial = if width == 256 { String::new() } else { format!(".p/{width}") };
        assert_eq!(format!("{kind}/{groups}{partial}"), path);
    });
}

#[test]
fn a_note_is_believed_only_as_it_was_signed() {
    let said = format!("{ORIGIN}\n3\n{HASH}\n");
    let verifier = LogVerifier::parse(&key().verifier_key(ORIGIN)).unwrap();
    let [note] = corpus!("logs__a_note_is_believed_only_as_it_was_signed", ["note"]);
    assert_eq!(key().sign(ORIGIN, &said).unwrap(), text(note));
    check(bolero::check!(), |bytes| {
        if let Ok(believed) = verifier.text_of(&text(bytes)) {
            assert_eq!(believed, said);
        }
    });
}

#[test]
fn whatever_stands_for_a_key_is_one_or_refused() {
    check(bolero::check!(), |bytes| {
        let typed = text(bytes);
        if let Ok(key) = LogVerifier::parse(&typed) {
            assert_eq!(key.text(), typed);
        }
        if let Some(cosigner) = Cosigner::parse_secret(&typed) {
            assert_eq!(cosigner.secret_text(), typed);
        }
    });
}

#[test]
fn a_proof_and_a_request_to_a_witness_are_read_as_they_are_written() {
    let verifier = LogVerifier::parse(&key().verifier_key(ORIGIN)).unwrap();
    let leaf = receipt().entry.hash();
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        if let Some(proof) = LogProof::parse(&sent) {
            let written = proof.to_string();
            assert_eq!(LogProof::parse(&written).unwrap().to_string(), written);
            assert!(!matches!(proof.check(&verifier, leaf), Ok(Some(_))), "nothing has the leaf");
        }
        if let Some(request) = WitnessRequest::parse(&sent) {
            assert_eq!(WitnessRequest::parse(&request.to_string()), Some(request));
        }
    });
}

#[test]
fn a_receipt_proves_what_was_signed_or_nothing() {
    let (said, verifier) = (receipt(), key().verifier_key(ORIGIN));
    let [note, document] =
        corpus!("logs__a_receipt_proves_what_was_signed_or_nothing", ["note", "document.json"]);
    assert_eq!(key().sign(ORIGIN, &said.text()).unwrap(), text(note));
    assert!(check_receipt(&text(document), &verifier).is_ok());
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        if let Some(read) = ReceiptText::parse(&sent) {
            assert_eq!(read.text(), sent);
        }
        if let Ok(checked) = check_receipt(&sent, &verifier) {
            assert_eq!(
                (checked.queue_number, checked.account_id),
                (QueueNumber(7), said.account_id)
            );
        }
    });
}

#[test]
fn whatever_is_given_as_a_draw_is_checked_without_an_accident() {
    let entry = hex::encode([9_u8; 32]);
    let [draw] =
        corpus!("logs__whatever_is_given_as_a_draw_is_checked_without_an_accident", ["draw.json"]);
    assert_eq!(check_draw(&text(draw), &entry, None), Err(DrawFault::Beacon));
    let key = key().verifier_key(ORIGIN);
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        assert!(check_draw(&sent, &entry, Some(&sent)).is_err());
        assert!(check_entry(&sent, &entry, &sent, &key).is_err());
    });
}
