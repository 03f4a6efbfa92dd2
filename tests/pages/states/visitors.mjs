// Pages for everybody: the shows, logging in, and what goes wrong.

const DEAD = "0".repeat(43);

function shows() {
  const at = (name, path) => ({ name, path });
  return [
    at("home", "/"),
    at("popular", "/popular?over=week"),
    at("show", "/programs/night-on-the-han"),
    at("show-ko", "/programs/quiet-machines"),
    at("show-coming", "/programs/spring-voices"),
    at("show-sold-out", "/programs/the-last-rehearsal"),
    at("show-cancelled", "/programs/cancelled-opening"),
    at("show-over", "/programs/late-opening"),
    at("show-with-draw", "/programs/drawn-opening"),
    at("draw", "/programs/drawn-opening/draw"),
    at("line-log", "/programs/small-opening/log"),
    at("api", "/api"),
    at("api-group", "/api/wallet"),
  ];
}

function forms({ token, confirmation }) {
  return [
    { name: "login", path: "/login" },
    {
      name: "login-refused",
      path: "/login",
      status: 401,
      send: { email: "mina@stagedoor.example", password: "not the password" },
    },
    { name: "signup", path: "/signup" },
    {
      name: "signup-mistakes",
      path: "/signup",
      status: 422,
      send: { name: "", email: "nobody", password: "short" },
    },
    { name: "password-forgotten", path: "/password/forgotten" },
    {
      name: "password-forgotten-sent",
      path: "/password/forgotten",
      send: { email: "nobody@stagedoor.example" },
    },
    { name: "address-confirmation", path: `/address/confirmation?token=${confirmation}` },
    { name: "password-reset", path: `/password/reset?token=${token}` },
    {
      name: "password-reset-mistakes",
      path: "/password/reset",
      from: "/login",
      status: 422,
      send: { token, password: "short" },
    },
  ];
}

function errors({ mina }) {
  return [
    { name: "error-not-found", path: "/programs/no-such-show", status: 404 },
    { name: "error-forbidden", path: "/admin", person: mina, status: 403 },
    { name: "error-link-dead", path: `/password/reset?token=${DEAD}`, status: 410 },
  ];
}

// The links of mails, which only their readers know.
async function tokens({ admin, visitor }) {
  await visitor.ask("POST", "/password/forgotten", { email: "nora@stagedoor.example" });
  const { mails } = await admin.ask("GET", "/admin/mails");
  const ofKind = async (wanted) => {
    const { id } = mails.find(({ kind }) => kind === wanted);
    const { text } = await admin.ask("GET", `/admin/mails/${id}`);
    return /token=([\w-]+)/.exec(text)[1];
  };
  return { token: await ofKind("reset-password"), confirmation: await ofKind("confirm-address") };
}

/** Pages that need no session. */
export async function visitors(cast) {
  return [...shows(), ...forms(await tokens(cast)), ...errors(cast)];
}
