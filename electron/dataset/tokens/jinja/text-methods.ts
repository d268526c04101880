import {
  argument,
  bool,
  type CallArguments,
  int,
  isInt,
  isList,
  isNone,
  isText,
  itemsOf,
  list,
  numberOf,
  PythonError,
  stringOf,
  text,
  typeName,
  UnsupportedConstruct,
  type Value,
} from './values';

/** Python's white space (`str.isspace`): with U+001C to U+001F and U+0085, without U+FEFF. */
export const pythonSpace =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const spaces = new RegExp(`[${pythonSpace}]`);
const words = new RegExp(`[^${pythonSpace}]+`, 'g');

/** Splits off marks, which no method may see. Absent: there are none. */
export type MarkPattern = RegExp | null;

/**
 * Python's `strip`, `lstrip` and `rstrip`. Marks count as nothing: what is stripped beside them goes, they stay.
 * @param chars null: white space
 */
export function strip(
  value: string,
  chars: string | null,
  sides: 'both' | 'left' | 'right',
  marks: MarkPattern = null,
): string {
  if (marks !== null && value.search(marks) >= 0) return stripAroundMarks(value, chars, sides, marks);
  const set = chars === null ? null : new Set(chars);
  const goes = (char: string) => (set === null ? spaces.test(char) : set.has(char));
  let [from, to] = [0, value.length];
  if (sides !== 'right') {
    while (from < to) {
      const char = String.fromCodePoint(value.codePointAt(from) ?? 0);
      if (!goes(char)) break;
      from += char.length;
    }
  }
  if (sides !== 'left') {
    while (to > from) {
      const low = value.charCodeAt(to - 1);
      const wide = low >= 0xdc00 && low <= 0xdfff && to - 2 >= from;
      const char = wide ? value.slice(to - 2, to) : value.slice(to - 1, to);
      const taken = [...char].length === 1 ? char : value.slice(to - 1, to);
      if (!goes(taken)) break;
      to -= taken.length;
    }
  }
  return value.slice(from, to);
}

function stripAroundMarks(
  value: string,
  chars: string | null,
  sides: 'both' | 'left' | 'right',
  marks: RegExp,
): string {
  const pieces = value.split(new RegExp(`(${marks.source})`));
  const texts = pieces.filter((_, index) => index % 2 === 0);
  const stripped = [...texts];
  if (sides !== 'right') {
    for (let at = 0; at < stripped.length; at += 1) {
      stripped[at] = strip(stripped[at] ?? '', chars, 'left');
      if (stripped[at] !== '') break;
    }
  }
  if (sides !== 'left') {
    for (let at = stripped.length - 1; at >= 0; at -= 1) {
      stripped[at] = strip(stripped[at] ?? '', chars, 'right');
      if (stripped[at] !== '') break;
    }
  }
  return pieces.map((piece, index) => (index % 2 === 0 ? stripped[index / 2] : piece)).join('');
}

