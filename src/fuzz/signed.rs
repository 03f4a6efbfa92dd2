//! Targets of texts that this office signs and gets back, and of texts that others sign: nothing that was
//! changed counts.

use chrono::DateTime;
use uuid::Uuid;

use super::{check, corpus, text};
use crate::{
    accounts::{
        AccountId, Email,
        api_keys::model::KeyToken,
        log_in::{device, guesses::AccountKey},
        mail_choices::Unsubscription,
        second_factor::model::SignInCode,
    },
    catalog::ProgramId,
    config::Secret,
    entry_queue::{EntryPass, guards::proof::Solution},
    infra::{seal::Seal, secrets::SigningKey},
    wallet::charges::stripe::{event::StripeEvent, signature},
};

fn key() -> SigningKey {
    SigningKey::configured("a key of some length, 32 bytes..")
}

/// The corpus has one signed text of each kind, which counts with the key, the ids and the time of this test.
#[test]
fn a_signed_text_counts_as_it_was_signed_and_for_its_purpose_only() {
    let (key, now) = (key(), DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let (account_id, program_id) = (AccountId(Uuid::from_u128(1)), ProgramId(Uuid::from_u128(2)));
    let account = AccountKey::of(&Email::parse("ada@b.example").unwrap());
    let [pass, known, end, work] = corpus!(
        "signed__a_signed_text_counts_as_it_was_signed_and_for_its_purpose_only",
        ["entry-pass", "known-device", "unsubscription", "challenge"]
    );
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        let solution = Solution { challenge: sent.clone(), nonce: "1".to_owned() };
        assert_eq!(EntryPass::read(&sent, &key, now).is_some(), bytes == pass);
        assert_eq!(device::read(&sent, account, &key, now).is_some(), bytes == known);
        assert_eq!(Unsubscription::read(&sent, &key).is_some(), bytes == end);
        assert_eq!(solution.check(&key, account_id, program_id, now).is_some(), bytes == work);
    });
}

#[test]
fn a_sealed_secret_opens_as_it_was_sealed() {
    let (seal, id) = (Seal::of(&key(), b"a purpose").unwrap(), Uuid::from_u128(1));
    // Sealed under a nonce that was drawn at random.
    let [sealed] = corpus!("signed__a_sealed_secret_opens_as_it_was_sealed", ["sealed"]);
    check(bolero::check!(), |bytes| {
        assert_eq!(seal.open(id, bytes).is_some(), bytes == sealed);
    });
}

#[test]
fn a_key_or_code_is_read_as_it_is_shown() {
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        if let Some(read) = KeyToken::parse(&sent) {
            assert_eq!(read.shown(), sent);
        }
        let _ = SignInCode::parse(&sent);
    });
}

/// The first line of an input is the header, and the rest the body.
#[test]
fn a_message_of_the_provider_counts_as_it_was_signed() {
    let [signed] =
        corpus!("signed__a_message_of_the_provider_counts_as_it_was_signed", ["signed-refund"]);
    let signed = text(signed);
    let (header, body) = signed.split_once('\n').unwrap();
    let secrets = [Secret::of("whsec_test")];
    assert_eq!(signature::verify(header, body.as_bytes(), &secrets).unwrap(), 1_000);
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        let (header, sent) = sent.split_once('\n').unwrap_or_default();
        let _ = StripeEvent::parse(sent.as_bytes());
        if let Ok(signed_at) = signature::verify(header, sent.as_bytes(), &secrets) {
            assert_eq!((signed_at, sent), (1_000, body));
        }
    });
}
