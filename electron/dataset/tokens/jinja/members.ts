import { type MarkPattern, textMethod } from './text-methods';
import {
  type CallArguments,
  callable,
  dictionaryView,
  entriesOf,
  int,
  isInt,
  isList,
  isMap,
  isMissing,
  isNamespace,
  isText,
  isWalked,
  itemsOf,
  list,
  missing,
  none,
  numberOf,
  PythonError,
  stringOf,
  text,
  tuple,
  UnsupportedConstruct,
  type Value,
} from './values';

/**
 * What `object.key` (dotted) or `object[key]` is in Jinja2: an attribute first where it is dotted, an item first otherwise, and
 * undefined where there is neither. @throws PythonError for what Jinja2's sandbox forbids
 */
export function memberOf(
  object: Value,
  key: Value,
  { dotted, marks }: { dotted: boolean; marks: MarkPattern },
): Value {
  if (isNamespace(object))
    return isText(key) ? (entriesOf(object).get(stringOf(key)) ?? missing()) : missing();
  if (isInt(key)) return itemAt(object, numberOf(key));
  if (!isText(key)) return missing();
  const name = stringOf(key);
  const method = () => methodOf(object, name, marks);
  if (!isMap(object)) return method() ?? missing();
  const item = entriesOf(object).get(name);
  return (dotted ? (method() ?? item) : (item ?? method())) ?? missing();
}

function itemAt(object: Value, index: number): Value {
  if (isWalked(object)) return missing();
  if (isList(object)) return itemsOf(object).at(index) ?? missing();
  if (!isText(object)) return missing();
  const char = [...stringOf(object)].at(index);
  return char === undefined ? missing() : text(char);
}

function methodOf(object: Value, name: string, marks: MarkPattern): Value | null {
  if (isText(object)) {
    const method = textMethod(name, marks);
    if (method !== null) return callable((given) => method(stringOf(object), split(given)));
    if (unsupportedOfText.has(name)) return unsupported(`str.${name}`);
    return null;
  }
  if (isMap(object)) {
    const entries = entriesOf(object);
    switch (name) {
      case 'items':
        return callable(() => dictionaryView([...entries].map(([key, value]) => tuple([text(key), value]))));
      case 'keys':
        return callable(() => dictionaryView([...entries.keys()].map(text)));
      case 'values':
        return callable(() => dictionaryView([...entries.values()]));
      case 'get':
        return callable((given) => {
          const { args } = split(given);
          const [key, fallback] = args;
          const found = key !== undefined && isText(key) ? entries.get(stringOf(key)) : undefined;
          return found ?? fallback ?? none();
        });
      default:
        if (name === 'copy' || name === 'fromkeys') return unsupported(`dict.${name}`);
        return changing.has(name) ? forbidden('dict', name) : null;
    }
  }
  if (isList(object)) {
    if (name === 'index' || name === 'count' || name === 'copy') return unsupported(`list.${name}`);
    return changing.has(name) ? forbidden('list', name) : null;
  }
  return null;
}

const changing: ReadonlySet<string> = new Set([
  ...['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'],
  ...['popitem', 'setdefault', 'update'],
]);

const unsupportedOfText: ReadonlySet<string> = new Set([
  ...[
    'format',
    'format_map',
    'capitalize',
    'title',
    'swapcase',
    'casefold',
    'center',
    'ljust',
    'rjust',
    'zfill',
  ],
  ...['partition', 'rpartition', 'encode', 'translate', 'expandtabs', 'index', 'rindex', 'isalpha'],
  ...['isalnum', 'isspace', 'isupper', 'islower', 'isnumeric', 'isdecimal', 'istitle', 'isidentifier'],
]);

function unsupported(what: string): Value {
  return callable(() => {
    throw new UnsupportedConstruct(`the method ${what}`);
  });
}

function forbidden(type: string, name: string): Value {
  return callable(() => {
    throw new PythonError(`access to attribute '${name}' of '${type}' object is unsafe.`);
  });
}

/** The library puts what was given by name behind the rest. */
export function split(given: readonly Value[]): CallArguments {
  const last = given.at(-1);
  return last?.type === 'KeywordArgumentsValue'
    ? { args: given.slice(0, -1), named: entriesOf(last) }
    : { args: given, named: new Map() };
}

/** Jinja2's sandbox lets no range be longer. */
const mostRange = 100_000;

/** `range`, as Jinja2's sandbox has it. @throws PythonError beyond 100,000 items */
export function range(given: readonly Value[]): Value {
  const numbers = split(given).args.map((each) => {
    if (isInt(each) || each.value === true || each.value === false) return numberOf(each);
    throw new PythonError(
      `'${isMissing(each) ? 'Undefined' : String(each.type)}' object cannot be interpreted as an integer`,
    );
  });
  const [from, to, by] =
    numbers.length < 2 ? [0, numbers[0] ?? 0, 1] : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 1];
  if (by === 0) throw new PythonError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > mostRange)
    throw new PythonError(`Range too big. The sandbox blocks ranges larger than MAX_RANGE (${mostRange}).`);
  return list(Array.from({ length }, (_, index) => int(from + index * by)));
}
