# Stagedoor: one binary, which carries its templates, texts, styles and migrations.

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src

# The crates of others first, with empty ones in place of ours: they change seldom, so
# this layer is built anew only when a Cargo.toml or Cargo.lock does.
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY tests tests
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs $(sed -n 's|^path = "../../\(.*\)"|\1|p' crates/*/Cargo.toml) \
    && cargo build --profile fat --locked --package stagedoor \
    && rm -r src

# What the queries return is in .sqlx: no database is asked.
ENV SQLX_OFFLINE=true
COPY . .
# Cargo goes by times, and a checkout's files may be older than the empty ones. The addresses that
# the loader corrects are packed: 2 MB less, for a C library that is as new as this image's.
RUN touch src/*.rs \
    && cargo rustc --profile fat --locked --package stagedoor --bin stagedoor -- -C link-arg=-Wl,-z,pack-relative-relocs \
    && strip target/fat/stagedoor

# All that the image has: the program, the libraries that it is linked to, the certificates that
# `stagedoor rehearse --target https://…` and the clients of others' servers check against, and a user.
# There is no shell and no package in it that could need an update.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && mkdir -p /image/etc/ssl/certs /image/usr/local/bin \
    && cp target/fat/stagedoor /image/usr/local/bin/ \
    && ldd target/fat/stagedoor | grep -o '/[^ ]*' | xargs cp --dereference --parents --target-directory /image \
    && cp --dereference /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
    && echo 'stagedoor:x:10001:10001::/nonexistent:/nonexistent' > /image/etc/passwd


FROM scratch
COPY --from=build /image /
# By number, so that a platform which demands a user other than root can see it.
USER 10001:10001
# Inside a container, loopback would be reachable by nobody.
ENV LISTEN_ADDR=0.0.0.0:8080 PATH=/usr/local/bin
EXPOSE 8080
# The first minute is for the migrations.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["stagedoor", "healthy"]
ENTRYPOINT ["stagedoor"]
CMD ["serve"]