/** In code points, as Python counts. */
export function length(value: string): number {
  let count = value.length;
  for (let at = 0; at < value.length - 1; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = value.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** The first character upper, the others lower. */
export function capitalized(value: string): string {
  const [first = ''] = value;
  return first.toUpperCase() + value.slice(first.length).toLowerCase();
}

/** A method of Python's `str`, or null: it has none of this name here. */
export function textMethod(
  name: string,
  marks: MarkPattern,
): ((self: string, call: CallArguments) => Value) | null {
  switch (name) {
    case 'strip':
      return (self, call) => text(strip(self, charsOf(call), 'both', marks));
    case 'lstrip':
      return (self, call) => text(strip(self, charsOf(call), 'left', marks));
    case 'rstrip':
      return (self, call) => text(strip(self, charsOf(call), 'right', marks));
    case 'split':
      return (self, call) => splitBy(self, call, false);
    case 'rsplit':
      return (self, call) => splitBy(self, call, true);
    case 'splitlines':
      return (self) => list(lines(self).map(text));
    case 'startswith':
      return (self, call) => bool(affixes(call).some((affix) => self.startsWith(affix)));
    case 'endswith':
      return (self, call) => bool(affixes(call).some((affix) => self.endsWith(affix)));
    case 'upper':
      return (self) => text(self.toUpperCase());
    case 'lower':
      return (self) => text(self.toLowerCase());
    case 'capitalize':
      return (self) => text(capitalized(self));
    case 'isdigit':
      return (self) => bool(/^\p{Nd}+$/u.test(self));
    case 'replace':
      return (self, call) => text(replace(self, call));
    case 'removeprefix':
      return (self, call) =>
        text(
          affix(
            call,
            (each) => self.startsWith(each),
            (n) => self.slice(n),
            self,
          ),
        );
    case 'removesuffix':
      return (self, call) =>
        text(
          affix(
            call,
            (each) => self.endsWith(each),
            (n) => self.slice(0, self.length - n),
            self,
          ),
        );
    case 'find':
      return (self, call) => int(pointsBefore(self, self.indexOf(word(call, 0))));
    case 'rfind':
      return (self, call) => int(pointsBefore(self, self.lastIndexOf(word(call, 0))));
    case 'count':
      return (self, call) => int(count(self, word(call, 0)));
    case 'join':
      return (self, { args }) => text(joined(self, args[0]));
    default:
      return null;
  }
}

function charsOf(call: CallArguments): string | null {
  const chars = argument(call, 0, 'chars');
  if (chars === undefined || isNone(chars)) return null;
  if (!isText(chars)) throw new PythonError(`strip arg must be None or str, not ${typeName(chars)}`);
  return stringOf(chars);
}

function word({ args }: CallArguments, index: number): string {
  const value = args[index];
  if (value !== undefined && isText(value)) return stringOf(value);
  throw new PythonError(`must be str, not ${value === undefined ? 'nothing' : typeName(value)}`);
}

function affixes({ args }: CallArguments): string[] {
  const value = args[0];
  const all = value !== undefined && isList(value) ? itemsOf(value) : [value];
  return all.map((each) => {
    if (each !== undefined && isText(each)) return stringOf(each);
    throw new PythonError('first arg must be str or a tuple of str');
  });
}

function affix(
  call: CallArguments,
  has: (affix: string) => boolean,
  cut: (length: number) => string,
  self: string,
): string {
  const wanted = word(call, 0);
  return has(wanted) ? cut(wanted.length) : self;
}

function pointsBefore(self: string, at: number): number {
  return at < 0 ? -1 : length(self.slice(0, at));
}

function count(self: string, part: string): number {
  return part === '' ? length(self) + 1 : self.split(part).length - 1;
}

function joined(between: string, items: Value | undefined): string {
  if (items === undefined || !isList(items)) throw new UnsupportedConstruct('join over what is no list');
  return itemsOf(items)
    .map((each) => {
      if (isText(each)) return stringOf(each);
      throw new PythonError(`sequence item: expected str instance, ${typeName(each)} found`);
    })
    .join(between);
}

function replace(self: string, call: CallArguments): string {
  const [from, to] = [word(call, 0), word(call, 1)];
  const limit = argument(call, 2, 'count');
  const most = limit === undefined || isNone(limit) ? -1 : numberOf(limit);
  if (most < 0)
    return from === '' ? `${to}${[...self].map((char) => char + to).join('')}` : self.split(from).join(to);
  const parts = from === '' ? ['', ...self] : self.split(from);
  return parts.reduce((whole, part, index) => whole + (index <= most ? to : from) + part);
}

function splitBy(self: string, call: CallArguments, fromRight: boolean): Value {
  const separator = argument(call, 0, 'sep');
  const limit = argument(call, 1, 'maxsplit');
  if (limit !== undefined && !isInt(limit)) throw new PythonError('maxsplit must be an integer');
  const most = limit === undefined || numberOf(limit) < 0 ? Number.POSITIVE_INFINITY : numberOf(limit);
  if (separator === undefined || isNone(separator)) {
    if (fromRight && most !== Number.POSITIVE_INFINITY)
      throw new UnsupportedConstruct('rsplit with maxsplit and without a separator');
    return list(spaced(self, most).map(text));
  }
  if (!isText(separator)) throw new PythonError(`must be str or None, not ${typeName(separator)}`);
  const between = stringOf(separator);
  if (between === '') throw new PythonError('empty separator');
  const parts = self.split(between);
  if (parts.length - 1 > most) {
    if (fromRight) parts.splice(0, parts.length - most, parts.slice(0, parts.length - most).join(between));
    else parts.push(parts.splice(most).join(between));
  }
  return list(parts.map(text));
}

function spaced(self: string, most: number): string[] {
  const parts: string[] = [];
  for (const match of self.matchAll(words)) {
    if (parts.length >= most) {
      parts.push(strip(self.slice(match.index), null, 'right'));
      break;
    }
    parts.push(match[0]);
  }
  return parts;
}

function lines(self: string): string[] {
  const parts = self.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  if (parts.at(-1) === '') parts.pop();
  return parts;
}
