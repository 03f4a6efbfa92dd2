//! Answers of an instance.

use reqwest::{Response, header::HeaderMap};
use serde_json::Value;

/// Answer read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub(super) async fn read(response: Response) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.text().await.unwrap(),
        }
    }

    /// Returns the body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// Returns the `code` of a problem document; empty for any other answer.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the cells of a CSV file, its header first. Fails unless every cell is quoted.
    #[track_caller]
    pub fn records(&self) -> Vec<Vec<String>> {
        let text = self.body.strip_prefix('\u{feff}').unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let records: Vec<Vec<String>> = reader.deserialize().map(Result::unwrap).collect();
        let mut quoted =
            csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
        for record in &records {
            quoted.write_record(record).unwrap();
        }
        assert_eq!(text.as_bytes(), quoted.into_inner().unwrap(), "every cell is quoted");
        records
    }

    /// Returns a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the target of a redirect; empty if there is none.
    pub fn location(&self) -> &str {
        self.header("location")
    }
}
