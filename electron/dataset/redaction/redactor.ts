import { isJson } from '@shared/base/is-json';
import { WaymarkError } from '@shared/contract/errors';
import type { RedactionSettings } from './settings';
import { findingName, TextFinder, type TextHit } from './text-finder';

/** Numbers of placeholders, fixed before the first row is written: by identity, what stands in its place. */
export type Placeholders = ReadonlyMap<string, string>;

export interface Redacted {
  text: string;
  /** What was taken out, in the order of the text. */
  hits: readonly TextHit[];
  /** What a person lets stand. */
  allowed: readonly TextHit[];
}

/** What a placeholder may bring together, and a second look finds; more looks than this find nothing more. */
const LOOKS = 4;
/** Characters of texts whose answer is kept: the same stand in row after row (prompts, tools, carried steps). */
const KEPT = 16 * 1024 * 1024;

/**
 * Takes secrets and names out of texts and puts placeholders in their place, as `<<secret:model_key:1>>` and `<<user:2>>`: the same
 * for the same secret, however it is written. A text without any comes back as it is, and so does one that was redacted before.
 * Time grows with the length of the text and no faster.
 */
export class Redactor {
  private readonly finder: TextFinder;
  private readonly placeholder: (hit: TextHit) => string;
  /** Of texts and of JSON texts. */
  private readonly known = { text: new Map<string, Redacted>(), json: new Map<string, Redacted>() };
  private kept = 0;
  private replaced = 0;
  private isLoose = false;
  private scanned = 0;

  /** `placeholder`: what stands in the place of something; absent: the number that `placeholders` has for it. */
  constructor(
    readonly settings: RedactionSettings,
    placeholders: Placeholders | ((hit: TextHit) => string),
  ) {
    this.finder = new TextFinder(settings);
    this.placeholder =
      typeof placeholders === 'function'
        ? placeholders
        : (hit) => {
            const known = placeholders.get(hit.identity);
            if (known !== undefined) return known;
            if (this.isLoose) return unnumbered(hit);
            throw new WaymarkError(
              'bug',
              `A ${hit.kind} (rule ${hit.rule}, ${findingName(hit)}) was found that the first pass over these rows had not found`,
            );
          };
  }

  /** How much was taken out so far, repeated texts counted each time. */
  get count(): number {
    return this.replaced;
  }

  /** Bytes of UTF-8 that were looked at, repeated texts counted each time. */
  get scannedBytes(): number {
    return this.scanned;
  }

  text(text: string): string {
    return this.redact(text, 'text').text;
  }

  /** `json`: what is valid JSON stays it, as arguments of calls must. */
  redact(text: string, form: 'text' | 'json'): Redacted {
    if (this.settings.level === 'off') return { text, hits: [], allowed: [] };
    const known = this.known[form].get(text);
    const redacted = known ?? (form === 'json' ? this.redactJson(text) : this.redactText(text));
    if (known === undefined) this.keep(text, form, redacted);
    this.replaced += redacted.hits.length;
    this.scanned += Buffer.byteLength(text);
    return redacted;
  }

  /**
   * A record that a target made of redacted rows, or of what it read itself. What was in no row has the number 0, so that the
   * order of records does not matter. Texts that are JSON stay it.
   */
  record<T>(value: T): T {
    if (this.settings.level === 'off') return value;
    const before = this.isLoose;
    this.isLoose = true;
    try {
      return this.valueWithout(value, false, 0) as T;
    } finally {
      this.isLoose = before;
    }
  }

  /** A text beside the data, as a README; what was in no row has the number 0. */
  loose(text: string, form: 'text' | 'json' = 'text'): string {
    const before = this.isLoose;
    this.isLoose = true;
    try {
      return this.redact(text, form).text;
    } finally {
      this.isLoose = before;
    }
  }

  /** Every text of a JSON value, names of fields included; the same value where there is nothing to take out. */
  value<T>(value: T): T {
    return this.valueWithout(value, false, 0) as T;
  }

  /** The text that stands for something found elsewhere. */
  placeholderOf(hit: TextHit): string {
    return this.placeholder(hit);
  }

  private keep(text: string, form: 'text' | 'json', redacted: Redacted): void {
    this.kept += text.length + 64;
    if (this.kept > KEPT) {
      this.known.text.clear();
      this.known.json.clear();
      this.kept = text.length + 64;
    }
    this.known[form].set(text, redacted);
  }

  private redactText(whole: string): Redacted {
    let text = whole;
    const all: TextHit[] = [];
    const allowed: TextHit[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      const hits = this.finder.find(text, look === 0 ? allowed : undefined);
      if (hits.length === 0) break;
      const pieces: string[] = [];
      let from = 0;
      for (const hit of hits) {
        pieces.push(text.slice(from, hit.start), this.placeholder(hit));
        from = hit.end;
        all.push(hit);
      }
      pieces.push(text.slice(from));
      text = pieces.join('');
    }
    return { text, hits: all, allowed };
  }

  private redactJson(text: string): Redacted {
    const plain = this.redactText(text);
    if (plain.hits.length === 0 || !isJson(text) || isJson(plain.text)) return plain;
    // Something lay across the end of a text, or was a number: each text of it by itself.
    const before = [this.replaced, this.scanned] as const;
    const value = JSON.stringify(this.valueWithout(JSON.parse(text), true, 0));
    [this.replaced, this.scanned] = before;
    const again = this.finder.find(value);
    if (again.length === 0) return { ...plain, text: value };
    return { ...plain, text: JSON.stringify({ redacted: plain.text }) };
  }

  private valueWithout(value: unknown, numbers: boolean, depth: number): unknown {
    if (typeof value === 'string') return this.redact(value, /^\s*[[{]/.test(value) ? 'json' : 'text').text;
    if (typeof value === 'number' && numbers) {
      const { text, hits } = this.redact(String(value), 'text');
      return hits.length === 0 ? value : text;
    }
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.valueWithout(item, numbers, depth + 1));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    let changed = false;
    const fields = Object.entries(value).map(([field, item]) => {
      const name = this.redact(field, 'text').text;
      const content = this.valueWithout(item, numbers, depth + 1);
      changed ||= name !== field || content !== item;
      return [name, content] as const;
    });
    return changed ? Object.fromEntries(fields) : value;
  }
}

function unnumbered({ kind, secret }: TextHit): string {
  return secret === null ? `<<${kind}:0>>` : `<<${kind}:${secret}:0>>`;
}

/** Parsers refuse what is nested deeper, and so do trainers. */
const DEEPEST = 500;
