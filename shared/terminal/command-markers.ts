/**
 * The marks a session's shell leaves in its output (`resources/sessions/session.bash`):
 * `ESC ] 7717 ; NONCE ; KIND ; SEQ ; DATA BEL`. Raw bytes keep them; text for people and models never shows them.
 */
export interface Marker {
  kind: 'A' | 'B' | 'C' | 'D';
  seq: number;
  /** What follows the sequence number, cut at semicolons. */
  fields: string[];
  /** Offsets of the marker's first byte and of the byte after it. */
  start: number;
  end: number;
}

const maxMarker = 200;
const escapeByte = 0x1b;
const bellByte = 0x07;

/** Finds markers with the right nonce in bytes that arrive in order. */
export class MarkerScanner {
  private readonly prefix: Uint8Array;
  /** Bytes of a marker that is not complete yet. */
  private held: Uint8Array = new Uint8Array(0);
  private readTo = 0;

  constructor(nonce: string) {
    this.prefix = Uint8Array.from(`\x1b]7717;${nonce};`, (character) => character.charCodeAt(0));
  }

  /** Bytes seen so far. */
  get offset(): number {
    return this.readTo;
  }

  /** The next bytes of the log. */
  push(bytes: Uint8Array): Marker[] {
    const base = this.readTo - this.held.length;
    const data = this.held.length === 0 ? bytes : joined(this.held, bytes);
    this.readTo += bytes.length;
    this.held = new Uint8Array(0);
    const markers: Marker[] = [];
    let at = data.indexOf(escapeByte);
    while (at >= 0) {
      const found = this.at(data, at);
      if (found === 'incomplete') {
        this.held = data.slice(at);
        break;
      }
      if (found) markers.push({ ...found, start: base + at, end: base + found.end });
      at = data.indexOf(escapeByte, found ? found.end : at + 1);
    }
    return markers;
  }

  private at(data: Uint8Array, at: number): Marker | 'incomplete' | undefined {
    for (let i = 0; i < this.prefix.length; i += 1) {
      if (at + i === data.length) return 'incomplete';
      if (data[at + i] !== this.prefix[i]) return undefined;
    }
    let end = at + this.prefix.length;
    let text = '';
    for (; end - at < maxMarker; end += 1) {
      const byte = data[end];
      if (byte === undefined) return 'incomplete';
      if (byte === bellByte) break;
      if (byte < 0x20 || byte > 0x7e) return undefined;
      text += String.fromCharCode(byte);
    }
    const match = /^([ABCD]);(\d{1,15})(?:;(.*))?$/.exec(text);
    if (!match || data[end] !== bellByte) return undefined;
    const kind = match[1] as Marker['kind'];
    return { kind, seq: Number(match[2]), fields: match[3]?.split(';') ?? [], start: at, end: end + 1 };
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const data = new Uint8Array(first.length + second.length);
  data.set(first);
  data.set(second, first.length);
  return data;
}

/** A command sent by the application. Stamps: host clock, ms since 1970. */
export interface IndexedCommand {
  commandSeq: number;
  startOffset: number;
  startedAt: number;
  /** Absent while it runs. */
  endOffset: number | undefined;
  endedAt: number | undefined;
  /** `null`: it ended without telling how. */
  exitCode: number | null | undefined;
}

/**
 * Follows what a session's shell does. Accepts only the next expected (kind, sequence number): old markers that a
 * command prints again (`cat` of the log) change nothing. A program that deliberately forges the next marker is not stopped.
 */
export class CommandIndex {
  private readonly bySeq = new Map<number, IndexedCommand>();
  private seq = 0;
  private phase: 'starting' | 'prompt' | 'line' | 'command' | 'done' = 'starting';
  private lineStartedAt: number | undefined;
  private current: IndexedCommand | undefined;
  private lastSeq = 0;

  /** True between a prompt marker and the next line. */
  get atPrompt(): boolean {
    return this.phase === 'prompt';
  }

  /** True until the shell showed its first prompt. */
  get starting(): boolean {
    return this.phase === 'starting';
  }

  /** True between the end of a line and the next prompt. */
  get ending(): boolean {
    return this.phase === 'done';
  }

  /** The line that runs now. `commandSeq` is undefined for one that was typed. */
  get running(): { commandSeq: number | undefined; startedAt: number | undefined } | undefined {
    if (this.phase !== 'line' && this.phase !== 'command') return undefined;
    return {
      commandSeq: this.current?.commandSeq,
      startedAt: this.current?.startedAt ?? this.lineStartedAt,
    };
  }

  /** The highest number of a command that has begun. */
  get lastCommand(): number {
    return this.lastSeq;
  }

  command(commandSeq: number): IndexedCommand | undefined {
    return this.bySeq.get(commandSeq);
  }

  commands(): IndexedCommand[] {
    return [...this.bySeq.values()];
  }

  /** Returns whether the marker was the expected one. */
  accept(marker: Marker): boolean {
    switch (marker.kind) {
      case 'C':
        if (marker.seq !== this.seq + 1) return false;
        this.openLine(marker);
        return true;
      case 'B':
        return this.begin(marker);
      case 'D':
        if (marker.seq !== this.seq || !this.running) return false;
        this.closeCommand(marker.start, stamp(marker.fields[0]), exitCode(marker.fields[1]));
        this.phase = 'done';
        return true;
      case 'A':
        if (marker.seq !== this.seq || (this.phase !== 'done' && this.phase !== 'starting')) return false;
        this.phase = 'prompt';
        return true;
    }
  }

  private openLine(marker: Marker): void {
    // A line without an end (something replaced the shell's prompt command): closed by the next one.
    this.closeCommand(marker.start, undefined, null);
    this.seq = marker.seq;
    this.phase = 'line';
    this.lineStartedAt = stamp(marker.fields[0]);
  }

  private begin(marker: Marker): boolean {
    const commandSeq = Number(marker.fields[1]);
    if (!Number.isSafeInteger(commandSeq) || commandSeq <= this.lastSeq) return false;
    // Shells without PS0 do not announce the line first.
    if (marker.seq === this.seq + 1) this.openLine(marker);
    if (marker.seq !== this.seq || this.phase !== 'line') return false;
    this.phase = 'command';
    this.lastSeq = commandSeq;
    this.current = {
      commandSeq,
      startOffset: marker.end,
      startedAt: stamp(marker.fields[0]) ?? 0,
      endOffset: undefined,
      endedAt: undefined,
      exitCode: undefined,
    };
    this.bySeq.set(commandSeq, this.current);
    return true;
  }

  private closeCommand(endOffset: number, endedAt: number | undefined, code: number | null): void {
    if (this.current) {
      this.current.endOffset = endOffset;
      this.current.endedAt = endedAt;
      this.current.exitCode = code;
    }
    this.current = undefined;
  }
}

/** Seconds with a fraction, whose point is a comma in some locales, to milliseconds. */
function stamp(text: string | undefined): number | undefined {
  const seconds = Number(text?.replace(',', '.'));
  return text && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function exitCode(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : null;
}
