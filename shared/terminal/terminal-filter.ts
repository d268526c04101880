import { EscapeParser, type EscapeSink, Utf8Stream } from './escape-parser';

// As with TextDecoder: in every runtime, but not among the types shared code may use.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** Sets of DEC private modes the view may switch. Mouse and focus reports are for a human's own terminal only. */
const viewModes = new Set([1, 5, 6, 7, 12, 25, 45, 47, 66, 1047, 1048, 1049, 2004]);
const humanModes = new Set([9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016]);
const csiFinals = new Set('@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu');
const privateFinals = new Set('hlJK');
const escapeFinals = new Set('78=>DEHMc');
const colour = /^(rgba?:[0-9a-f/]{1,24}|#[0-9a-f]{3,12}|[a-z][a-z0-9 ]{0,31})$/i;
const maxTitle = 256;
const maxLink = 2048;
const maxParams = 32;

/**
 * The only way session output reaches a terminal view. The raw bytes stay in the log; this makes a harmless
 * rendition: numbers of control sequences are clamped to four digits (a 13-byte sequence can otherwise
 * freeze xterm.js for half an hour), nothing is let through that makes a terminal reply, touch the clipboard, report
 * or move its window, and links are http(s) only. Sequences on no list are dropped.
 * Chunk boundaries do not change the output.
 */
export class TerminalFilter {
  readonly #utf8 = new Utf8Stream();
  readonly #sink: ViewSink;
  readonly #parser: EscapeParser;

  /** `human`: a terminal a person types into; mouse and focus modes pass. */
  constructor(options: { human?: boolean } = {}) {
    this.#sink = new ViewSink(options.human === true);
    this.#parser = new EscapeParser(this.#sink);
  }

  /** The harmless text for these bytes. An unfinished sequence is held back. */
  push(bytes: Uint8Array): string {
    this.#parser.push(this.#utf8.push(bytes));
    return this.#sink.take();
  }

  /** The same as UTF-8, for a wire that carries bytes. */
  write(bytes: Uint8Array): Uint8Array {
    return new TextEncoder().encode(this.push(bytes));
  }
}

class ViewSink implements EscapeSink {
  readonly #human: boolean;
  #out: string[] = [];

  constructor(human: boolean) {
    this.#human = human;
  }

  take(): string {
    const text = this.#out.join('');
    this.#out = [];
    return text;
  }

  text(run: string): void {
    this.#out.push(run);
  }

  control(code: number): void {
    // BEL BS HT LF VT FF CR. Not ENQ (answers), nor SO and SI (garble everything after a binary).
    if (code >= 0x07 && code <= 0x0d) this.#out.push(String.fromCharCode(code));
  }

  escape(intermediates: string, final: string): void {
    const known =
      intermediates === ''
        ? escapeFinals.has(final)
        : /^[()*+]$/.test(intermediates) && 'AB012'.includes(final);
    if (known) this.#out.push(`\x1b${intermediates}${final}`);
  }

  csi(prefix: string, params: string, intermediates: string, final: string): void {
    if (/[<=>?]/.test(params)) return;
    const numbers = clampNumbers(params);
    if (intermediates !== '') {
      const known = (intermediates === ' ' && final === 'q') || (intermediates === '!' && final === 'p');
      if (known && prefix === '') this.#out.push(`\x1b[${numbers}${intermediates}${final}`);
    } else if (prefix === '') {
      if (csiFinals.has(final)) this.#out.push(`\x1b[${numbers}${final}`);
    } else if (prefix === '?' && privateFinals.has(final)) {
      this.#privateMode(numbers, final);
    }
  }

  #privateMode(numbers: string, final: string): void {
    if (final === 'J' || final === 'K') {
      this.#out.push(`\x1b[?${numbers}${final}`);
      return;
    }
    const allowed = numbers.split(';').filter((mode) => {
      const number = Number(mode);
      return viewModes.has(number) || (this.#human && humanModes.has(number));
    });
    if (allowed.length > 0) this.#out.push(`\x1b[?${allowed.join(';')}${final}`);
  }

  osc(payload: string): void {
    const semicolon = payload.indexOf(';');
    const command = semicolon < 0 ? payload : payload.slice(0, semicolon);
    const rest = semicolon < 0 ? '' : payload.slice(semicolon + 1);
    switch (command) {
      case '0':
      case '1':
      case '2':
        this.#osc(`${command};${plainTitle(rest)}`);
        break;
      case '8':
        this.#osc(`8;${safeLink(rest)}`);
        break;
      case '4':
        if (palettePairs(rest)) this.#osc(payload);
        break;
      case '10':
      case '11':
      case '12':
        if (rest.split(';').every((spec) => colour.test(spec))) this.#osc(payload);
        break;
      case '104':
        if (/^[0-9;]{0,128}$/.test(rest)) this.#osc(payload);
        break;
      case '110':
      case '111':
      case '112':
        this.#osc(command);
        break;
    }
  }

  #osc(payload: string): void {
    this.#out.push(`\x1b]${payload}\x1b\\`);
  }
}

function clampNumbers(params: string): string {
  const clamped = params.replace(/\d{5,}/g, (digits) => String(Math.min(9999, Number(digits))));
  const parts = clamped.split(';');
  return parts.length > maxParams ? parts.slice(0, maxParams).join(';') : clamped;
}

/** Hidden and direction-changing characters could make a title read as something else. */
function plainTitle(text: string): string {
  return text
    .replace(/[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/[\u{e0000}-\u{e007f}]/gu, '')
    .slice(0, maxTitle)
    .replace(/[\ud800-\udbff]$/, '');
}

/** `params;uri` for OSC 8; a refused link becomes the closing form, so that it cannot extend the one before it. */
function safeLink(rest: string): string {
  const semicolon = rest.indexOf(';');
  const uri = semicolon < 0 ? '' : rest.slice(semicolon + 1);
  const id = /(?:^|:)id=([\w.-]{1,64})/.exec(rest.slice(0, Math.max(semicolon, 0)))?.[1];
  const harmless =
    uri.length <= maxLink && /^https?:\/\/[\x21-\x7e\u00a1-\u1fff\u2070-\ud7ff\uf900-\ufdff]+$/i.test(uri);
  return harmless ? `${id === undefined ? '' : `id=${id}`};${uri}` : ';';
}

function palettePairs(rest: string): boolean {
  const parts = rest.split(';');
  if (parts.length % 2 !== 0 || parts.length > 512) return false;
  return parts.every((part, index) =>
    index % 2 === 0 ? /^\d{1,3}$/.test(part) && Number(part) < 256 : colour.test(part),
  );
}
