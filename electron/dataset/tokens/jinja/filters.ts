import { capitalized, length, type MarkPattern, strip, textMethod } from './text-methods';
import {
  argument,
  bool,
  type CallArguments,
  entriesOf,
  equals,
  float,
  generator,
  int,
  isBool,
  isGenerator,
  isInt,
  isList,
  isMap,
  isMissing,
  isNone,
  isNumber,
  isText,
  isTrue,
  itemsOf,
  list,
  missing,
  numberOf,
  PythonError,
  plainJson,
  str,
  stringOf,
  text,
  toJson,
  tuple,
  typeName,
  UnsupportedConstruct,
  type Value,
} from './values';

/** Filters that are carried out as Jinja2 does; by the library's own way: `byLibrary`. */
const own: Readonly<Record<string, (value: Value, call: CallArguments, marks: MarkPattern) => Value>> = {
  trim: (value, call, marks) => {
    const chars = argument(call, 0, 'chars');
    return text(
      strip(str(value), chars === undefined || isNone(chars) ? null : stringOf(chars), 'both', marks),
    );
  },
  string: (value) => text(str(value)),
  tojson: (value, call) => text(toJson(value, jsonForm(call))),
  length: count,
  count,
  list: (value) => list(itemsIn(value)),
  first: (value) => itemsIn(value)[0] ?? missing(),
  last: (value) => itemsIn(value).at(-1) ?? missing(),
  reverse: (value) =>
    isText(value) ? text([...stringOf(value)].reverse().join('')) : generator([...itemsIn(value)].reverse()),
  upper: (value) => text(str(value).toUpperCase()),
  lower: (value) => text(str(value).toLowerCase()),
  capitalize: (value) => text(capitalized(str(value))),
  safe: (value) => text(str(value)),
  default: fallback,
  d: fallback,
  items: (value) => {
    if (isMissing(value)) return generator([]);
    if (!isMap(value)) throw new PythonError('Can only get item pairs from a mapping.');
    return generator([...entriesOf(value)].map(([key, each]) => tuple([text(key), each])));
  },
  join: (value, call) => {
    if (argument(call, 1, 'attribute') !== undefined) throw new UnsupportedConstruct('join by attribute');
    const between = argument(call, 0, 'd');
    return text(
      itemsIn(value)
        .map(str)
        .join(between === undefined ? '' : str(between)),
    );
  },
  replace: (value, call) => {
    const replace = textMethod('replace', null);
    if (replace === null) throw new UnsupportedConstruct('the filter replace');
    const [from, to, most] = call.args;
    const args = [text(from === undefined ? '' : str(from)), text(to === undefined ? '' : str(to))];
    return replace(str(value), { args: most === undefined ? args : [...args, most], named: call.named });
  },
  abs: (value) => (isInt(value) || isBool(value) ? int : float)(Math.abs(number(value))),
  int: (value, call) => {
    if (isMissing(value)) throw new PythonError('a value of int is undefined');
    if (isInt(value) || isBool(value)) return int(numberOf(value));
    if (isNumber(value)) return int(Math.trunc(numberOf(value)));
    const match = isText(value) ? /^\s*([+-]?\d+)(\.\d*)?\s*$/.exec(stringOf(value)) : null;
    return match === null ? (argument(call, 0, 'default') ?? int(0)) : int(Number(match[1]));
  },
  select: (value, call) => generator(itemsIn(value).filter((each) => passes(each, call.args))),
  reject: (value, call) => generator(itemsIn(value).filter((each) => !passes(each, call.args))),
  selectattr: (value, call) =>
    generator(itemsIn(value).filter((each) => passes(attribute(each, call.args[0]), call.args.slice(1)))),
  rejectattr: (value, call) =>
    generator(itemsIn(value).filter((each) => !passes(attribute(each, call.args[0]), call.args.slice(1)))),
  map: (value, call) => {
    const name = call.named.get('attribute');
    if (name !== undefined) {
      const otherwise = call.named.get('default');
      return generator(
        itemsIn(value).map((each) => {
          const found = attribute(each, name);
          return isMissing(found) ? (otherwise ?? found) : found;
        }),
      );
    }
    const [filter, ...args] = call.args;
    if (filter === undefined || !isText(filter)) throw new UnsupportedConstruct('map without a filter');
    return generator(
      itemsIn(value).map((each) => {
        const mapped = applyFilter(stringOf(filter), each, { args, named: call.named }, null);
        if (mapped === null) throw new UnsupportedConstruct(`map("${stringOf(filter)}")`);
        return mapped;
      }),
    );
  },
  unique: (value) => {
    const seen: Value[] = [];
    const folded = (each: Value) => (isText(each) ? text(stringOf(each).toLowerCase()) : each);
    return generator(
      itemsIn(value).filter((each) => {
        if (seen.some((other) => equals(other, folded(each)))) return false;
        seen.push(folded(each));
        return true;
      }),
    );
  },
};

