// Finds a number for which the SHA-256 of `seed:number` begins with so many zero bits.
//
// A SHA-256 of our own: the browser's answers one digest at a time by a promise, which
// takes longer than the digest, and does not exist on plain http. Seed, colon and number
// are at most 49 bytes, so there is one block.

const TRIES_A_MESSAGE = 65_536;

const [K, INITIAL] = constants();
const words = new Uint32Array(64);
const block = new Uint8Array(64);

addEventListener("message", ({ data: { seed, difficulty } }) => {
  for (let i = 0; i < seed.length; i += 1) block[i] = seed.charCodeAt(i);
  block[seed.length] = ":".charCodeAt(0);
  const start = seed.length + 1;
  for (let nonce = 0; ; nonce += 1) {
    if (leadingZeros(start, String(nonce)) >= difficulty) {
      postMessage({ tries: nonce + 1, nonce: String(nonce) });
      return;
    }
    if (nonce % TRIES_A_MESSAGE === 0) postMessage({ tries: nonce });
  }
});

// Zero bits at the beginning of the digest, of its first two words: more is never asked for.
function leadingZeros(start, digits) {
  let length = start;
  for (let i = 0; i < digits.length; i += 1) block[length++] = digits.charCodeAt(i);
  block[length] = 0x80;
  block.fill(0, length + 1, 62);
  block[62] = (length * 8) >> 8;
  block[63] = (length * 8) & 0xff;
  const [first, second] = digest();
  return first === 0 ? 32 + Math.clz32(second) : Math.clz32(first);
}

// The first two words of the SHA-256 of `block`.
function digest() {
  for (let i = 0; i < 16; i += 1) {
    const at = i * 4;
    words[i] = (block[at] << 24) | (block[at + 1] << 16) | (block[at + 2] << 8) | block[at + 3];
  }
  for (let i = 16; i < 64; i += 1) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = INITIAL;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + words[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  return [(INITIAL[0] + a) | 0, (INITIAL[1] + b) | 0];
}

// The first 32 bits of the fractions of the cube roots and the square roots of the primes.
function constants() {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  const fraction = (root) => ((root % 1) * 2 ** 32) | 0;
  return [
    Int32Array.from(primes, (prime) => fraction(prime ** (1 / 3))),
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  ];
}
