//! Page that the link of a share leads to.

use std::sync::Arc;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::places::{PlaceDocument, name_of, take_off};
use crate::{
    accounts::{CurrentAccount, recovery::pages::without_referrer},
    app::App,
    catalog::{Program, Programs, ToldNote},
    infra::ids::new_id,
    payment::{
        pages::KeyForm,
        shares::{
            code::ShareCode,
            error::ShareError,
            give_back,
            model::{LinkedShare, ShareStatus},
            pay,
            store::{
                self, ShareKey,
                views::{self, ListedPlace, ShownShare},
            },
        },
    },
    points::Points,
    wallet::{self, ChargeBox, Means, Provider},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

/// Period after which the page reloads while payments are missing, in seconds.
const REFRESH_SECS: u32 = 5;

/// JSON form of a share as its payer sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkDocument<'a> {
    status: ShareStatus,
    /// Whether the account has paid it.
    is_yours: bool,
    from: &'a str,
    title: &'a str,
    starts_at: DateTime<Utc>,
    /// Start when the places were held, where the performance has moved since.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_starts_at: Option<DateTime<Utc>>,
    /// What else was called otherwise then.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    changes: &'a [ToldNote],
    venue: &'a str,
    places: Vec<PlaceDocument>,
    amount: Points,
    expires_at: DateTime<Utc>,
    total: Points,
    covered: Points,
}

#[derive(Template)]
#[template(path = "payment/share.html")]
struct SharePage {
    v: View,
    share: ShownShare,
    program: Arc<Program>,
    /// Places of the share; empty once its unpaid end is recorded.
    places: Vec<ListedPlace>,
    /// Path of the page.
    path: String,
    is_yours: bool,
    /// Whether the account is the holder, who pays on another page.
    is_holder: bool,
    /// Points that the account lacks; `None` if there are enough.
    lacking: Option<Points>,
    /// Form that buys what is missing, and pays the share with it.
    charge: ChargeBox,
    now: DateTime<Utc>,
    request_key: Uuid,
    refusal: FormRefusal,
}

impl SharePage {
    async fn read(
        (app, programs, provider): (&App, &Programs, &Provider),
        me: CurrentAccount,
        code: &ShareCode,
        refusal: FormRefusal,
    ) -> Result<Self, PageError> {
        let share = views::find_shown(&app.db, &code.hash()).await?;
        let share = share.ok_or(ShareError::NotFound)?;
        let mut places = views::list_places(&app.db, share.reservation_id).await?;
        take_off(share.discount, &mut places);
        places.retain(|place| place.share_id == Some(share.id));
        let program = programs.find(app, &share.slug).await?.ok_or(NotFound)?;
        let wallet = wallet::find_shown_wallet(&app.db, me.account_id).await?;
        let lacking = Means::of(wallet.as_ref()).lacking(share.amount, Points::ZERO);
        let lacking = Some(lacking).filter(|lacking| *lacking > Points::ZERO);
        let (path, pays) = (code.path(), ("share", code.to_text()));
        let missing = (lacking.unwrap_or_default(), share.amount);
        let charge = ChargeBox::new(provider).missing(missing, path.clone(), pays);
        Ok(Self {
            path,
            program,
            charge,
            is_yours: share.payer_id == Some(me.account_id),
            is_holder: share.owner_id == me.account_id,
            lacking,
            now: app.now(),
            request_key: new_id(),
            refusal,
            v: me.view,
            share,
            places,
        })
    }

    fn document(&self) -> LinkDocument<'_> {
        let share = &self.share;
        LinkDocument {
            status: share.status,
            is_yours: self.is_yours,
            from: &share.from,
            title: &share.title,
            starts_at: share.starts_at,
            previous_starts_at: share.moved_from,
            changes: &share.changes,
            venue: &share.venue,
            places: self.places.iter().map(|place| PlaceDocument::of(&self.v, place)).collect(),
            amount: share.amount,
            expires_at: share.expires_at,
            total: share.total,
            covered: share.covered,
        }
    }

    fn name(&self, place: &ListedPlace) -> String {
        name_of(&self.v, place)
    }

    fn is_open(&self) -> bool {
        self.share.status == ShareStatus::Open
    }

    fn is_withheld(&self) -> bool {
        self.share.status == ShareStatus::Withheld
    }

    fn is_paid(&self) -> bool {
        self.share.status == ShareStatus::Paid
    }

    fn refresh_secs(&self) -> u32 {
        REFRESH_SECS
    }
}

fn code_of(path: &str) -> Result<ShareCode, PageError> {
    Ok(ShareCode::parse(path).ok_or(NotFound)?)
}

/// Handles `GET /shares/{code}`.
pub async fn show_share(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let page =
        SharePage::read((&app, &programs, &provider), me, &code_of(&path)?, FormRefusal::default())
            .await?;
    Ok(without_referrer(page.v.show(&page, &page.document())))
}

/// Handles `POST /shares/{code}/payment`.
pub async fn create_payment(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    path: Path<String>,
    Body(form): Body<KeyForm>,
) -> Result<HttpResponse, PageError> {
    let code = code_of(&path)?;
    let share = linked(&app, &code).await?;
    let key = form.parse(me.account_id, "POST /shares/{code}/payment", &share.id)?;
    let paid = pay::pay(&app, me.account_id, &share, key.as_ref()).await;
    match me.view.or_refusal(paid.map_err(PageError::from))? {
        Ok(paid) => {
            let answer = me.view.done(StatusCode::CREATED, &paid, &code.path());
            Ok(with_message(answer, super::flash_of(&paid)))
        }
        Err(refusal) => refused((&app, &programs, &provider), me, &code, refusal).await,
    }
}

/// Share that its payer withdrew.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithdrawnDocument {
    status: ShareStatus,
}

/// Handles `POST /shares/{code}/withdrawal`.
pub async fn create_withdrawal(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let code = code_of(&path)?;
    let share = linked(&app, &code).await?;
    let withdrawn = give_back::withdraw(&app, me.account_id, &share).await;
    match me.view.or_refusal(withdrawn.map_err(PageError::from))? {
        Ok(()) => {
            let document = WithdrawnDocument { status: ShareStatus::Withdrawn };
            let answer = me.view.done(StatusCode::OK, &document, &code.path());
            Ok(with_message(answer, "flash-share-withdrawn"))
        }
        Err(refusal) => refused((&app, &programs, &provider), me, &code, refusal).await,
    }
}

async fn linked(app: &App, code: &ShareCode) -> Result<LinkedShare, PageError> {
    let share = store::find_linked(&app.db, ShareKey::Code(&code.hash())).await?;
    Ok(share.ok_or(ShareError::NotFound)?)
}

/// Shows a refusal on the page of the share.
pub(in crate::payment) async fn refused(
    of: (&App, &Programs, &Provider),
    me: CurrentAccount,
    code: &ShareCode,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let page = SharePage::read(of, me, code, refusal).await?;
    Ok(without_referrer(page.v.html(page.refusal.status(), &page)))
}
