//! Currencies, and how many digits their minor units have.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// Currency by its ISO 4217 code, in upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Currency([u8; 3]);

/// Currencies without minor units, as the payment provider counts them: an amount of 500 is 500
/// won, not 5.
const WHOLE: [&str; 15] = [
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF",
    "XOF", "XPF",
];
/// Currencies without minor units that the payment provider counts in hundredths all the same: it charges
/// only amounts that end in 00.
const WHOLE_IN_HUNDREDTHS: [&str; 2] = ["ISK", "UGX"];
/// Currencies with a thousand minor units; the payment provider charges only multiples of ten.
const THOUSANDTHS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];

impl Currency {
    /// South Korean won.
    pub(super) const KRW: Self = Self(*b"KRW");

    /// Returns the code.
    pub fn code(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the number of digits after the decimal point of an amount in minor units.
    pub fn n_decimals(self) -> usize {
        match self.code() {
            code if WHOLE.contains(&code) => 0,
            code if THOUSANDTHS.contains(&code) => 3,
            _ => 2,
        }
    }

    /// Whether people know no minor units of it, though it has decimals at the payment provider.
    pub fn is_shown_whole(self) -> bool {
        WHOLE_IN_HUNDREDTHS.contains(&self.code())
    }

    /// Returns the number of minor units that an amount must be a multiple of to be charged.
    pub fn step(self) -> u32 {
        match self.code() {
            code if WHOLE_IN_HUNDREDTHS.contains(&code) => 100,
            code if THOUSANDTHS.contains(&code) => 10,
            _ => 1,
        }
    }
}

/// The text is no three letters.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a currency is three letters")]
pub struct CurrencyError;

impl FromStr for Currency {
    type Err = CurrencyError;

    fn from_str(text: &str) -> Result<Self, CurrencyError> {
        let code: [u8; 3] = text.as_bytes().try_into().ok().ok_or(CurrencyError)?;
        let is_code = code.iter().all(u8::is_ascii_alphabetic);
        if is_code {
            Ok(Self(code.map(|byte| byte.to_ascii_uppercase())))
        } else {
            Err(CurrencyError)
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the provider's page on currencies says.
    #[test]
    fn amounts_are_in_the_units_of_the_provider() {
        for (codes, n_decimals, step, is_shown_whole) in [
            ("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF", 0, 1, false),
            ("AUD CHF CZK EUR GBP HUF THB TWD USD", 2, 1, false),
            ("ISK UGX", 2, 100, true),
            ("BHD JOD KWD OMR TND", 3, 10, false),
        ] {
            for code in codes.split(' ') {
                let currency: Currency = code.parse().unwrap();
                let said = (currency.n_decimals(), currency.step(), currency.is_shown_whole());
                assert_eq!(said, (n_decimals, step, is_shown_whole), "{code}");
            }
        }
    }

    #[test]
    fn a_currency_is_three_letters_of_either_case() {
        let won: Currency = "krw".parse().unwrap();
        assert_eq!((won.code(), won.n_decimals()), ("KRW", 0));
        assert_eq!((won.to_string(), serde_json::json!(won)), ("KRW".to_owned(), "KRW".into()));
        assert_eq!("USD".parse::<Currency>().unwrap().n_decimals(), 2);
        assert_eq!("KWD".parse::<Currency>().unwrap().n_decimals(), 3);
        for refused in ["", "KR", "KRWN", "K1W", "\u{ac00}"] {
            assert!(refused.parse::<Currency>().is_err(), "{refused}");
        }
    }
}
