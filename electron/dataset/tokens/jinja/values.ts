import { Environment, Interpreter } from '@huggingface/jinja';

/** What a template computes with: `@huggingface/jinja`'s own values. */
export type Value = ReturnType<Environment['lookupVariable']>;

/** A template stops where Python would, with Python's reason. */
export class PythonError extends Error {}

/** The template itself refused what it was given, by `raise_exception`. */
export class TemplateRaised extends Error {}

/** Something that the preview cannot carry out as Jinja2 does; named, never guessed. */
export class UnsupportedConstruct extends Error {}

const sample = (value: unknown) => new Environment().set('sample', value);
const constructorOf = (value: unknown) => sample(value).constructor as new (value: unknown) => Value;
const classes = {
  text: constructorOf(''),
  int: constructorOf(0),
  float: constructorOf(0.5),
  bool: constructorOf(true),
  list: constructorOf([]),
  map: constructorOf({}),
  none: constructorOf(null),
  missing: constructorOf(undefined),
  call: constructorOf(() => null),
};
type Args = readonly Value[];

const noNode = { type: 'TupleLiteral', value: [] } as unknown as Parameters<Interpreter['evaluate']>[0];
const tupleClass = new Interpreter().evaluate(noNode, new Environment()).constructor as new (
  value: unknown,
) => Value;

export const text = (value: string): Value => new classes.text(value);
export const int = (value: number): Value => new classes.int(value);
export const float = (value: number): Value => new classes.float(value);
export const bool = (value: boolean): Value => new classes.bool(value);
export const list = (values: readonly Value[]): Value => new classes.list(values);
export const tuple = (values: readonly Value[]): Value => new tupleClass(values);

/** What Python gives as a generator or a view of a dictionary: it can be walked through, but not printed as a list is. */
const walked = new WeakMap<Value, 'generator' | 'dictionary view'>();

/** A generator is true even where it yields nothing, and has neither length nor items. */
export function generator(values: readonly Value[]): Value {
  const made = list(values);
  Object.defineProperty(made, '__bool__', { value: () => bool(true) });
  walked.set(made, 'generator');
  return made;
}

export function dictionaryView(values: readonly Value[]): Value {
  const made = list(values);
  walked.set(made, 'dictionary view');
  return made;
}

export const isGenerator = (value: Value): boolean => walked.get(value) === 'generator';
export const isWalked = (value: Value): boolean => walked.has(value);

export const map = (entries: ReadonlyMap<string, Value>): Value => new classes.map(entries);
export const none = (): Value => new classes.none(null);
export const missing = (): Value => new classes.missing(undefined);
export const callable = (call: (args: Value[], calledIn: Environment) => Value): Value =>
  new classes.call(call);

/** JSON as a template gets it. A number is a float where JSON writes it as one. */
export function fromJson(value: unknown): Value {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return /[.e]/.test(String(value)) ? float(value) : int(value);
  if (typeof value === 'boolean') return bool(value);
  if (value === null) return none();
  if (value === undefined) return missing();
  if (Array.isArray(value)) return list(value.map(fromJson));
  return map(new Map(Object.entries(value).map(([key, each]) => [key, fromJson(each)])));
}

export const isText = (value: Value): boolean => value instanceof classes.text;
export const isBool = (value: Value): boolean => value instanceof classes.bool;
export const isInt = (value: Value): boolean => value instanceof classes.int;
export const isNumber = (value: Value): boolean => isInt(value) || value instanceof classes.float;
export const isNone = (value: Value): boolean => value instanceof classes.none;
export const isMissing = (value: Value): boolean => value instanceof classes.missing;
export const isList = (value: Value): boolean => value instanceof classes.list;
export const isMap = (value: Value): boolean => value instanceof classes.map;
export const isCall = (value: Value): boolean => value instanceof classes.call;
export const isNamespace = (value: Value): boolean => value.type === 'NamespaceValue';
const isTuple = (value: Value): boolean => value.type === 'TupleValue';

export const stringOf = (value: Value): string => value.value as string;
export const numberOf = (value: Value): number => Number(value.value);
export const itemsOf = (value: Value): Value[] => value.value as Value[];
export const entriesOf = (value: Value): Map<string, Value> => value.value as unknown as Map<string, Value>;
export const isTrue = (value: Value): boolean => value.__bool__().value;

/** Python's name of a value's type, for its messages. */
export function typeName(value: Value): string {
  if (isText(value)) return 'str';
  if (isBool(value)) return 'bool';
  if (isInt(value)) return 'int';
  if (isNumber(value)) return 'float';
  if (isNone(value)) return 'NoneType';
  if (isMissing(value)) return 'Undefined';
  if (isTuple(value)) return 'tuple';
  if (isList(value)) return 'list';
  if (isMap(value)) return 'dict';
  return isNamespace(value) ? 'Namespace' : 'function';
}

