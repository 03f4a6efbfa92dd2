//! A real browser, driven over the protocol of the W3C (`WebDriver`).

pub mod camera;
mod chromium;
mod driver;
mod firefox;

use std::sync::atomic::{AtomicUsize, Ordering};

use fantoccini::{Client, ClientBuilder, Locator, elements::Element};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use self::{camera::Camera, driver::Driver};
use super::{Person, eventually};

/// Narrowest screen that pages are made for, in CSS pixels: an old phone, or a page at 400% on a computer.
pub const NARROW: Screen = Screen { width: 320, height: 640, is_touched: true };
/// Usual screen of a phone, in CSS pixels.
pub const PHONE: Screen = Screen { width: 390, height: 844, is_touched: true };
/// Usual window of a computer, in CSS pixels.
pub const DESK: Screen = Screen { width: 1_280, height: 900, is_touched: false };

/// Screen of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    width: u32,
    height: u32,
    is_touched: bool,
}

/// Browser of one person: a window with cookies of its own.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    base: String,
    driver: Driver,
    /// Number of times that something was pressed, and of fields that were filled.
    n_presses: AtomicUsize,
    n_fields: AtomicUsize,
}

/// Options of a browser.
#[derive(Clone, Copy, Debug)]
pub struct BrowserOptions {
    pub screen: Screen,
    /// Language that the browser asks for.
    pub language: &'static str,
    /// Whether scripts of pages run.
    pub runs_scripts: bool,
    /// IANA zone of its clock.
    pub time_zone: &'static str,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self { screen: DESK, language: "en", runs_scripts: true, time_zone: "Asia/Seoul" }
    }
}

impl Browser {
    /// Opens a window on the office at `base`.
    pub async fn open(base: &str, options: BrowserOptions) -> Self {
        Self::open_before(base, options, None).await
    }

    /// Opens a window in which `person` is signed in, and which sees what `camera` shows.
    pub async fn open_with_camera(
        person: &Person,
        options: BrowserOptions,
        camera: &Camera,
    ) -> Self {
        let browser = Self::open_before(&person.base, options, Some(camera)).await;
        browser.visit("/").await;
        browser.sign_in(person).await;
        browser
    }

    async fn open_before(base: &str, options: BrowserOptions, camera: Option<&Camera>) -> Self {
        let driver = Driver::start(options).await;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let Value::Object(capabilities) = driver.capabilities(options, camera) else {
            unreachable!("an object is written below")
        };
        builder.capabilities(capabilities);
        // The first start of a browser on a machine that was off may take long.
        let client = eventually("a browser", async || builder.connect(driver.url()).await).await;
        let (n_presses, n_fields) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { client, base: base.to_owned(), driver, n_presses, n_fields }
    }

    /// Opens a window in which `person` is signed in.
    pub async fn open_as(person: &Person, options: BrowserOptions) -> Self {
        let browser = Self::open(&person.base, options).await;
        browser.visit("/").await;
        browser.sign_in(person).await;
        browser
    }

    /// Gives the window the session of `person`; a page of the office is open.
    pub async fn sign_in(&self, person: &Person) {
        let session = person.cookie("session").unwrap();
        let cookie = json!(format!("session={session}; path=/"));
        self.client.execute("document.cookie = arguments[0]", vec![cookie]).await.unwrap();
    }

    /// Opens a page of the office.
    pub async fn visit(&self, path: &str) {
        self.client.goto(&format!("{}{path}", self.base)).await.unwrap();
    }

