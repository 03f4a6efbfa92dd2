//! Pages of API keys: the list, and a new one.

use std::fmt;

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use uuid::Uuid;

use super::{make, revoke};
use crate::{
    accounts::{
        AdminAccount, ConfirmedAdmin,
        api_keys::{
            model::{ApiKeyId, ApiScope, KeyToken, ListedKey, NewKey},
            store,
        },
    },
    admin::pages::{parse_optional, parse_text, saved},
    app::App,
    infra::postgres::page::{After, PAGE_ROWS, Page},
    text::i18n::Phrase,
    web::{
        error::PageError,
        form::{Body, Field, Fields, FormRefusal, Mistakes},
        page::{Identified, View, json as json_answer},
    },
};

/// Length of a name at most, in characters.
const NAME_CHARS_MAX: usize = 80;
/// Days after which a key ends at the latest, if it ends by itself.
const DAYS_MAX: i32 = 3_650;

/// Form of a new key as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["name", "scopes"]))]
pub struct ApiKeyForm {
    /// Name, to tell keys apart.
    name: Field,
    /// Scopes: `programs:read`, `programs:write`.
    scopes: Fields,
    /// Empty: the key does not end by itself.
    days: Field,
}

impl ApiKeyForm {
    fn parse(&self) -> Result<NewKey, Mistakes> {
        let mut mistakes = Mistakes::default();
        let name = parse_text(&self.name, 1, NAME_CHARS_MAX);
        let name = mistakes.note("name", "admin-key-refusal-name", name);
        let scopes: Option<Vec<ApiScope>> = self.scopes.0.iter().map(Field::parse).collect();
        let scopes = scopes.filter(|scopes| !scopes.is_empty()).map(|mut scopes| {
            scopes.sort_by_key(|scope| scope.name());
            scopes.dedup();
            scopes
        });
        let scopes = mistakes.note("scopes", "admin-key-refusal-scopes", scopes);
        let days = parse_optional(&self.days, &(1..=DAYS_MAX));
        let days = mistakes.note("days", "admin-key-refusal-days", days);
        let new = name.zip(scopes).zip(days);
        mistakes.or(new.map(|((name, scopes), days)| NewKey { name, scopes, days }))
    }
}

#[derive(Template)]
#[template(path = "admin/api_keys.html")]
struct ApiKeysPage {
    v: View,
    keys: Page<ListedKey>,
    form: ApiKeyForm,
    refusal: FormRefusal,
}

impl ApiKeysPage {
    async fn of(app: &App, v: View, after: Option<Uuid>) -> Result<Self, PageError> {
        let keys = Page::cut(store::list(&app.db, after, PAGE_ROWS + 1).await?, |key| key.id.0);
        let (form, refusal) = (ApiKeyForm::default(), FormRefusal::default());
        Ok(Self { v, keys, form, refusal })
    }

    /// Returns the scopes: the name of each, what it opens, and whether it is chosen.
    fn scopes(&self) -> impl Iterator<Item = (&'static str, Phrase, bool)> {
        ApiScope::VARIANTS.iter().map(|scope| {
            let opens = self.v.t(match scope {
                ApiScope::ProgramsRead => "admin-key-programs-read",
                ApiScope::ProgramsWrite => "admin-key-programs-write",
            });
            let is_chosen = self.form.scopes.0.iter().any(|field| field.text() == scope.name());
            (scope.name(), opens, is_chosen)
        })
    }

    /// Returns why a key opens nothing; `None` if it does.
    fn why_closed(&self, key: &ListedKey) -> Option<Phrase> {
        let why = [
            (key.revoked_at.is_some(), "admin-key-revoked"),
            (key.is_over, "admin-key-over"),
            (!key.is_maker_admin, "admin-key-orphaned"),
            (!key.is_maker_protected, "admin-key-unprotected"),
        ];
        why.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| self.v.t(why))
    }
}

/// Page of keys.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiKeysDocument<'a> {
    api_keys: &'a [ListedKey],
    next: Option<Uuid>,
}

/// `GET /admin/api-keys`
pub async fn list_keys(
    app: Data<App>,
    me: AdminAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let page = ApiKeysPage::of(&app, me.view, query.after).await?;
    let document = ApiKeysDocument { api_keys: &page.keys.rows, next: page.keys.next };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/api_key.html")]
struct NewKeyPage {
    v: View,
    key: String,
}

/// Key that was made.
#[derive(Serialize, JsonSchema)]
pub struct NewKeyDocument {
    id: ApiKeyId,
    /// The key itself, which is shown once.
    key: String,
}

impl fmt::Debug for NewKeyDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKeyDocument").field("id", &self.id).finish_non_exhaustive()
    }
}

/// `POST /admin/api-keys`
pub async fn create_key(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    Body(form): Body<ApiKeyForm>,
) -> Result<HttpResponse, PageError> {
    let made = async { Ok(make(&app, me.account_id, &form.parse()?).await?) }.await;
    let done = |v: &View, (id, token): (ApiKeyId, KeyToken)| {
        let key = token.shown();
        let mut answer = match v.format.is_for_programs() {
            true => json_answer(StatusCode::CREATED, &NewKeyDocument { id, key }),
            false => v.html(StatusCode::CREATED, &NewKeyPage { v: v.clone(), key }),
        };
        let never = header::HeaderValue::from_static("no-store");
        answer.headers_mut().insert(header::CACHE_CONTROL, never);
        answer
    };
    let page = async |v, refusal| {
        let page = ApiKeysPage { form, refusal, ..ApiKeysPage::of(&app, v, None).await? };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(made, done, page).await
}

/// `POST /admin/api-keys/{id}/revocation`
pub async fn create_revocation(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ApiKeyId>,
) -> Result<HttpResponse, PageError> {
    revoke(&app, me.account_id, *id).await?;
    Ok(saved(&me.view, &Identified { id: *id }, "/admin/api-keys"))
}
