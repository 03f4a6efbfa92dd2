//! Settings of the payment provider, and the price of points.

use std::num::NonZeroU32;

use url::{Host, Url};

use super::{Currency, Secret, reader::Reader};

/// Address of the provider where no setting says otherwise.
const STRIPE: &str = "https://api.stripe.com";

/// Payment provider, and the price of a point.
#[derive(Clone, Debug)]
pub struct PaymentConfig {
    /// Provider that takes the money.
    pub provider: ProviderConfig,
    /// Price of one point.
    pub price: PointPrice,
}

/// Provider that takes the money for points.
#[derive(Clone, Debug)]
pub enum ProviderConfig {
    /// Points come without money, for trials.
    Demo,
    /// Stripe Checkout.
    Stripe(Box<StripeConfig>),
}

impl PaymentConfig {
    /// Whether points are sold for money, so that there are cards to which it may go back.
    pub fn is_for_money(&self) -> bool {
        !matches!(self.provider, ProviderConfig::Demo)
    }
}

/// Access to Stripe's API, and the secrets that verify its messages.
#[derive(Clone, Debug)]
pub struct StripeConfig {
    /// Key that authorizes requests.
    pub secret_key: Secret,
    /// Secrets with which webhooks may be signed, more than one while they are rotated.
    pub webhook_secrets: Vec<Secret>,
    /// Address of the API.
    pub api_url: Url,
    /// Address of this site, to which browsers return.
    pub return_url: Url,
}

impl StripeConfig {
    /// Returns the origin of the pages on which people pay.
    pub fn checkout_origin(&self) -> String {
        match self.api_url.origin() == origin_of(STRIPE) {
            true => "https://checkout.stripe.com".to_owned(),
            false => self.api_url.origin().ascii_serialization(),
        }
    }
}

/// Price of one point.
#[derive(Clone, Copy, Debug)]
pub struct PointPrice {
    /// Minor units of the currency that one point costs.
    pub minor: NonZeroU32,
    /// Currency of the price.
    pub currency: Currency,
}

#[derive(Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
enum ProviderName {
    Demo,
    Stripe,
}

