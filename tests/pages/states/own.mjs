// What somebody has: tickets, points and the account.

import { PASSWORD } from "../person.mjs";

async function tickets({ mina, jun, nora }) {
  const { tickets: all } = await mina.ask("GET", "/tickets");
  const [first, offered, returned] = all.map(({ code }) => code);
  const request_key = () => crypto.randomUUID();
  const { hand_over_id } = await mina.ask("POST", `/tickets/${offered}/hand-overs`, {
    to: "jun@stagedoor.example",
    request_key: request_key(),
  });
  await mina.ask("POST", `/tickets/${returned}/returns`, { request_key: request_key() });
  return [
    { name: "tickets", person: mina, path: "/tickets" },
    { name: "tickets-offered", person: jun, path: "/tickets" },
    { name: "tickets-empty", person: nora, path: "/tickets" },
    { name: "ticket", person: mina, path: `/tickets/${first}` },
    { name: "ticket-handed-over", person: mina, path: `/tickets/${offered}` },
    { name: "ticket-on-sale", person: mina, path: `/tickets/${returned}` },
    { name: "hand-over", person: jun, path: `/hand-overs/${hand_over_id}` },
    { name: "hand-over-own", person: mina, path: `/hand-overs/${hand_over_id}` },
    {
      name: "hand-over-refused",
      person: mina,
      path: `/tickets/${first}/hand-overs`,
      from: `/tickets/${first}`,
      status: 422,
      send: { to: "nobody" },
    },
  ];
}

async function points({ mina, jun, nora }) {
  const send = (amount) =>
    mina.ask("POST", "/wallet/transfers", {
      to: "jun@stagedoor.example",
      amount,
      request_key: crypto.randomUUID(),
    });
  const [open, done] = [await send(1_200), await send(800)];
  await jun.ask("POST", `/wallet/transfers/${done.transfer_id}/acceptance`, {});
  const { transfers } = await mina.ask("GET", "/wallet/transfers?status=PLANNED");
  const of = ({ transfer_id }) => `/wallet/transfers/${transfer_id}`;
  return [
    { name: "wallet", person: mina, path: "/wallet" },
    { name: "wallet-empty", person: nora, path: "/wallet" },
    {
      name: "wallet-charge-mistakes",
      person: mina,
      path: "/wallet/charges",
      from: "/wallet",
      status: 422,
      send: { amount: "-5" },
    },
    {
      name: "wallet-send-mistakes",
      person: mina,
      path: "/wallet/transfers",
      from: "/wallet",
      status: 422,
      send: { to: "nobody", amount: "0" },
    },
    { name: "transfers", person: mina, path: "/wallet/transfers" },
    {
      name: "transfers-mistakes",
      person: mina,
      path: "/wallet/transfers?counterparty=x&status=Q",
      status: 422,
    },
    { name: "transfers-empty", person: nora, path: "/wallet/transfers" },
    { name: "transfer-offered", person: mina, path: of(open) },
    { name: "transfer-received", person: jun, path: of(open) },
    { name: "transfer-accepted", person: mina, path: of(done) },
    { name: "transfer-planned", person: mina, path: of(transfers[0]) },
  ];
}

function account({ mina, nora, ida, admin }) {
  const at = (name, person, path) => ({ name, person, path });
  const mistaken = (name, path, send) => {
    return { name, person: mina, path, from: "/account", status: 422, send };
  };
  return [
    at("account", mina, "/account"),
    mistaken("account-name-mistakes", "/account/name", { name: "" }),
    mistaken("account-password-refused", "/account/password", {
      password: "wrong",
      new_password: "a long new one",
    }),
    at("account-sessions", mina, "/account/sessions"),
    at("account-confirmation", mina, "/account/confirmation"),
    at("account-address", nora, "/account/address/confirmation"),
    at("account-deletion-kept", mina, "/account/deletion"),
    at("account-deletion-waiting", nora, "/account/deletion"),
    at("account-deletion", ida, "/account/deletion"),
    at("account-two-step", admin, "/account/second-factor", {
      ready: () => admin.ask("POST", "/account/confirmation", { password: PASSWORD }),
    }),
  ];
}

/** Pages of somebody's own things. */
export async function own(cast) {
  return [...(await tickets(cast)), ...(await points(cast)), ...account(cast)];
}
