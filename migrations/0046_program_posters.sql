-- Posters that organisers upload for their programs, as JPEG in the three sizes in which they are shown. Pages
-- keep a file for ever under the version in its address. A row is beside its program and not in it, so that no
-- edit of the program writes the files, and an older instance does not see them.
create table program_posters (
    program_id uuid  not null,
    -- Beginning of the SHA-256 of what was uploaded, in hexadecimal.
    version    text  not null,
    thumbnail  bytea not null,
    small      bytea not null,
    large      bytea not null,

    constraint program_posters_pkey primary key (program_id),
    constraint program_posters_program_id_fkey
        foreign key (program_id) references programs on delete cascade,
    constraint program_posters_version_form check (version ~ '^[0-9a-f]{16}$'),
    constraint program_posters_bytes
        check (length(thumbnail) <= 16384 and length(small) <= 131072 and length(large) <= 393216)
);
