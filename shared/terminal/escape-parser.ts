/**
 * Cuts terminal output into text and control functions, in streaming fashion: where one chunk ends and the next
 * begins never changes what the sink is told, except that a run of text may arrive in several pieces.
 *
 * The states follow ECMA-48 as xterm.js implements them: CAN and SUB abort, ESC restarts, C1 characters count,
 * control characters inside a control sequence take effect at once.
 */
export interface EscapeSink {
  /** Printable characters only. */
  text(run: string): void;
  /** A C0 control character other than ESC, CAN and SUB. */
  control(code: number): void;
  /** `ESC`, intermediates, final. C1 characters arrive here as their two-character form. */
  escape(intermediates: string, final: string): void;
  /** `params` holds digits, `;`, `:` and stray private characters; `prefix` one of `<=>?` or nothing. */
  csi(prefix: string, params: string, intermediates: string, final: string): void;
  /** An operating system command without its terminator and without control characters. */
  osc(payload: string): void;
}

/** Characters of one string sequence (OSC, DCS, APC, PM, SOS) before the parser gives up on it and shows what follows. */
export const stringPayloadLimit = 64 * 1024;
const csiLimit = 256;
const escapeLimit = 8;

type State = 'ground' | 'escape' | 'csi' | 'csi-ignore' | 'osc' | 'string';

// TextDecoder exists in every runtime we have, but neither the DOM's nor Node's types may be used in shared code.
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean },
) => { decode(input?: Uint8Array, options?: { stream: boolean }): string };

/** Streaming UTF-8 to text; invalid bytes become U+FFFD, characters split between chunks are kept whole. */
export class Utf8Stream {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  push(bytes: Uint8Array): string {
    return this.decoder.decode(bytes, { stream: true });
  }

  /** What an unfinished last character decodes to. */
  end(): string {
    return this.decoder.decode();
  }
}

const printable = /[^\x00-\x1f\x7f-\x9f]+/y;
/** A control sequence in one piece, as nearly all are; anything else goes character by character. */
const wholeCsi = /\x1b\[([<=>?]?)([0-9:;<=>?]{0,64})([ -/]{0,4})([@-~])/y;
const stringEnd = /[\x00-\x1f\x7f-\x9f]/g;

export class EscapeParser {
  private readonly sink: EscapeSink;
  private state: State = 'ground';
  private collected = '';
  private payload: string[] = [];
  private payloadLength = 0;

  constructor(sink: EscapeSink) {
    this.sink = sink;
  }

  /** True when no sequence is half read. */
  get atGround(): boolean {
    return this.state === 'ground';
  }

  push(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (this.state === 'ground') {
        printable.lastIndex = at;
        const run = printable.exec(text)?.[0];
        if (run !== undefined) {
          this.sink.text(run);
          at += run.length;
          continue;
        }
        wholeCsi.lastIndex = at;
        const csi = wholeCsi.exec(text);
        if (csi !== null) {
          this.sink.csi(csi[1] ?? '', csi[2] ?? '', csi[3] ?? '', csi[4] ?? '');
          at = wholeCsi.lastIndex;
          continue;
        }
        this.anywhere(text.charCodeAt(at));
        at += 1;
      } else if (this.state === 'osc' || this.state === 'string') {
        at = this.inString(text, at);
      } else {
        const code = text.charCodeAt(at);
        at += 1;
        if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) this.anywhere(code);
        else if (this.state === 'escape') this.inEscape(code);
        else this.inCsi(code);
      }
    }
  }

  /** Control characters mean the same in every state but inside strings. */
  private anywhere(code: number): void {
    if (code === 0x1b) this.enter('escape');
    else if (code === 0x18 || code === 0x1a) this.enter('ground');
    else if (code < 0x20) this.sink.control(code);
    else if (code >= 0x80) this.c1(code);
  }

  private c1(code: number): void {
    this.enter('escape');
    this.inEscape(code - 0x40);
  }

  private enter(state: State): void {
    this.state = state;
    this.collected = '';
    this.payload = [];
    this.payloadLength = 0;
  }

  private inEscape(code: number): void {
    const character = String.fromCharCode(code);
    if (code < 0x30) {
      if (this.collected.length < escapeLimit) this.collected += character;
      return;
    }
    const intermediates = this.collected;
    if (code >= 0xa0) {
      this.enter('ground');
      this.sink.text(character);
    } else if (intermediates === '' && character === '[') this.enter('csi');
    else if (intermediates === '' && character === ']') this.enter('osc');
    // DCS, SOS, PM, APC, and the title string of screen
    else if (intermediates === '' && 'PX^_k'.includes(character)) this.enter('string');
    else {
      this.enter('ground');
      if (intermediates.length < escapeLimit && character !== '\\')
        this.sink.escape(intermediates, character);
    }
  }

  private inCsi(code: number): void {
    if (code >= 0xa0) {
      this.enter('ground');
      this.sink.text(String.fromCharCode(code));
      return;
    }
    if (code < 0x40) {
      if (this.collected.length >= csiLimit) this.state = 'csi-ignore';
      else this.collected += String.fromCharCode(code);
      return;
    }
    const ignored = this.state === 'csi-ignore';
    const parts = /^([<=>?]?)([0-9:;<=>?]*)([ -/]*)$/.exec(this.collected);
    this.enter('ground');
    if (!ignored && parts) {
      this.sink.csi(parts[1] ?? '', parts[2] ?? '', parts[3] ?? '', String.fromCharCode(code));
    }
  }

  /** Takes payload up to the next control character; returns where to go on. */
  private inString(text: string, from: number): number {
    stringEnd.lastIndex = from;
    const stop = stringEnd.exec(text)?.index ?? text.length;
    const room = stringPayloadLimit - this.payloadLength;
    if (stop - from > room) {
      // Never closed, or a bomb: forget it and show what follows.
      this.enter('ground');
      return from + room;
    }
    if (this.state === 'osc' && stop > from) this.payload.push(text.slice(from, stop));
    this.payloadLength += stop - from;
    if (stop === text.length) return stop;
    const code = text.charCodeAt(stop);
    if (code === 0x18 || code === 0x1a) this.enter('ground');
    else if (code === 0x1b || code === 0x9c || (code === 0x07 && this.state === 'osc')) {
      const payload = this.state === 'osc' ? this.payload.join('') : undefined;
      this.enter(code === 0x1b ? 'escape' : 'ground');
      if (payload !== undefined) this.sink.osc(payload);
    } else {
      // Ignored, but counted, so that a stream of them cannot hold the parser for ever.
      this.payloadLength += 1;
      if (this.payloadLength > stringPayloadLimit) this.enter('ground');
    }
    return stop + 1;
  }
}
