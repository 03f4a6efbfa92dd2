-- Logo of the office, in the two sizes in which it is shown, as PNG. Pages keep it for ever under the
-- version in its address.
create table office_logos (
    -- Beginning of the SHA-256 of what was uploaded, in hexadecimal.
    version text  not null,
    small   bytea not null,
    large   bytea not null,

    constraint office_logos_pkey primary key (version),
    constraint office_logos_version_form check (version ~ '^[0-9a-f]{16}$'),
    constraint office_logos_bytes check (length(small) <= 16384 and length(large) <= 2097152)
);

-- Settings of the office, which an administrator edits: what it is called, how it looks and what the law
-- asks it to say. Before the first edit all of them are empty, and pages show the program's own name.
create table office_settings (
    only_row     boolean not null default true,
    -- Number of edits.
    version      bigint  not null default 0,
    name         text    not null default '',
    -- For people with questions.
    email        text    not null default '',
    phone        text    not null default '',
    -- Colour of buttons and links, as #rrggbb; empty: the program's own.
    colour       text    not null default '',
    -- Texts in Markdown; without one there is no page.
    imprint      text    not null default '',
    terms        text    not null default '',
    privacy      text    not null default '',
    -- The logo; null: the program's own mark.
    logo_version text,

    constraint office_settings_pkey primary key (only_row),
    constraint office_settings_logo_version_fkey foreign key (logo_version) references office_logos,
    constraint office_settings_only_row check (only_row),
    constraint office_settings_version_not_negative check (version >= 0),
    constraint office_settings_name_length check (length(name) <= 60),
    constraint office_settings_contact_length check (length(email) <= 254 and length(phone) <= 40),
    constraint office_settings_colour_form check (colour ~ '^(#[0-9a-f]{6})?$'),
    constraint office_settings_texts_length
        check (length(imprint) <= 10000 and length(terms) <= 40000 and length(privacy) <= 40000)
);

insert into office_settings default values;
