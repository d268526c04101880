import { jsonLine } from '../json-line';

/** A shorter text costs less to write again than to look up. */
const LONG = 128;

/**
 * Records as bytes of JSON, the same that `jsonLine` gives, in pieces. Rows share most of their texts: a segment carries steps of the
 * one before, a summary turn holds its whole segment, and variants differ in masks alone. So the bytes of a long text are kept until
 * a record comes that does without it.
 */
export class JsonPieces {
  private now = new Map<string, Buffer>();
  private before = new Map<string, Buffer>();
  private pieces: Buffer[] = [];
  private text = '';

  /** @param value plain data @param ahead @param behind put before and after it as they are */
  of(value: unknown, ahead = '', behind = ''): Buffer[] {
    this.before = this.now;
    this.now = new Map();
    this.text = ahead;
    this.put(value);
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
      this.putArray(value);
    } else if (typeof value === 'object' && value !== null) {
      this.putObject(value);
    } else {
      this.text += JSON.stringify(value) ?? 'null';
    }
  }

  private putArray(items: readonly unknown[]): void {
    this.text += '[';
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) this.text += ',';
      this.put(items[index]);
    }
    this.text += ']';
  }

  private putObject(fields: object): void {
    let between = '{';
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      this.text += `${between}${JSON.stringify(name)}:`;
      this.put(value);
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
    this.pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}
