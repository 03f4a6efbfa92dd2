//! What refuses wrong settings of the office, and wrong posters.

/// A constraint or a unique index, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("office_settings_pkey", "insert into office_settings default values"),
    ("office_settings_only_row", "update office_settings set only_row = false"),
    ("office_settings_version_not_negative", "update office_settings set version = -1"),
    ("office_settings_name_length", "update office_settings set name = repeat('a', 61)"),
    ("office_settings_contact_length", "update office_settings set phone = repeat('1', 41)"),
    ("office_settings_colour_form", "update office_settings set colour = 'red'"),
    ("office_settings_texts_length", "update office_settings set imprint = repeat('a', 10001)"),
    (
        "office_settings_logo_version_fkey",
        "update office_settings set logo_version = '0123456789abcdef'",
    ),
    (
        "office_logos_pkey",
        "insert into office_logos select '0123456789abcdef', '', '' from generate_series(1, 2)",
    ),
    ("office_logos_version_form", "insert into office_logos values ('../1', '', '')"),
    (
        "office_logos_bytes",
        "insert into office_logos
         values ('0123456789abcdef', convert_to(repeat('a', 16385), 'UTF8'), '')",
    ),
    (
        "program_posters_pkey",
        "insert into program_posters
         select id, '0123456789abcdef', '', '', '' from programs cross join generate_series(1, 2)",
    ),
    (
        "program_posters_program_id_fkey",
        "insert into program_posters values (gen_random_uuid(), '0123456789abcdef', '', '', '')",
    ),
    (
        "program_posters_version_form",
        "insert into program_posters select id, '../1', '', '', '' from programs",
    ),
    (
        "program_posters_bytes",
        "insert into program_posters
         select id, '0123456789abcdef', '', '', convert_to(repeat('a', 393217), 'UTF8') from programs",
    ),
];
