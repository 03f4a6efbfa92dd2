// Somebody with a session, who sends what programs send, and each answer's deadline.

/** Password of every demo account. */
export const PASSWORD = "open sesame door";

/** Whoever asks, with the cookies that the answers set. */
export class Person {
  constructor(base) {
    this.base = base;
    this.cookies = new Map();
  }

  get cookie() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  // Refusals with a status in `borne` are `null`.
  async ask(method, path, fields, borne = []) {
    const headers = { Accept: "application/json", Cookie: this.cookie };
    if (fields) headers["Content-Type"] = "application/json";
    const body = fields && JSON.stringify(fields);
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(this.base + path, { method, headers, body, signal });
    for (const header of answer.headers.getSetCookie()) {
      const [name, value] = header.split(";")[0].split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    const text = await answer.text();
    if (borne.includes(answer.status)) return null;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  async logIn(name) {
    await this.ask("POST", "/login", { email: `${name}@stagedoor.example`, password: PASSWORD });
    return this;
  }
}

/** Asks for the place in a show's line until it is one's turn. */
export async function untilAdmitted(person, slug) {
  const TRIES_MAX = 100;
  for (let n = 0; n < TRIES_MAX; n += 1) {
    const { entry_url } = await person.ask("GET", `/programs/${slug}/queue`);
    if (entry_url) return;
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  throw new Error(`nobody was let in to ${slug}`);
}
