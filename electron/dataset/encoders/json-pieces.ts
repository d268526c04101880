import { jsonLine } from '../json-line';

/** What the records of a file have in common. */
export type Shared = 'messages' | 'texts';

/** A shorter text costs less to write again than to look up. */
const LONG = 128;

/**
 * Records as bytes of JSON, the same that `jsonLine` gives, in pieces. Rows share most of their texts: a segment carries steps of the
 * one before, a summary turn holds its whole segment, and variants differ in masks alone. So the bytes of a long text are kept until
 * a record comes that does without it. What stands in a list of a record (messages, tools) may be the same object in several: its
 * pieces are kept as long as it is. Nothing of a record is changed once it was written.
 */
export class JsonPieces {
  private now = new Map<string, Buffer>();
  private before = new Map<string, Buffer>();
  private pieces: Buffer[] = [];
  private text = '';
  private readonly items = new WeakMap<object, readonly Buffer[]>();

  /**
   * @param shared what records have in common: `messages`, objects in their lists, each of which is written in one piece; or `texts`,
   * of messages that are made anew for each record
   */
  constructor(private readonly shared: Shared = 'texts') {}

  /** @param value plain data @param ahead @param behind put before and after it as they are */
  of(value: unknown, ahead = '', behind = ''): Buffer[] {
    this.before = this.now;
    this.now = new Map();
    this.text = ahead;
    if (isObject(value) && !Array.isArray(value)) this.putObject(value, true);
    else this.put(value);
    this.text += behind;
    this.endText();
    const { pieces } = this;
    this.pieces = [];
    return pieces;
  }

  private put(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length < LONG) this.text += jsonLine(value);
      else this.putLong(value);
    } else if (Array.isArray(value)) {
      this.putArray(value, false);
    } else if (isObject(value)) {
      this.putObject(value, false);
    } else {
      this.text += JSON.stringify(value) ?? 'null';
    }
  }

  private putArray(items: readonly unknown[], known: boolean): void {
    this.text += '[';
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      if (index > 0) this.text += ',';
      if (known && isObject(item)) this.putItem(item);
      else this.put(item);
    }
    this.text += ']';
  }

  private putItem(item: object): void {
    this.endText();
    let own = this.items.get(item);
    if (own === undefined) {
      own = this.shared === 'messages' ? [Buffer.from(jsonLine(item))] : this.piecesOf(item);
      this.items.set(item, own);
    }
    for (const piece of own) this.pieces.push(piece);
  }

  private piecesOf(item: object): Buffer[] {
    const from = this.pieces.length;
    this.put(item);
    this.endText();
    return this.pieces.splice(from);
  }

  /** `known`: of the record itself, whose lists may hold what other records hold too. */
  private putObject(fields: object, known: boolean): void {
    let between = '{';
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      this.text += `${between}${JSON.stringify(name)}:`;
      if (known && Array.isArray(value)) this.putArray(value, true);
      else this.put(value);
      between = ',';
    }
    this.text += between === '{' ? '{}' : '}';
  }

  private putLong(text: string): void {
    const bytes = this.now.get(text) ?? this.before.get(text) ?? Buffer.from(jsonLine(text));
    this.now.set(text, bytes);
    this.endText();
    this.pieces.push(bytes);
  }

  private endText(): void {
    if (this.text === '') return;
    this.pieces.push(this.text === ',' ? COMMA : Buffer.from(this.text));
    this.text = '';
  }
}

const COMMA = Buffer.from(',');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
