//! Charsets of text files that people upload.

use encoding_rs::{EUC_KR, Encoding, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

/// Encoding of a file's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr, strum::EnumString)]
pub enum Charset {
    /// Encoding of a file without another sign.
    #[strum(serialize = "UTF-8")]
    Utf8,
    /// Text that begins with its mark; Excel calls it *Unicode text*.
    #[strum(serialize = "UTF-16")]
    Utf16,
    /// Korean as Excel for Windows saves a CSV.
    #[strum(serialize = "CP949")]
    Cp949,
    /// None of these.
    #[strum(serialize = "unknown")]
    Unknown,
}

/// Returns the text of a file, and its charset. Unreadable bytes become U+FFFD.
pub fn decode(bytes: Vec<u8>) -> (String, Charset) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, Charset::Utf8),
        Err(error) => error.into_bytes(),
    };
    let (encoding, charset) = match Encoding::for_bom(&bytes) {
        Some((encoding, _)) if encoding == UTF_16LE || encoding == UTF_16BE => {
            (encoding, Charset::Utf16)
        }
        None if is_cp949(&bytes) => (EUC_KR, Charset::Cp949),
        _ => (UTF_8, Charset::Unknown),
    };
    let (text, _, has_errors) = encoding.decode(&bytes);
    (text.into_owned(), if has_errors { Charset::Unknown } else { charset })
}

/// Returns whether bytes are Korean: they can be read so, and either not as Japanese, or all of them
/// are letters of the Korean standard from which CP949 comes.
fn is_cp949(bytes: &[u8]) -> bool {
    let can_be = |encoding: &'static Encoding| {
        encoding.decode_without_bom_handling_and_without_replacement(bytes).is_some()
    };
    let is_standard = || bytes.iter().all(|byte| byte.is_ascii() || *byte > 0xa0);
    can_be(EUC_KR) && (is_standard() || !can_be(SHIFT_JIS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_in_the_charset_that_it_has() {
        let text = "1층,객석\r\n";
        assert_eq!(decode(text.into()), (text.to_owned(), Charset::Utf8));
        let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            format!("\u{feff}{text}").encode_utf16().flat_map(order).collect()
        };
        for bytes in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)] {
            assert_eq!(decode(bytes), (text.to_owned(), Charset::Utf16));
        }
        let (korean, ..) = EUC_KR.encode(text);
        assert_eq!(decode(korean.into_owned()), (text.to_owned(), Charset::Cp949));
    }

    #[test]
    fn what_no_known_charset_has_is_not_guessed() {
        let (japanese, ..) = SHIFT_JIS.encode("1階,客席");
        for bytes in [japanese.into_owned(), b"Caf\xe9,1".to_vec(), b"\xff\xfeA".to_vec()] {
            let (text, charset) = decode(bytes);
            assert_eq!(charset, Charset::Unknown, "{text}");
            assert!(text.contains(char::REPLACEMENT_CHARACTER), "{text}");
        }
    }
}
