//! Targets of what this office signs and gets back, and of what others sign: nothing that was changed counts.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

use super::{check, text};
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
    entry_queue::{
        EntryPass, QueueNumber, Stay, TokenId,
        guards::proof::{Challenge, Solution},
    },
    infra::{seal::Seal, secrets::SigningKey},
    outbox::MailTopic,
    wallet::charges::stripe::{event::StripeEvent, signature},
    webhooks::HookSecret,
};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn key() -> SigningKey {
    SigningKey::configured("a key of some length, 32 bytes..")
}

#[test]
fn a_signed_text_counts_as_it_was_signed_and_for_its_purpose_only() {
    let (key, now) = (key(), now());
    let (account_id, program_id) = (AccountId(Uuid::from_u128(1)), ProgramId(Uuid::from_u128(2)));
    let ends = now + TimeDelta::minutes(10);
    let stay = Stay {
        token_id: TokenId(Uuid::from_u128(3)),
        program_id,
        account_id,
        queue_number: QueueNumber(7),
        stay_ends_at: ends,
        expires_at: ends,
    };
    let account = AccountKey::of(&Email::parse("ada@b.example").unwrap());
    let pass = EntryPass::of(&stay).sign(&key).unwrap();
    let known = device::sign(account, &key, now).unwrap();
    let end = Unsubscription { account_id, topic: MailTopic::Transfers }.sign(&key).unwrap();
    let work = Challenge::set(&key, account_id, program_id, 0, now).unwrap().text;
    let forged = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJzdGFnZWRvb3IvZW50cnktcGFzcyJ9.".to_owned();
    let seeds = [pass.clone(), known.clone(), end.clone(), work.clone(), forged];
    check(seeds, |bytes| {
        let sent = text(bytes);
        let solution = Solution { challenge: sent.clone(), nonce: "1".to_owned() };
        assert_eq!(EntryPass::read(&sent, &key, now).is_some(), sent == pass);
        assert_eq!(device::read(&sent, account, &key, now).is_some(), sent == known);
        assert_eq!(Unsubscription::read(&sent, &key).is_some(), sent == end);
        assert_eq!(solution.check(&key, account_id, program_id, now).is_some(), sent == work);
    });
}

#[test]
fn a_sealed_secret_opens_as_it_was_sealed() {
    let (seal, id) = (Seal::of(&key(), b"a purpose").unwrap(), Uuid::from_u128(1));
    let sealed = seal.close(id, b"a secret").unwrap();
    check([sealed.clone()], |bytes| {
        assert_eq!(seal.open(id, bytes).is_some(), bytes == sealed);
    });
}

#[test]
fn a_key_or_code_is_read_as_it_is_shown() {
    let (token, secret) = (KeyToken::generate(), HookSecret::generate());
    let seeds =
        [token.shown(), secret.shown(), "123 456".to_owned(), "AAAA-BBBB-CCCC-DDDD".to_owned()];
    check(seeds, |bytes| {
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
    let secret = Secret::of("whsec_test");
    let body = r#"{"id":"evt_1","type":"charge.refunded","data":{"object":{"id":"ch_1","payment_intent":"pi_1",
        "amount_refunded":500,"currency":"krw","metadata":{"charge_id":"x"}}}}"#;
    let dispute = r#"{"type":"charge.dispute.created","data":{"object":{"id":"dp_1","payment_intent":"pi_1",
        "amount":5,"currency":"krw","created":1,"status":"lost"}}}"#;
    let checkout = r#"{"type":"checkout.session.completed","data":{"object":{"id":"cs_1","url":null,"status":"complete",
        "payment_status":"paid","amount_total":5,"currency":"krw","client_reference_id":"x","payment_intent":"pi_1"}}}"#;
    let mac = Hmac::<Sha256>::new_from_slice(b"whsec_test").unwrap();
    let mac = mac.chain_update("1000.").chain_update(body).finalize().into_bytes();
    let signed = format!("t=1000,v1={},v0=x\n{body}", hex::encode(mac));
    let seeds = [signed, format!("t=1000,v1=x\n{dispute}"), format!("\n{checkout}")];
    let secrets = [secret];
    check(seeds, |bytes| {
        let sent = text(bytes);
        let (header, sent) = sent.split_once('\n').unwrap_or_default();
        let _ = StripeEvent::parse(sent.as_bytes());
        if let Ok(signed_at) = signature::verify(header, sent.as_bytes(), &secrets) {
            assert_eq!((signed_at, sent), (1_000, body));
        }
    });
}