/** Python's `==`. */
export function equals(a: Value, b: Value): boolean {
  const numeric = (value: Value) => isNumber(value) || isBool(value);
  if (numeric(a) && numeric(b)) return numberOf(a) === numberOf(b);
  if (isText(a) && isText(b)) return a.value === b.value;
  if (isNone(a) || isMissing(a)) return typeName(a) === typeName(b);
  if (isWalked(a) || isWalked(b)) return a === b;
  if (isList(a) && isList(b)) {
    const [left, right] = [itemsOf(a), itemsOf(b)];
    return (
      isTuple(a) === isTuple(b) &&
      left.length === right.length &&
      left.every((each, index) => equals(each, right[index] ?? missing()))
    );
  }
  if (isMap(a) && isMap(b)) {
    const [left, right] = [entriesOf(a), entriesOf(b)];
    return (
      left.size === right.size &&
      [...left].every(([key, each]) => {
        const other = right.get(key);
        return other !== undefined && equals(each, other);
      })
    );
  }
  return a === b;
}

/** Python's `str()`. */
export function str(value: Value): string {
  if (isText(value)) return stringOf(value);
  if (isMissing(value)) return '';
  return repr(value);
}

/** Python's `repr()`. */
function repr(value: Value): string {
  if (isText(value)) return quoted(stringOf(value));
  if (isBool(value)) return value.value ? 'True' : 'False';
  if (isInt(value)) return integer(numberOf(value));
  if (isNumber(value)) return floating(numberOf(value));
  if (isNone(value)) return 'None';
  if (isMissing(value)) return 'Undefined';
  const walks = walked.get(value);
  if (walks !== undefined) throw new UnsupportedConstruct(`printing a ${walks}`);
  if (isTuple(value)) {
    const items = itemsOf(value).map(repr);
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
  }
  if (isList(value)) return `[${itemsOf(value).map(repr).join(', ')}]`;
  if (isMap(value)) {
    const pairs = [...entriesOf(value)].map(([key, each]) => `${quoted(key)}: ${repr(each)}`);
    return `{${pairs.join(', ')}}`;
  }
  throw new UnsupportedConstruct(`printing a ${typeName(value)}`);
}

function quoted(string: string): string {
  const quote = string.includes("'") && !string.includes('"') ? '"' : "'";
  const escaped = string.replace(/[\\'"]|[^\P{C}]|[^\P{Z}]/gu, (char) => {
    if (char === '\\' || char === quote) return `\\${char}`;
    if (char === "'" || char === '"' || char === ' ') return char;
    if (char === '\n') return '\\n';
    if (char === '\r') return '\\r';
    if (char === '\t') return '\\t';
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return `${quote}${escaped}${quote}`;
}

/** As the JSON that a trainer reads writes it: no exponent, which would have made it a float. */
function integer(number: number): string {
  return Math.abs(number) < 1e21 ? String(number) : BigInt(number).toString();
}

/** Python's shortest form of a float: an exponent below 1e-4 and from 1e16 on, of two digits at least. */
function floating(number: number): string {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number < 0 ? '-inf' : 'inf';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return number
      .toExponential()
      .replace(/e([+-])(\d+)$/, (_, sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`);
  }
  const plain = Object.is(number, -0) ? '-0' : String(number);
  return plain.includes('.') ? plain : `${plain}.0`;
}

export interface JsonForm {
  ensureAscii: boolean;
  indent: number | null;
  separators: readonly [string, string] | null;
  sortKeys: boolean;
}

export const plainJson: JsonForm = { ensureAscii: false, indent: null, separators: null, sortKeys: false };

/** Python's `json.dumps`, as transformers' `tojson` calls it. @throws PythonError for what JSON has no form of */
export function toJson(value: Value, form: JsonForm = plainJson, depth = 0): string {
  if (isText(value)) return jsonString(stringOf(value), form);
  if (isBool(value)) return value.value ? 'true' : 'false';
  if (isInt(value)) return integer(numberOf(value));
  if (isNumber(value)) return floating(numberOf(value)).replace('inf', 'Infinity').replace('nan', 'NaN');
  if (isNone(value)) return 'null';
  const [between, colon] = form.separators ?? [form.indent === null ? ', ' : ',', ': '];
  const line = (by: number) => (form.indent === null ? '' : `\n${' '.repeat(form.indent * by)}`);
  const whole = (open: string, parts: string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}${line(depth + 1)}${parts.join(between + line(depth + 1))}${line(depth)}${close}`;
  if (isWalked(value)) throw new PythonError(`Object of type ${walked.get(value)} is not JSON serializable`);
  if (isList(value))
    return whole(
      '[',
      itemsOf(value).map((each) => toJson(each, form, depth + 1)),
      ']',
    );
  if (isMap(value)) {
    const entries = [...entriesOf(value)];
    if (form.sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return whole(
      '{',
      entries.map(([key, each]) => `${jsonString(key, form)}${colon}${toJson(each, form, depth + 1)}`),
      '}',
    );
  }
  throw new PythonError(`Object of type ${typeName(value)} is not JSON serializable`);
}

function jsonString(string: string, { ensureAscii }: JsonForm): string {
  const json = JSON.stringify(string);
  if (!ensureAscii) return json;
  return json.replace(/[\x7f-\uffff]/g, (char) =>
    char === '\x7f' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The arguments of a call: in order, and by name. */
export interface CallArguments {
  args: Args;
  named: ReadonlyMap<string, Value>;
}

/** What a call gave as its argument number `index`, or by this name. */
export function argument({ args, named }: CallArguments, index: number, name: string): Value | undefined {
  return args[index] ?? named.get(name);
}
