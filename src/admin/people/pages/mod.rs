//! Account pages: list, timeline, locks, roles.

pub mod adjustments;
pub mod debts;
pub mod second_factor;
mod timeline;

use std::collections::HashMap;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use uuid::Uuid;

use self::timeline::TimelineEntry;
use super::store;
use crate::{
    accounts::{
        AccountId, AdminAccount, ConfirmedAdmin, Profile, Role, find_profile, has_second_factor,
        search_profiles,
    },
    admin::{
        pages::{ReasonForm, parse_reason, saved},
        people::{self, store::AccountEvent},
        programs::pages::Search,
    },
    app::App,
    infra::{ids::new_id, postgres::page::Page},
    points::Points,
    wallet::{Wallet, debts::list_debts, find_shown_wallet},
    web::{
        error::{NotFound, PageError},
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Returns the locale key of a role.
pub(crate) fn role_key(role: Role) -> &'static str {
    match role {
        Role::Customer => "admin-role-customer",
        Role::Staff => "admin-role-staff",
        Role::Admin => "admin-role-admin",
    }
}

#[derive(Template)]
#[template(path = "admin/people.html")]
struct PeoplePage {
    v: View,
    query: Search,
    people: Page<Profile>,
    /// Points that some of them owe.
    debts: HashMap<AccountId, Points>,
}

impl PeoplePage {
    fn role(&self, role: Role) -> String {
        self.v.t(role_key(role)).to_string()
    }
}

/// Page of accounts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PeopleDocument<'a> {
    people: &'a [Profile],
    /// Points that some of them owe, by account.
    debts: &'a HashMap<AccountId, Points>,
    next: Option<Uuid>,
}

/// `GET /admin/people`
pub async fn list_people(
    app: Data<App>,
    me: AdminAccount,
    query: Query<Search>,
) -> Result<HttpResponse, PageError> {
    let query = query.into_inner();
    let found = search_profiles(&app.db, query.q.trim(), query.after).await?;
    let people = Page::cut(found, |person| person.account_id.0);
    let ids: Vec<AccountId> = people.rows.iter().map(|person| person.account_id).collect();
    let debts = list_debts(&app.db, &ids).await?;
    let page = PeoplePage { v: me.view, query, people, debts };
    let (people, next) = (&page.people.rows, page.people.next);
    let document = PeopleDocument { people, debts: &page.debts, next };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/person.html")]
struct PersonPage {
    v: View,
    person: Profile,
    wallet: Option<Wallet>,
    timeline: Vec<TimelineEntry>,
    request_key: Uuid,
    /// Request key of the form that writes a debt off.
    debt_key: Uuid,
    has_second_factor: bool,
    is_me: bool,
    refusal: FormRefusal,
}

impl PersonPage {
    async fn of(app: &App, me: &AdminAccount, id: AccountId) -> Result<Self, PageError> {
        let person = find_profile(&app.db, id).await?.ok_or(NotFound)?;
        let moments = store::list_moments(&app.db, id).await?;
        Ok(Self {
            v: me.view.clone(),
            wallet: find_shown_wallet(&app.db, id).await?,
            timeline: moments
                .into_iter()
                .map(|moment| TimelineEntry::of(&me.view, &person.name, moment))
                .collect(),
            request_key: new_id(),
            debt_key: new_id(),
            has_second_factor: has_second_factor(&app.db, id).await?,
            is_me: id == me.account_id,
            person,
            refusal: FormRefusal::default(),
        })
    }

    fn role(&self) -> String {
        self.v.t(role_key(self.person.role)).to_string()
    }

    fn owes(&self) -> bool {
        self.wallet.as_ref().is_some_and(|wallet| wallet.debt != Points::ZERO)
    }

    /// Returns every role as its form value, its localized name, and whether the account has
    /// it.
    fn roles(&self) -> impl Iterator<Item = (&'static str, String, bool)> {
        Role::VARIANTS.iter().map(|role| {
            let text = self.v.t(role_key(*role)).to_string();
            (role.as_ref(), text, *role == self.person.role)
        })
    }

    fn role_now(&self) -> &str {
        self.person.role.as_ref()
    }
}

/// Account with its history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PersonDocument<'a> {
    person: &'a Profile,
    balance: Option<Points>,
    debt: Option<Points>,
    timeline: Vec<&'a AccountEvent>,
}

/// `GET /admin/people/{id}`
pub async fn show_person(
    app: Data<App>,
    me: AdminAccount,
    id: Path<AccountId>,
) -> Result<HttpResponse, PageError> {
    let page = PersonPage::of(&app, &me, *id).await?;
    let document = PersonDocument {
        person: &page.person,
        balance: page.wallet.as_ref().map(|wallet| wallet.balance),
        debt: page.wallet.as_ref().map(|wallet| wallet.debt),
        timeline: page.timeline.iter().map(|entry| &entry.moment).collect(),
    };
    Ok(page.v.show(&page, &document))
}

/// Answers an action: redirects to the account's page, or renders it with the refusal.
async fn answer<T: Serialize>(
    app: &App,
    me: &AdminAccount,
    id: AccountId,
    outcome: Result<T, PageError>,
) -> Result<HttpResponse, PageError> {
    match me.view.or_refusal(outcome)? {
        Ok(done) => Ok(saved(&me.view, &done, &format!("/admin/people/{id}"))),
        Err(refusal) if refusal.status() == StatusCode::NOT_FOUND => Err(refusal.into()),
        Err(refusal) => {
            let mut page = PersonPage::of(app, me, id).await?;
            page.refusal = refusal.in_words(&page.v);
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}

/// `POST /admin/people/{id}/lock`
pub async fn create_lock(
    app: Data<App>,
    me: AdminAccount,
    id: Path<AccountId>,
    form: Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    lock(&app, &me, *id, &form.0, true).await
}

/// `POST /admin/people/{id}/unlock`
pub async fn delete_lock(
    app: Data<App>,
    me: AdminAccount,
    id: Path<AccountId>,
    form: Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    lock(&app, &me, *id, &form.0, false).await
}

async fn lock(
    app: &App,
    me: &AdminAccount,
    id: AccountId,
    form: &ReasonForm,
    is_locked: bool,
) -> Result<HttpResponse, PageError> {
    let locked =
        async { Ok(people::lock_out(app, me.account_id, id, is_locked, &form.parse()?).await?) }
            .await;
    answer(app, me, id, locked).await
}

/// Role form: the role shown and the new one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["from", "role", "reason"]))]
pub struct RoleForm {
    /// Role that was shown.
    from: Field,
    /// `CUSTOMER`, `STAFF` or `ADMIN`.
    role: Field,
    /// Reason, for the log.
    reason: Field,
}

/// `POST /admin/people/{id}/role`
pub async fn update_role(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<AccountId>,
    form: Body<RoleForm>,
) -> Result<HttpResponse, PageError> {
    me.require_code()?;
    let mut mistakes = Mistakes::default();
    let from = mistakes.note("from", "admin-refusal-role", form.0.from.parse());
    let to = mistakes.note("role", "admin-refusal-role", form.0.role.parse());
    let reason = parse_reason(&mut mistakes, &form.0.reason);
    let changed = async {
        let (roles, reason) = mistakes.or(from.zip(to).zip(reason))?;
        Ok(people::change_role(&app, me.account_id, *id, roles, &reason).await?)
    }
    .await;
    answer(&app, &me, *id, changed).await
}
