// The second step of a log-in: setting it up, its recovery codes, and being asked for a code.

import { createHmac } from "node:crypto";
import { PASSWORD, Person } from "../person.mjs";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_MS = 30_000;

// The code that an app shows now (RFC 6238).
function codeOf(secret) {
  const bits = [...secret.replace(/\s/g, "")]
    .map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Pages of somebody at the door who has set it up. */
export async function security({ base, door: staff }) {
  await staff.ask("POST", "/account/confirmation", { password: PASSWORD });
  const { sealed, secret } = await staff.ask("GET", "/account/second-factor");
  await staff.ask("POST", "/account/second-factor", { sealed, code: codeOf(secret) });
  // These are over some minutes later, so they begin right before their photos.
  const half = new Person(base);
  const halfIn = { ready: () => half.logIn("door") };
  let confirmed = null;
  const confirm = () =>
    (confirmed ??= staff.ask("POST", "/account/confirmation/code", {
      password: PASSWORD,
      code: codeOf(secret),
    }));
  const at = (name, person, path, more) => ({ name, person, path, ...more });
  return [
    at("login-code", half, "/login/code", halfIn),
    at("login-code-refused", half, "/login/code", {
      ...halfIn,
      send: { code: "000000" },
      status: 422,
    }),
    at("account-two-step-set", staff, "/account/second-factor"),
    at("account-recovery-codes", staff, "/account/second-factor/recovery-codes", {
      ready: confirm,
      from: "/account/second-factor",
      send: {},
      status: 201,
    }),
    at("account-confirmation-code", staff, "/account/confirmation/code"),
  ];
}