impl PaymentConfig {
    pub(super) fn read(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> Self {
        let public_url = reader.text("PUBLIC_URL").and_then(|text| text.parse::<Url>().ok());
        let is_https = public_url.as_ref().is_some_and(|url| url.scheme() == "https");
        let name: Option<ProviderName> = reader.optional("PAYMENT_PROVIDER").flatten();
        if name.is_none() && is_https && !reader.has_mistake("PAYMENT_PROVIDER") {
            reader.miss(
                "PAYMENT_PROVIDER",
                "PUBLIC_URL is https, so people may be sold something real. Set it to stripe, or \
                 to demo if points shall come without money.",
            );
        }
        // Everything is read, so that every mistake is named.
        let stripe = StripeConfig::read(reader, public_url, name == Some(ProviderName::Stripe));
        let price = PointPrice {
            minor: reader.parsed("POINT_PRICE_MINOR").unwrap_or(NonZeroU32::MIN),
            currency: reader.parsed("CURRENCY").unwrap_or(Currency::KRW),
        };
        let step = price.currency.step();
        if !price.minor.get().is_multiple_of(step) {
            let problem = format!(
                "must be a multiple of {step}: Stripe charges no other amounts in {}.",
                price.currency
            );
            reader.reject("POINT_PRICE_MINOR", &problem);
        }
        let provider = match (name, stripe) {
            (Some(ProviderName::Stripe), Some(stripe)) => ProviderConfig::Stripe(Box::new(stripe)),
            _ => ProviderConfig::Demo,
        };
        Self { provider, price }
    }
}

impl StripeConfig {
    /// Returns the settings, complete or with a mistake noted for each that is missing; `None`
    /// where none is needed.
    fn read<L: Fn(&str) -> Option<String>>(
        reader: &mut Reader<L>,
        public_url: Option<Url>,
        is_needed: bool,
    ) -> Option<Self> {
        const NEEDED: &str = "PAYMENT_PROVIDER is stripe.";
        let secret_key = reader.secrets("STRIPE_SECRET_KEY").pop();
        let webhook_secrets = reader.secrets("STRIPE_WEBHOOK_SECRET");
        let api_url: Option<Url> = reader.parsed("STRIPE_API_URL");
        if api_url.as_ref().is_some_and(|url| url.scheme() != "https" && !is_loopback(url)) {
            reader.reject("STRIPE_API_URL", "must be https: it is sent the secret key.");
        }
        if !is_needed {
            return None;
        }
        if secret_key.is_none() {
            reader.miss("STRIPE_SECRET_KEY", NEEDED);
        }
        if webhook_secrets.is_empty() {
            reader.miss("STRIPE_WEBHOOK_SECRET", NEEDED);
        }
        if public_url.is_none() {
            reader.miss("PUBLIC_URL", "people return to it from Stripe's page.");
        }
        Some(Self {
            secret_key: secret_key?,
            webhook_secrets,
            api_url: api_url?,
            return_url: public_url?,
        })
    }
}

fn origin_of(address: &str) -> url::Origin {
    Url::parse(address).map_or_else(|_| url::Origin::new_opaque(), |url| url.origin())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Config, ConfigError},
        *,
    };

    const KEY: &str = "sk_test_0123456789abcdef0123456789";
    const WEBHOOK: &str = "whsec_0123456789abcdef0123456789ab";

    fn with(pairs: &[(&str, &str)]) -> Result<PaymentConfig, ConfigError> {
        let config = Config::from_lookup(|name| match name {
            "DATABASE_URL" | "REDIS_URL" => Some("x://x".to_owned()),
            _ => pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()),
        });
        config.map(|config| config.payment)
    }

    fn mistakes(pairs: &[(&str, &str)]) -> Vec<String> {
        let names = |mistake: String| mistake.split(' ').next().unwrap().to_owned();
        with(pairs).err().map(|error| error.0).unwrap_or_default().into_iter().map(names).collect()
    }

    #[test]
    fn an_https_site_says_who_takes_the_money() {
        let site = ("PUBLIC_URL", "https://tickets.example");
        assert_eq!(mistakes(&[site]), ["PAYMENT_PROVIDER"]);
        assert_eq!(mistakes(&[site, ("PAYMENT_PROVIDER", "cash")]), ["PAYMENT_PROVIDER"]);
        let demo = with(&[site, ("PAYMENT_PROVIDER", "demo")]).unwrap();
        assert!(matches!(demo.provider, ProviderConfig::Demo));
    }

    #[test]
    fn stripe_is_configured_as_a_whole() {
        let stripe = ("PAYMENT_PROVIDER", "stripe");
        let missing = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "PUBLIC_URL"];
        assert_eq!(mistakes(&[stripe]), missing);
        let site = ("PUBLIC_URL", "https://tickets.example");
        let secrets = format!("{WEBHOOK}, {WEBHOOK}");
        let all = [
            stripe,
            site,
            ("STRIPE_SECRET_KEY", KEY),
            ("STRIPE_WEBHOOK_SECRET", secrets.as_str()),
            ("CURRENCY", "eur"),
        ];
        let config = with(&all).unwrap();
        let ProviderConfig::Stripe(stripe) = &config.provider else { panic!("{config:?}") };
        assert_eq!(stripe.webhook_secrets.len(), 2);
        assert_eq!(stripe.checkout_origin(), "https://checkout.stripe.com");
        assert_eq!(config.price.currency.code(), "EUR");
        let shown = format!("{config:?}");
        assert!(!shown.contains("0123456789"), "{shown}");
    }

    #[test]
    fn a_mistake_shows_no_secret_and_the_key_travels_encrypted() {
        let short = with(&[("STRIPE_SECRET_KEY", "sk_short")]).unwrap_err().0;
        assert!(short.iter().all(|mistake| !mistake.contains("sk_short")), "{short:?}");
        assert_eq!(mistakes(&[("STRIPE_API_URL", "http://api.example")]), ["STRIPE_API_URL"]);
        assert_eq!(mistakes(&[("STRIPE_API_URL", "http://127.0.0.1:9")]), Vec::<String>::new());
        for (currency, price) in [("ISK", "150"), ("UGX", "1"), ("KWD", "15"), ("TND", "1")] {
            let pairs = [("CURRENCY", currency), ("POINT_PRICE_MINOR", price)];
            assert_eq!(mistakes(&pairs), ["POINT_PRICE_MINOR"], "{currency}");
        }
        for (currency, price) in [("ISK", "100"), ("UGX", "500"), ("KWD", "10"), ("EUR", "1")] {
            let pairs = [("CURRENCY", currency), ("POINT_PRICE_MINOR", price)];
            assert_eq!(mistakes(&pairs), Vec::<String>::new(), "{currency}");
        }
        for (name, value) in [("POINT_PRICE_MINOR", "0"), ("CURRENCY", "wo")] {
            assert_eq!(mistakes(&[(name, value)]), [name]);
        }
    }
}
