/** Scheme, host and port of an address: who would get what is sent there. Empty for anything but http and https. */
export function originOf(address: string): string {
  const url = parsed(address);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.origin : '';
}

/** `URL.canParse` is newer than the lowest runtime. */
function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/** A request was about to carry a key to another origin than its own. Nothing was sent. */
export class KeyElsewhere extends Error {
  constructor(
    readonly origin: string,
    readonly asked: string,
  ) {
    super(`The key belongs to ${origin}, and the request goes to ${asked}.`);
    this.name = 'KeyElsewhere';
  }
}

/**
 * A key together with the one origin that the person gave it for. Its text leaves this class in one way only: as the header of a
 * request to that origin (`headerFor`). Nothing prints, stores or copies it; whoever sends anything with a key takes one of these.
 */
export class BoundKey {
  readonly #text: string;

  /** `origin` as `originOf` says it; the empty one is nobody's, and the key goes nowhere. */
  constructor(
    text: string,
    readonly origin: string,
  ) {
    this.#text = text;
  }

  /** The value of `Authorization` for a request to `url`. @throws KeyElsewhere */
  headerFor(url: URL): string {
    if (url.origin !== this.origin) throw new KeyElsewhere(this.origin, url.origin);
    return `Bearer ${this.#text}`;
  }

  same(other: BoundKey | null): boolean {
    return other !== null && other.#text === this.#text && other.origin === this.origin;
  }

  /** Text of a server that may repeat the key. A key of a few characters would be found in ordinary words; no service gives out such. */
  hideIn(text: string): string {
    return this.#text.length < 8 ? text : text.split(this.#text).join('[key]');
  }
}
