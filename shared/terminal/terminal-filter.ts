import { EscapeParser, type EscapeSink, Utf8Stream } from './escape-parser';

// As with TextDecoder: in every runtime, but not among the types shared code may use.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** Sets of DEC private modes the view may switch. Mouse and focus reports are for a human's own terminal only. */
const viewModes = new Set([1, 5, 6, 7, 12, 25, 45, 47, 66, 1047, 1048, 1049, 2004]);
/** They change the whole screen. */
const screenModes = new Set([5, 47, 1047, 1048, 1049]);
const humanModes = new Set([9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016]);
const csiFinals = new Set('@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu');
const privateFinals = new Set('hlJK');
const escapeFinals = new Set('78=>DEHMc');
const colour = /^(rgba?:[0-9a-f/]{1,24}|#[0-9a-f]{3,12}|[a-z][a-z0-9 ]{0,31})$/i;
const maxLink = 2048;
const maxParams = 32;
/** Questions of one `push` that may reach a terminal that answers: a file full of them must not type for minutes. */
const maxQuestions = 8;
/** Combining marks on one character; the rest would cost the window's text layout more than anybody can read. */
const maxMarks = 16;
/**
 * What the costly sequences of one `push` may cost xterm.js, in tenths of a microsecond as measured: 30 ms. A screen that
 * programs draw uses a few hundredths of it; what goes beyond is cut down or dropped.
 */
const workOfPush = 300_000;
/** Cost per line or cell of a sequence's number. */
const workPerCount: Readonly<Record<string, number>> = { L: 40, M: 40, S: 40, T: 40, b: 2, I: 1, Z: 1 };
/** More lines than any screen has change no more than these; xterm.js would go through every one of them. */
const mostLines = 1_000;
const lineFinals = new Set('LMST');
const workOnce = { erase: 500, screen: 1_000, reset: 2_500, colours: 20_000 } as const;

export interface FilterOptions {
  /** A terminal a person types into: mouse and focus modes pass. */
  human?: boolean;
  /**
   * Questions about terminal and cursor pass, whose answers are fixed texts (device attributes, status, cursor
   * position). For what a person's own terminal prints now, never for what it printed before it was looked at.
   */
  questions?: boolean;
  /** For tests that compare where chunks are cut: no limit on what one push costs. */
  unlimited?: boolean;
}

/**
 * The only way session output reaches a terminal view. The raw bytes stay in the log; this makes a harmless
 * rendition: numbers of control sequences are clamped to four digits (a 13-byte sequence can otherwise
 * freeze xterm.js for half an hour), nothing is let through that makes a terminal reply, touch the clipboard or a title,
 * ring, report or move its window, and links are http(s) only. Sequences on no list are dropped.
 * Chunk boundaries do not change the output of ordinary programs; how much of a bomb passes is counted per push.
 */
export class TerminalFilter {
  private readonly utf8 = new Utf8Stream();
  private readonly sink: ViewSink;
  private readonly parser: EscapeParser;

  constructor(options: FilterOptions = {}) {
    this.sink = new ViewSink(options.human === true, options.unlimited === true);
    this.sink.questions = options.questions === true;
    this.parser = new EscapeParser(this.sink);
  }

  /** From here on questions pass, or do not. */
  set questions(pass: boolean) {
    this.sink.questions = pass;
  }

  /** The harmless text for these bytes. An unfinished sequence is held back. */
  push(bytes: Uint8Array): string {
    this.parser.push(this.utf8.push(bytes));
    return this.sink.take();
  }

  /** The same as UTF-8, for a wire that carries bytes. */
  write(bytes: Uint8Array): Uint8Array {
    return new TextEncoder().encode(this.push(bytes));
  }
}

class ViewSink implements EscapeSink {
  questions = false;
  private readonly human: boolean;
  private readonly limit: number;
  private out: string[] = [];
  private asked = 0;
  private work = 0;
  /** Marks in a row up to now, across pieces of text. */
  private marks = 0;

  constructor(human: boolean, unlimited: boolean) {
    this.human = human;
    this.limit = unlimited ? Number.POSITIVE_INFINITY : workOfPush;
  }

  take(): string {
    const text = this.out.join('');
    this.out = [];
    this.asked = 0;
    this.work = 0;
    return text;
  }

  text(run: string): void {
    if (/\p{M}/u.test(run)) this.out.push(this.fewMarks(run));
    else {
      this.marks = 0;
      this.out.push(run);
    }
  }

  private fewMarks(run: string): string {
    let kept = '';
    for (const character of run) {
      this.marks = /\p{M}/u.test(character) ? this.marks + 1 : 0;
      if (this.marks <= maxMarks) kept += character;
    }
    return kept;
  }

  /** Takes `cost` from what this push may spend; false when it is spent. */
  private afford(cost: number): boolean {
    if (this.work + cost > this.limit) return false;
    this.work += cost;
    return true;
  }

  control(code: number): void {
    // BS HT LF VT FF CR. Not ENQ (answers), BEL, nor SO and SI (garble everything after a binary).
    if (code >= 0x08 && code <= 0x0d) this.out.push(String.fromCharCode(code));
  }

  escape(intermediates: string, final: string): void {
    const known =
      intermediates === ''
        ? escapeFinals.has(final) && (final !== 'c' || this.afford(workOnce.reset))
        : /^[()*+]$/.test(intermediates) && 'AB012'.includes(final);
    if (known) this.out.push(`\x1b${intermediates}${final}`);
  }

  csi(prefix: string, params: string, intermediates: string, final: string): void {
    if (/[<=>?]/.test(params)) return;
    if (this.questions && intermediates === '' && isQuestion(prefix, params, final)) {
      this.asked += 1;
      if (this.asked <= maxQuestions) this.out.push(`\x1b[${prefix}${params}${final}`);
      return;
    }
    const numbers = clampNumbers(params);
    if (intermediates !== '') {
      const known = (intermediates === ' ' && final === 'q') || (intermediates === '!' && final === 'p');
      if (known && prefix === '') this.out.push(`\x1b[${numbers}${intermediates}${final}`);
    } else if (prefix === '') {
      if (csiFinals.has(final)) this.plainCsi(numbers, final);
    } else if (prefix === '?' && privateFinals.has(final)) {
      this.privateMode(numbers, final);
    }
  }

  private plainCsi(numbers: string, final: string): void {
    const each = workPerCount[final];
    if (each !== undefined) {
      const asked = Number.parseInt(numbers, 10) || 1;
      const count = lineFinals.has(final) ? Math.min(asked, mostLines) : asked;
      const allowed = Math.min(count, Math.floor((this.limit - this.work) / each));
      if (allowed < 1) return;
      this.work += allowed * each;
      this.out.push(`\x1b[${allowed < asked ? allowed : numbers}${final}`);
    } else if (final !== 'J' || this.afford(workOnce.erase)) this.out.push(`\x1b[${numbers}${final}`);
  }

  private privateMode(numbers: string, final: string): void {
    if (final === 'J' || final === 'K') {
      if (final === 'K' || this.afford(workOnce.erase)) this.out.push(`\x1b[?${numbers}${final}`);
      return;
    }
    const allowed = numbers.split(';').filter((mode) => {
      const number = Number(mode);
      return viewModes.has(number) || (this.human && humanModes.has(number));
    });
    const screens = allowed.filter((mode) => screenModes.has(Number(mode))).length;
    if (allowed.length > 0 && this.afford(screens * workOnce.screen))
      this.out.push(`\x1b[?${allowed.join(';')}${final}`);
  }

  osc(payload: string): void {
    const semicolon = payload.indexOf(';');
    const command = semicolon < 0 ? payload : payload.slice(0, semicolon);
    const rest = semicolon < 0 ? '' : payload.slice(semicolon + 1);
    switch (command) {
      case '8':
        this.writeOsc(`8;${safeLink(rest)}`);
        break;
      case '4':
        if (palettePairs(rest)) this.colours(payload);
        break;
      case '10':
      case '11':
      case '12':
        if (rest.split(';').every((spec) => colour.test(spec))) this.colours(payload);
        break;
      case '104':
        if (/^[0-9;]{0,128}$/.test(rest)) this.colours(payload);
        break;
      case '110':
      case '111':
      case '112':
        this.colours(command);
        break;
    }
  }

  private colours(payload: string): void {
    if (this.afford(workOnce.colours)) this.writeOsc(payload);
  }

  private writeOsc(payload: string): void {
    this.out.push(`\x1b]${payload}\x1b\\`);
  }
}

function clampNumbers(params: string): string {
  // Too short for either limit, as nearly all are.
  if (params.length < 5) return params;
  const clamped = params.replace(/\d{5,}/g, (digits) => String(Math.min(9999, Number(digits))));
  const parts = clamped.split(';');
  return parts.length > maxParams ? parts.slice(0, maxParams).join(';') : clamped;
}

/** Device attributes, device status and cursor position. */
function isQuestion(prefix: string, params: string, final: string): boolean {
  if (final === 'c') return (prefix === '' || prefix === '>') && /^0?$/.test(params);
  if (final === 'n') return (prefix === '' && /^[56]$/.test(params)) || (prefix === '?' && params === '6');
  return false;
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