const byLibrary: ReadonlySet<string> = new Set(['indent', 'sort', 'dictsort', 'float']);

export function isKnownFilter(name: string): boolean {
  return Object.hasOwn(own, name) || byLibrary.has(name);
}

/** @returns null: the library's own way is the same. @throws UnsupportedConstruct for a filter that nobody knows here */
export function applyFilter(
  name: string,
  operand: Value,
  call: CallArguments,
  marks: MarkPattern,
): Value | null {
  const filter = Object.hasOwn(own, name) ? own[name] : undefined;
  if (filter !== undefined) return filter(operand, call, marks);
  if (byLibrary.has(name)) return null;
  throw new UnsupportedConstruct(`the filter ${name}`);
}

function jsonForm(call: CallArguments) {
  const ensureAscii = argument(call, 0, 'ensure_ascii');
  const indent = argument(call, 1, 'indent');
  const separators = argument(call, 2, 'separators');
  const sortKeys = argument(call, 3, 'sort_keys');
  const pair = separators === undefined || isNone(separators) ? null : itemsIn(separators).map(str);
  return {
    ...plainJson,
    ensureAscii: ensureAscii !== undefined && isTrue(ensureAscii),
    indent: indent === undefined || isNone(indent) ? null : number(indent),
    separators: pair === null ? null : ([pair[0] ?? ', ', pair[1] ?? ': '] as const),
    sortKeys: sortKeys !== undefined && isTrue(sortKeys),
  };
}

function count(value: Value): Value {
  if (isText(value)) return int(length(stringOf(value)));
  if (isGenerator(value)) throw new PythonError("object of type 'generator' has no len()");
  if (isList(value)) return int(itemsOf(value).length);
  if (isMap(value)) return int(entriesOf(value).size);
  if (isMissing(value)) return int(0);
  throw new PythonError(`object of type '${typeName(value)}' has no len()`);
}

function fallback(value: Value, call: CallArguments): Value {
  const other = argument(call, 0, 'default_value') ?? text('');
  const alsoFalse = argument(call, 1, 'boolean') ?? bool(false);
  return isMissing(value) || (isTrue(alsoFalse) && !isTrue(value)) ? other : value;
}

function itemsIn(value: Value): Value[] {
  if (isList(value)) return itemsOf(value);
  if (isMap(value)) return [...entriesOf(value).keys()].map(text);
  if (isText(value)) return [...stringOf(value)].map(text);
  if (isMissing(value)) return [];
  throw new PythonError(`'${typeName(value)}' object is not iterable`);
}

function number(value: Value): number {
  if (isNumber(value) || isBool(value)) return numberOf(value);
  throw new PythonError(`must be a number, not ${typeName(value)}`);
}

function attribute(value: Value, name: Value | undefined): Value {
  if (name === undefined) throw new PythonError('an attribute is missing');
  let found: Value = value;
  for (const part of str(name).split('.')) {
    if (isMap(found)) found = entriesOf(found).get(part) ?? missing();
    else if (isList(found) && /^\d+$/.test(part)) found = itemsOf(found)[Number(part)] ?? missing();
    else return missing();
  }
  return found;
}

function passes(value: Value, [test, ...args]: readonly Value[]): boolean {
  if (test === undefined) return isTrue(value);
  const name = str(test);
  const other = args[0] ?? missing();
  switch (name) {
    case 'equalto':
    case 'eq':
    case '==':
      return equals(value, other);
    case 'ne':
    case '!=':
      return !equals(value, other);
    case 'in':
      return itemsIn(other).some((each) => equals(each, value));
    case 'defined':
      return !isMissing(value);
    case 'undefined':
      return isMissing(value);
    case 'none':
      return isNone(value);
    case 'string':
      return isText(value);
    case 'mapping':
      return isMap(value);
    case 'true':
      return isBool(value) && value.value === true;
    case 'false':
      return isBool(value) && value.value === false;
    default:
      throw new UnsupportedConstruct(`the test "${name}" of a filter`);
  }
}
