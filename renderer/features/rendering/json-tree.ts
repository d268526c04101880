import { isJson } from '@shared/base/is-json';
import { nestsDeeper } from '@shared/base/json-depth';
import { hasAnsi } from './ansi-lines';

/** JSON as it was written: every literal verbatim, keys in their order, doubled ones kept. Offsets are UTF-16 units. */
export type JsonNode =
  | { kind: 'scalar'; type: 'string' | 'number' | 'word'; raw: string }
  | { kind: 'object'; entries: { key: string; value: JsonNode }[]; size: number }
  | { kind: 'array'; items: JsonNode[]; size: number };

/** What a string literal says when it holds lines or colours, so that it reads as text; null for all other literals. */
export function textOfLiteral({ type, raw }: Extract<JsonNode, { kind: 'scalar' }>): string | null {
  if (type !== 'string' || !/\\(?:[nr]|u00(?:0[ad]|1b|9b))/i.test(raw)) return null;
  const text: unknown = JSON.parse(raw);
  return typeof text === 'string' && (/\n[^\n]/.test(text.trim()) || hasAnsi(text)) ? text : null;
}

/** Longer texts are not taken apart. */
export const MAX_JSON = 2_000_000;
const MAX_DEPTH = 200;

/** Null for what is not JSON, or too long or too deep to be shown as a tree. */
export function parseJson(text: string): JsonNode | null {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return null;
  if (nestsDeeper(text, MAX_DEPTH) || !isJson(text)) return null;
  return new JsonReader(text).read();
}

/** One object or array per line, at least two of them. */
export function parseJsonLines(text: string): JsonNode | null {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return null;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  const items: JsonNode[] = [];
  for (const line of lines) {
    const node = parseJson(line);
    if (node === null) return null;
    items.push(node);
  }
  return { kind: 'array', items, size: text.length };
}

/** Reads a text that is known to be valid. */
class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): JsonNode | null {
    return this.value(0);
  }

  private value(depth: number): JsonNode | null {
    if (depth > MAX_DEPTH) return null;
    this.space();
    const start = this.at;
    const first = this.text[start];
    if (first === '{') {
      const entries: { key: string; value: JsonNode }[] = [];
      return this.list('}', () => {
        const key = this.string();
        this.space();
        this.at += 1;
        const value = this.value(depth + 1);
        if (value !== null) entries.push({ key, value });
        return value !== null;
      })
        ? { kind: 'object', entries, size: this.at - start }
        : null;
    }
    if (first === '[') {
      const items: JsonNode[] = [];
      return this.list(']', () => {
        const value = this.value(depth + 1);
        if (value !== null) items.push(value);
        return value !== null;
      })
        ? { kind: 'array', items, size: this.at - start }
        : null;
    }
    if (first === '"') return { kind: 'scalar', type: 'string', raw: this.string() };
    while (this.at < this.text.length && !',]} \t\r\n'.includes(this.text[this.at] ?? '')) this.at += 1;
    const raw = this.text.slice(start, this.at);
    return { kind: 'scalar', type: /^[-\d]/.test(raw) ? 'number' : 'word', raw };
  }

  /** Members between the bracket at hand and its end; false when one is too deep. */
  private list(end: string, member: () => boolean): boolean {
    this.at += 1;
    this.space();
    while (this.text[this.at] !== end) {
      this.space();
      if (!member()) return false;
      this.space();
      if (this.text[this.at] === ',') this.at += 1;
    }
    this.at += 1;
    return true;
  }

  /** The literal with its quotes. */
  private string(): string {
    const start = this.at;
    this.at += 1;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at += 1;
    return this.text.slice(start, this.at);
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at += 1;
  }
}
