import type { Format } from './formats';

/** Characters that a beginning is looked up by; none is shorter. */
const KEY = 3;
const SLOTS = 1 << 16;

/** Where formats may begin: one look per character, without regard to case. */
export class Beginnings {
  /** In each slot the formats with a beginning of that hash, in the order of the table. */
  readonly #slots: (readonly Format[] | undefined)[] = new Array(SLOTS);
  readonly #present = new Uint8Array(SLOTS);

  constructor(formats: readonly Format[]) {
    for (const format of formats) {
      for (const begins of format.begins) {
        const slot = slotAt(begins, 0);
        const known = this.#slots[slot] ?? [];
        if (!known.includes(format)) this.#slots[slot] = [...known, format];
        this.#present[slot] = 1;
      }
    }
  }

  /** The next place from `from` on where one may begin; -1: none. */
  next(text: string, from: number): number {
    const present = this.#present;
    const last = text.length - KEY;
    if (from > last) return -1;
    let first = text.charCodeAt(from) | 32;
    let second = text.charCodeAt(from + 1) | 32;
    for (let at = from; at <= last; at += 1) {
      const third = text.charCodeAt(at + 2) | 32;
      if (present[((first * 31 + second) * 31 + third) & (SLOTS - 1)] === 1) return at;
      first = second;
      second = third;
    }
    return -1;
  }

  /** Those that may begin at a place that `next` gave. */
  at(text: string, place: number): readonly Format[] {
    return this.#slots[slotAt(text, place)] ?? [];
  }
}

function slotAt(text: string, at: number): number {
  const first = (text.charCodeAt(at) | 32) * 31 + (text.charCodeAt(at + 1) | 32);
  return (first * 31 + (text.charCodeAt(at + 2) | 32)) & (SLOTS - 1);
}
