//! Unsubscription: the signed link in an optional mail, which ends its topic without a log-in.
//!
//! The token is a JWT (HS256) that names an account and a topic. It never expires, because a mail is
//! read at any time; it opens nothing but the end of that topic.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{accounts::model::AccountId, infra::secrets::SigningKey, outbox::MailTopic};

/// Path of the page that the link leads to; its query is `token`.
pub const UNSUBSCRIPTION_PATH: &str = "/mails/unsubscription";
/// Issuer claim that distinguishes these tokens from other texts signed with the same key.
const ISSUER: &str = "stagedoor/unsubscription";

/// End of one topic for one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsubscription {
    pub account_id: AccountId,
    pub topic: MailTopic,
}

/// Claims of the token.
#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: Uuid,
    topic: MailTopic,
}

impl Unsubscription {
    /// Returns the token of the link; `None` when signing failed.
    pub fn sign(self, key: &SigningKey) -> Option<String> {
        let claims = Claims { iss: ISSUER.to_owned(), sub: self.account_id.0, topic: self.topic };
        let key = EncodingKey::from_secret(key.as_bytes());
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key)
            .inspect_err(|error| tracing::error!(%error, "an unsubscription could not be signed"))
            .ok()
    }

    /// Returns the account and the topic of the token in `text`, if this deployment signed it.
    pub fn read(text: &str, key: &SigningKey) -> Option<Self> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["iss", "sub"]);
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(key.as_bytes());
        let claims = jsonwebtoken::decode::<Claims>(text, &key, &validation).ok()?.claims;
        Some(Self { account_id: AccountId(claims.sub), topic: claims.topic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_of_one_account_one_topic_and_this_deployment() {
        let [ours, theirs] = ["our key", "their key"].map(SigningKey::configured);
        let account_id = AccountId(Uuid::now_v7());
        let link = Unsubscription { account_id, topic: MailTopic::Turn };
        let token = link.sign(&ours).unwrap();
        assert_eq!(Unsubscription::read(&token, &ours), Some(link));
        assert_eq!(Unsubscription::read(&token, &theirs), None);
        let other = Unsubscription { topic: MailTopic::Transfers, ..link }.sign(&ours).unwrap();
        let parts = |token: &str| token.split('.').map(str::to_owned).collect::<Vec<_>>();
        let (mine, others) = (parts(&token), parts(&other));
        let spliced = format!("{}.{}.{}", mine[0], others[1], mine[2]);
        for nonsense in ["", "a.b.c", &spliced] {
            assert_eq!(Unsubscription::read(nonsense, &ours), None, "{nonsense}");
        }
    }
}
