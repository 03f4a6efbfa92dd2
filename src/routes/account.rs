//! Signing up, logging in and one's own account.

use super::{AccountError, DeletionError, KitError};
use crate::{
    account_deletion::{
        model::Outlook,
        pages::{self as account_deletion, DeletedAccount},
    },
    accounts::{
        log_in::{
            self,
            second_step::pages::{self as second_step, PendingDocument},
        },
        mail_choices::pages::{self as mail_choices, TopicDocument},
        pages::{self as accounts, WelcomeDocument},
        profile::{
            address_pages::{self, AddressDocument},
            pages::{self as profile, AccountDocument, NameDocument},
        },
        recovery::pages as recovery,
        roles::confirmation_pages::{self, ConfirmedDocument},
        second_factor::pages::{self as second_factor, FactorDocument, RecoveryCodesDocument},
        sessions::pages::{self as sessions, SessionsDocument},
        sign_up,
    },
    personal_data,
    web::{
        error::codes,
        page::Empty,
        path::{
            Path, at,
            operation::{begins, changes, creates, ends, gives, page, redirects, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/signup")
            .get(sign_up::pages::new_account, page("Asks for the data of a new account."))
            .post(sign_up::pages::create_account, creates::<WelcomeDocument>("Opens an account, and logs in.").refuses(codes![AccountError::EmailTaken, KitError::TooOften])).with_long_deadline(),
        at("/login")
            .get(log_in::pages::new_session, page("Asks for address and password."))
            .post(log_in::pages::create_session, changes::<WelcomeDocument>("Logs in: sets the session cookie. An account with a second factor is asked for a code first.").answers::<PendingDocument>(202).refuses(codes![AccountError::{WrongCredentials, Locked, Deleted}, KitError::TooOften])).with_long_deadline(),
        at("/login/code")
            .get(second_step::new_code, page("Asks for a code of the second factor.").or_redirects())
            .post(second_step::create_session, changes::<WelcomeDocument>("Logs in with a code of the second factor.").refuses(codes![AccountError::{WrongCode, LogInOver, Locked}, KitError::TooOften])),
        at("/logout")
            .post(log_in::pages::delete_session, ends("Ends the session.")),
        at("/language")
            .post(accounts::update_language, redirects("Sets the language of pages.")),
        at("/password/forgotten")
            .get(recovery::new_request, page("Asks for the address of an account whose password is forgotten."))
            .post(recovery::create_request, begins::<Empty>("Sends a link to choose a new password, if there is such an account.").refuses(codes![KitError::TooOften])),
        at("/password/reset")
            .get(recovery::new_password, page("Asks for a new password.").refuses(codes![AccountError::ResetLinkDead]))
            .post(recovery::create_password, changes::<Empty>("Sets a new password, by a link from a mail.").refuses(codes![AccountError::ResetLinkDead, KitError::TooOften])).with_long_deadline(),
        at("/address/confirmation")
            .get(address_pages::new_confirmation, page("Asks to confirm an address, by a link from a mail.").refuses(codes![AccountError::AddressLinkDead]))
            .post(address_pages::create_confirmation, changes::<Empty>("Confirms an address.").refuses(codes![AccountError::{AddressLinkDead, EmailTaken}])),
        at("/mails/unsubscription")
            .get(mail_choices::new_unsubscription, shows::<TopicDocument>("Shows which mails a link ends.").refuses(codes![AccountError::UnsubscriptionDead]))
            .post(mail_choices::create_unsubscription, changes::<TopicDocument>("Ends the mails of a topic, also for a mail program (RFC 8058).").refuses(codes![AccountError::UnsubscriptionDead])),
    ]
}

#[rustfmt::skip]
pub(super) fn own_paths() -> Vec<Path> {
    vec![
        at("/account")
            .get(profile::show_account, shows::<AccountDocument>("Shows the account.")),
        at("/account/name")
            .post(profile::update_name, changes::<NameDocument>("Changes the name.").refuses(codes![AccountError::Deleted])),
        at("/account/address")
            .post(profile::update_address, begins::<Empty>("Sends a link that confirms another address.").refuses(codes![AccountError::{WrongPassword, EmailTaken}])).with_long_deadline(),
        at("/account/address/confirmation")
            .get(address_pages::new_confirmation_mail, shows::<AddressDocument>("Shows whether the address is confirmed.").or_redirects())
            .post(address_pages::create_confirmation_mail, begins::<Empty>("Sends a link that confirms the address.").refuses(codes![KitError::TooOften])),
        at("/account/password")
            .post(profile::update_password, changes::<Empty>("Changes the password, and ends the other sessions.").refuses(codes![AccountError::WrongPassword])).with_long_deadline(),
        at("/account/deletion")
            .get(account_deletion::new_deletion, shows::<Outlook>("Shows the obstacles to the account's deletion, and the points and places in line that it gives up."))
            .post(account_deletion::create_deletion, changes::<DeletedAccount>("Deletes the account.").refuses(codes![DeletionError::{BalanceKept, Kept}, AccountError::{ConfirmationRequired, CodeRequired}, KitError::Contended])),
        at("/account/mails")
            .post(mail_choices::update_choices, changes::<Empty>("Chooses the language of mails, and which of them are wanted.")),
        at("/account/data.json")
            .get(personal_data::pages::download_data, gives::<serde_json::Value>("Downloads everything that is kept about the person.").refuses(codes![KitError::TooOften])),
        at("/account/sessions")
            .get(sessions::list_sessions, shows::<SessionsDocument<'_>>("Lists where the account is logged in.")),
        at("/account/sessions/logout")
            .post(sessions::delete_others, ends("Ends all other sessions.")),
        at("/account/sessions/{id}/logout")
            .post(sessions::delete_one, ends("Ends a session.")),
        at("/account/confirmation")
            .get(confirmation_pages::new_confirmation, page("Asks for the password once more."))
            .post(confirmation_pages::create_confirmation, changes::<ConfirmedDocument>("Confirms the password, for acts that cannot be undone.").refuses(codes![AccountError::WrongPassword])).with_long_deadline(),
        at("/account/confirmation/code")
            .get(confirmation_pages::new_code_confirmation, page("Asks for the password and a code once more."))
            .post(confirmation_pages::create_code_confirmation, changes::<ConfirmedDocument>("Confirms the password and a code.").refuses(codes![AccountError::{WrongPassword, WrongCode, SecondFactorMissing}])).with_long_deadline(),
        at("/account/second-factor")
            .get(second_factor::show_factor, shows::<FactorDocument>("Shows the second factor, or offers one to members of staff.").refuses(codes![KitError::NotFound, AccountError::ConfirmationRequired]))
            .post(second_factor::create_factor, creates::<RecoveryCodesDocument>("Sets a second factor up.").or_page(201).refuses(codes![AccountError::{OfferUnreadable, WrongCode, SecondFactorSet, ConfirmationRequired}])),
        at("/account/second-factor/recovery-codes")
            .post(second_factor::create_codes, creates::<RecoveryCodesDocument>("Makes new recovery codes, and ends the old ones.").or_page(201).refuses(codes![AccountError::{SecondFactorMissing, ConfirmationRequired, CodeRequired}])),
        at("/account/second-factor/removal")
            .post(second_factor::delete_factor, changes::<Empty>("Removes the second factor.").refuses(codes![AccountError::{SecondFactorMissing, ConfirmationRequired, CodeRequired}])),
    ]
}
