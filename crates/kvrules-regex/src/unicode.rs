//! The named classes: Perl's `\d \s \w`, POSIX `[:alpha:]`, Unicode's `\pL` and `\p{Greek}`.
//!
//! Go knows general categories by their short names and scripts by their long ones, spelled exactly, in Unicode 15.
//! Newer Go releases take more spellings (`\p{Letter}`); they are refused here, because a rule that uses them
//! fails on the releases that are deployed.

use std::sync::OnceLock;

use regex_syntax::hir::{Class as HirClass, ClassUnicode, HirKind};

use crate::class::to_set;

const DIGIT: &[(char, char)] = &[('0', '9')];
const SPACE: &[(char, char)] = &[('\t', '\n'), ('\x0C', '\r'), (' ', ' ')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The class of a Perl escape's letter in lower case.
pub(crate) fn perl_class(letter: char) -> Option<&'static [(char, char)]> {
    match letter {
        'd' => Some(DIGIT),
        's' => Some(SPACE),
        'w' => Some(WORD),
        _ => None,
    }
}

/// The class of a POSIX name; ASCII only.
pub(crate) fn posix_class(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "ascii" => &[('\0', '\x7F')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\x1F'), ('\x7F', '\x7F')],
        "digit" => DIGIT,
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "word" => WORD,
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    })
}

/// The class of a Unicode category or script name.
pub(crate) fn property_class(name: &str) -> Option<ClassUnicode> {
    match name {
        "Any" => Some(to_set([('\0', char::MAX)])),
        // Surrogates are no characters of a text.
        "Cs" => Some(to_set([])),
        "C" => build_table(r"\p{gc=Cc}\p{gc=Cf}\p{gc=Co}"),
        _ if CATEGORIES.split_whitespace().any(|known| known == name) => {
            build_table(&format!(r"\p{{gc={name}}}"))
        }
        _ if SCRIPTS.split_whitespace().any(|known| known == name) => {
            build_table(&format!(r"\p{{sc={name}}}"))
        }
        _ => None,
    }
}

/// Every name that [`property_class`] knows, but those that need no table.
pub(crate) fn property_names() -> impl Iterator<Item = &'static str> {
    CATEGORIES.split_whitespace().chain(SCRIPTS.split_whitespace())
}

/// The characters of a property that Unicode 15 had.
fn build_table(items: &str) -> Option<ClassUnicode> {
    // The characters of an age come from some thirty tables, and there are 190 properties.
    static UNICODE_15: OnceLock<Option<ClassUnicode>> = OnceLock::new();
    let known = UNICODE_15.get_or_init(|| parse_items(r"\p{age=15.0}")).as_ref()?;
    let mut class = parse_items(items)?;
    class.intersect(known);
    Some(class)
}

fn parse_items(items: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::parse(&format!("[{items}]")).ok()?;
    match hir.kind() {
        HirKind::Class(HirClass::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(to_set(text.chars().map(|char| (char, char))))
        }
        _ => None,
    }
}

const CATEGORIES: &str = "Cc Cf Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So \
    Z Zl Zp Zs";

const SCRIPTS: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki \
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee \
    Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan \
    Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi \
    Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited \
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi \
    Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani \
    Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui \
    Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari \
    New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian \
    Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong \
    Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian \
    Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le \
    Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai \
    Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square";