    /// Returns path and query of the page that is open.
    pub async fn path(&self) -> String {
        let url = self.client.current_url().await.unwrap();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}{query}", url.path())
    }

    /// Waits until a page whose path begins with `start` is open.
    pub async fn until_at(&self, start: &str) {
        eventually(start, async || {
            let path = self.path().await;
            if path.starts_with(start) { Ok(()) } else { Err((path, self.words().await)) }
        })
        .await;
    }

    /// Waits for an element that is displayed.
    pub async fn find(&self, css: &str) -> Element {
        eventually(css, async || {
            let Ok(found) = self.client.find(Locator::Css(css)).await else {
                return Err((self.path().await, self.words().await));
            };
            match found.is_displayed().await {
                Ok(true) => Ok(found),
                _ => Err((self.path().await, String::from("it is not displayed"))),
            }
        })
        .await
    }

    /// Whether an element is there and displayed.
    pub async fn shows(&self, css: &str) -> bool {
        match self.client.find(Locator::Css(css)).await {
            Ok(found) => found.is_displayed().await.unwrap_or(false),
            Err(_) => false,
        }
    }

    /// Waits for an element and presses it.
    pub async fn press(&self, css: &str) {
        self.n_presses.fetch_add(1, Ordering::Relaxed);
        // A bar that stays in view may lie over it: a reader scrolls further, and presses then.
        eventually(css, async || {
            let found = self.find(css).await;
            let pressed = found.click().await;
            if pressed.is_err() {
                self.run("arguments[0].scrollIntoView({block: 'center'})", css).await;
            }
            pressed
        })
        .await;
    }

    /// Waits for a field and types into it.
    pub async fn fill(&self, css: &str, text: &str) {
        self.n_fields.fetch_add(1, Ordering::Relaxed);
        let field = self.find(css).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Returns how often something was pressed, and how many fields were filled.
    pub fn efforts(&self) -> (usize, usize) {
        (self.n_presses.load(Ordering::Relaxed), self.n_fields.load(Ordering::Relaxed))
    }

    /// Types keys where the focus is.
    pub async fn type_keys(&self, keys: &str) {
        self.client.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Moves the focus with the tab key until it is on an element that matches, at most 200 times.
    pub async fn tab_to(&self, css: &str) {
        const TABS_MAX: usize = 200;
        let question = "const e = document.activeElement;
            return e !== null && e !== document.body && e.matches(arguments[0])";
        for _ in 0..TABS_MAX {
            let is_there = self.client.execute(question, vec![json!(css)]).await.unwrap();
            if is_there == json!(true) {
                return;
            }
            self.type_keys("\u{e004}").await;
        }
        panic!("the keyboard does not get to {css} at {}", self.path().await);
    }

    /// Returns what stands in an element.
    pub async fn text(&self, css: &str) -> String {
        self.find(css).await.text().await.unwrap()
    }

    /// Returns what stands on the page.
    pub async fn words(&self) -> String {
        match self.client.find(Locator::Css("main")).await {
            Ok(main) => main.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Returns what a script says of the first element that matches.
    pub async fn run(&self, script: &str, css: &str) -> Value {
        let found = self.client.find(Locator::Css(css)).await.unwrap();
        let element = serde_json::to_value(&found).unwrap();
        self.client.execute(script, vec![element]).await.unwrap()
    }

    /// Loads the page again.
    pub async fn reload(&self) {
        self.client.refresh().await.unwrap();
    }

    /// Goes back one page.
    pub async fn back(&self) {
        self.client.back().await.unwrap();
    }

    /// Opens another tab and goes to it.
    pub async fn open_tab(&self) {
        let opened = self.client.new_window(true).await.unwrap();
        self.client.switch_to_window(opened.handle).await.unwrap();
    }

    /// Goes to the tab that was opened first.
    pub async fn first_tab(&self) {
        let tabs = self.client.windows().await.unwrap();
        self.client.switch_to_window(tabs[0].clone()).await.unwrap();
    }

    /// Returns how far the page is wider than the window, in CSS pixels.
    pub async fn overflow(&self) -> Value {
        self.run("return arguments[0].scrollWidth - arguments[0].clientWidth", "html").await
    }

    /// Closes the window, which complained of nothing.
    pub async fn close(self) {
        let session = self.client.session_id().await.unwrap().unwrap();
        assert_eq!(self.driver.complaints(&session).await, Vec::<String>::new());
        self.client.close().await.unwrap();
    }
}
