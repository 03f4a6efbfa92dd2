//! Sizes of a poster, and the addresses of its files.

/// Size of a poster that was uploaded. All of them are four by three, as the drawings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum PosterSize {
    /// Beside a title in a list.
    Thumbnail,
    /// On a card.
    Small,
    /// On the page of its program, and for links that are shared.
    Large,
}

impl PosterSize {
    /// Returns width and height, in pixels.
    pub const fn pixels(self) -> (u32, u32) {
        match self {
            Self::Thumbnail => (160, 120),
            Self::Small => (640, 480),
            Self::Large => (1_200, 900),
        }
    }
}

/// Poster of a program that was uploaded.
#[derive(Clone, Debug)]
pub struct UploadedPoster {
    slug: String,
    version: String,
}

impl UploadedPoster {
    /// Returns the poster of the program named `slug` whose upload has this version.
    pub fn new(slug: &str, version: &str) -> Self {
        Self { slug: slug.to_owned(), version: version.to_owned() }
    }

    /// Returns the poster of the program named `slug`; `None` without a version.
    pub fn of(slug: &str, version: Option<&str>) -> Option<Self> {
        version.map(|version| Self::new(slug, version))
    }

    /// Returns the path of a file. It changes with what is uploaded.
    pub fn path(&self, size: PosterSize) -> String {
        format!("/posters/{}/{}/{}.jpg", self.slug, self.version, size.as_ref())
    }

    /// Returns the path of the file on a card.
    pub fn small(&self) -> String {
        self.path(PosterSize::Small)
    }

    /// Returns the files with their widths; a browser chooses one of them.
    pub fn srcset(&self) -> String {
        let files = [PosterSize::Thumbnail, PosterSize::Small, PosterSize::Large]
            .map(|size| format!("{} {}w", self.path(size), size.pixels().0));
        files.join(", ")
    }
}
