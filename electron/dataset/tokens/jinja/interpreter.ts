import { Environment, Interpreter } from '@huggingface/jinja';
import { applyFilter } from './filters';
import type { Marks } from './marks';
import { memberOf } from './members';
import { type Node, nodes } from './nodes';
import {
  bool,
  type CallArguments,
  callable,
  entriesOf,
  equals,
  float,
  int,
  isBool,
  isCall,
  isInt,
  isList,
  isMap,
  isMissing,
  isNone,
  isNumber,
  isText,
  isTrue,
  isWalked,
  itemsOf,
  list,
  map,
  missing,
  none,
  numberOf,
  PythonError,
  str,
  stringOf,
  text,
  typeName,
  UnsupportedConstruct,
  type Value,
} from './values';

type Statement = Parameters<Interpreter['evaluate']>[0];

/** `{% break %}` or `{% continue %}` on its way to the loop, with what the lap had printed. */
class LoopExit extends Error {
  printed = '';

  constructor(readonly leaves: boolean) {
    super('A loop was left outside of one.');
  }
}

/**
 * Carries a syntax tree out as Jinja2 does where `@huggingface/jinja` does not: Python's strings, comparisons and printing,
 * loops with a scope for each lap and `break` that keeps what was printed. It writes marks at laps over messages and around
 * `{% generation %}`.
 */
export class PythonInterpreter extends Interpreter {
  private loops = 0;

  /** @param marks null: the text as it is */
  constructor(
    environment: Environment,
    private readonly marks: Marks | null,
  ) {
    super(environment);
  }

  override evaluate(statement: Statement, environment: Environment): Value {
    if (statement === undefined || statement === null) return missing();
    const node = statement as unknown as Node;
    switch (node.type) {
      case 'Program':
        return text(this.block(nodes(node.body), environment));
      case 'If':
        return text(
          this.block(
            nodes(isTrue(this.value(node.test, environment)) ? node.body : node.alternate),
            environment,
          ),
        );
      case 'For':
        return text(this.for(node, environment));
      case 'Output':
        return text(str(this.value(node.expression, environment)));
      case 'Generation':
        return text(this.marks?.generation(node.begins as boolean) ?? '');
      case 'Macro':
        return this.macro(node, environment);
      case 'Break':
        throw new LoopExit(true);
      case 'Continue':
        throw new LoopExit(false);
      case 'Evaluated':
        return node.value as Value;
      case 'Identifier':
        return lookUp(node.value as string, environment);
      case 'MemberExpression':
        return this.member(node, environment);
      case 'CallExpression':
        return this.call(node, environment);
      case 'FilterExpression':
        return this.filter(this.value(node.operand, environment), node.filter as Node, environment);
      case 'FilterStatement':
        return this.filter(text(this.block(nodes(node.body), environment)), node.filter as Node, environment);
      case 'TestExpression':
        return this.test(node, environment);
      case 'BinaryExpression':
        return this.binary(node, environment);
      default:
        return super.evaluate(statement, environment);
    }
  }

  private value(node: unknown, environment: Environment): Value {
    return this.evaluate(node as Statement, environment);
  }

  /** The library's own way, for values that are known already. */
  private plain(node: object, environment: Environment): Value {
    return super.evaluate(node as Statement, environment);
  }

  private block(statements: readonly Node[], environment: Environment): string {
    let printed = '';
    try {
      for (const statement of statements) {
        const value = this.value(statement, environment);
        if (isText(value)) printed += stringOf(value);
      }
    } catch (thrown) {
      if (thrown instanceof LoopExit) thrown.printed = printed + thrown.printed;
      throw thrown;
    }
    return printed;
  }

  private for(node: Node, environment: Environment): string {
    const select = (node.iterable as Node).type === 'SelectExpression' ? (node.iterable as Node) : null;
    const iterable = this.value(select === null ? node.iterable : select.lhs, environment);
    const bind = (scope: Environment, item: Value) => assign(node.loopvar as Node, item, scope);
    const items = iterated(iterable).filter((item) => {
      if (select === null) return true;
      const scope = new Environment(environment);
      bind(scope, item);
      return isTrue(this.value(select.test, scope));
    });
    if (items.length === 0) return this.block(nodes(node.defaultBlock), environment);
    this.loops += 1;
    const loop = this.loops;
    let marked = false;
    let printed = '';
    for (const [index, item] of items.entries()) {
      const message = this.marks?.messageOf(item) ?? null;
      if (message !== null) {
        marked = true;
        printed += this.marks?.message(loop, message) ?? '';
      }
      const scope = new Environment(environment);
      scope.setVariable('loop', loopFacts(items, index));
      bind(scope, item);
      try {
        printed += this.block(nodes(node.body), scope);
      } catch (thrown) {
        if (!(thrown instanceof LoopExit)) throw thrown;
        printed += thrown.printed;
        if (thrown.leaves) break;
      }
    }
    return marked ? printed + (this.marks?.end(loop) ?? '') : printed;
  }

  /** A macro looks names up where it was written, not where it is called. */
  private macro(node: Node, environment: Environment): Value {
    this.plain(node, environment);
    const name = String((node.name as Node).value);
    const macro = lookUp(name, environment);
    const written = callable((args, calledIn) => {
      const scope = new Environment(environment);
      const caller = calledIn.variables.get('caller');
      if (caller !== undefined) scope.setVariable('caller', caller);
      return (macro.value as unknown as (args: Value[], scope: Environment) => Value)(args, scope);
    });
    environment.setVariable(name, written);
    return none();
  }

  private member(node: Node, environment: Environment): Value {
    const object = this.value(node.object, environment);
    const property = node.property as Node;
    if (isMissing(object)) throw new PythonError(`'${nameOf(node.object as Node)}' is undefined`);
    if (property.type === 'SliceExpression') {
      if ((!isText(object) && !isList(object)) || isWalked(object))
        throw new PythonError(`'${typeName(object)}' object has no slices`);
      if (isText(object) && property.step === undefined && property.stop === undefined) {
        const start = this.value(property.start, environment);
        if (isMissing(start) || (isInt(start) && numberOf(start) === 0)) return object;
      }
      return this.plain({ ...node, object: known(object) }, environment);
    }
    if (node.computed !== true)
      return memberOf(object, text(String(property.value)), {
        dotted: true,
        marks: this.marks?.pattern ?? null,
      });
    const key = this.value(property, environment);
    return memberOf(object, key, { dotted: false, marks: this.marks?.pattern ?? null });
  }

  private call(node: Node, environment: Environment): Value {
    const callee = this.value(node.callee, environment);
    if (isMissing(callee)) {
      const called = node.callee as Node;
      const name = nameOf(called);
      throw new PythonError(
        called.type === 'MemberExpression' ? `'${name}' is no method there` : `'${name}' is undefined`,
      );
    }
    if (!isCall(callee)) throw new PythonError(`'${typeName(callee)}' object is not callable`);
    return this.plain({ ...node, callee: known(callee) }, environment);
  }

  private filter(operand: Value, filter: Node, environment: Environment): Value {
    const called = filter.type === 'CallExpression';
    const name = String(((called ? filter.callee : filter) as Node).value);
    const call = called ? this.arguments(nodes(filter.args), environment) : { args: [], named: new Map() };
    const value = applyFilter(name, operand, call, this.marks?.pattern ?? null);
    if (value !== null) return value;
    const args = called
      ? { ...filter, args: nodes(filter.args).map((each) => this.knownArgument(each, environment)) }
      : filter;
    return this.plain({ type: 'FilterExpression', operand: known(operand), filter: args }, environment);
  }

  private knownArgument(node: Node, environment: Environment): Node {
    if (node.type === 'StringLiteral' || node.type === 'SpreadExpression') return node;
    if (node.type === 'KeywordArgumentExpression')
      return { ...node, value: known(this.value(node.value, environment)) };
    return node.type === 'KeywordSpreadExpression' ? node : known(this.value(node, environment));
  }

  private arguments(given: readonly Node[], environment: Environment): CallArguments {
    const args: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of given) {
      if (node.type === 'KeywordArgumentExpression') {
        named.set(String((node.key as Node).value), this.value(node.value, environment));
      } else if (node.type === 'SpreadExpression' || node.type === 'KeywordSpreadExpression') {
        throw new UnsupportedConstruct('arguments of a filter by * or **');
      } else args.push(this.value(node, environment));
    }
    return { args, named };
  }

  private test(node: Node, environment: Environment): Value {
    const operand = this.value(node.operand, environment);
    const name = String((node.test as Node).value);
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    if (test === undefined) throw new UnsupportedConstruct(`the test "is ${name}"`);
    return bool(test(operand) !== (node.negate === true));
  }

  private binary(node: Node, environment: Environment): Value {
    const operator = (node.operator as { value: string }).value;
    const left = this.value(node.left, environment);
    if (operator === 'and') return isTrue(left) ? this.value(node.right, environment) : left;
    if (operator === 'or') return isTrue(left) ? left : this.value(node.right, environment);
    const right = this.value(node.right, environment);
    switch (operator) {
      case '==':
        return bool(equals(left, right));
      case '!=':
        return bool(!equals(left, right));
      case 'in':
        return bool(contains(right, left));
      case 'not in':
        return bool(!contains(right, left));
      case '~':
        return text(str(left) + str(right));
      default:
        return this.arithmetic(operator, left, right, environment, node);
    }
  }

  private arithmetic(
    operator: string,
    left: Value,
    right: Value,
    environment: Environment,
    node: Node,
  ): Value {
    for (const [value, side] of [
      [left, node.left],
      [right, node.right],
    ] as const) {
      if (isMissing(value)) throw new PythonError(`'${nameOf(side as Node)}' is undefined`);
      if (isNone(value)) throw new PythonError(`unsupported operand type(s) for ${operator}: 'NoneType'`);
    }
    if (operator === '+' && (isText(left) || isText(right))) {
      if (isText(left) && isText(right)) return text(stringOf(left) + stringOf(right));
      throw new PythonError(
        isText(left)
          ? `can only concatenate str (not "${typeName(right)}") to str`
          : `unsupported operand type(s) for +: '${typeName(left)}' and 'str'`,
      );
    }
    if (operator === '%' && isText(left)) throw new UnsupportedConstruct("formatting by '…' % value");
    if (
      operator === '*' &&
      (isText(left) || isText(right)) &&
      [left, right].some((each) => isInt(each) || isBool(each))
    ) {
      const [word, times] = isText(left)
        ? [stringOf(left), numberOf(right)]
        : [stringOf(right), numberOf(left)];
      if (word.length * times > mostRepeated) throw new UnsupportedConstruct('a repeated text of this size');
      return text(word.repeat(Math.max(0, times)));
    }
    if (isText(left) && isText(right)) {
      if (operator === '<') return bool(stringOf(left) < stringOf(right));
      if (operator === '>') return bool(stringOf(left) > stringOf(right));
      if (operator === '<=') return bool(stringOf(left) <= stringOf(right));
      if (operator === '>=') return bool(stringOf(left) >= stringOf(right));
    }
    const numeric = (value: Value) => isNumber(value) || isBool(value);
    if (numeric(left) && numeric(right)) {
      const [a, b] = [numberOf(left), numberOf(right)];
      if (['/', '//', '%'].includes(operator) && b === 0) throw new PythonError('division by zero');
      const whole = !isNumber(left) || isInt(left) ? !isNumber(right) || isInt(right) : false;
      if (operator === '%') return (whole ? int : float)(a - b * Math.floor(a / b));
      const as = (value: Value) => (isBool(value) ? int(numberOf(value)) : value);
      return this.plain({ ...node, left: known(as(left)), right: known(as(right)) }, environment);
    }
    if (isList(left) && isList(right) && operator === '+') return list([...itemsOf(left), ...itemsOf(right)]);
    if ((isList(left) || isList(right)) && operator !== '+')
      throw new UnsupportedConstruct(`"${operator}" with a list`);
    throw new PythonError(
      `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
    );
  }
}

/** Of characters that `'…' * n` may make. */
const mostRepeated = 1_000_000;

const known = (value: Value): Node => ({ type: 'Evaluated', value });

function lookUp(name: string, environment: Environment): Value {
  for (let scope: Environment | undefined = environment; scope !== undefined; scope = scope.parent) {
    const value = scope.variables.get(name);
    if (value !== undefined) return value;
  }
  return missing();
}

/** As a message names what was written there. */
function nameOf(node: Node): string {
  if (node.type === 'Identifier') return String(node.value);
  if (node.type === 'MemberExpression') {
    const property = node.property as Node;
    const key = property.type === 'Identifier' || property.type === 'StringLiteral' ? property.value : '…';
    return `${nameOf(node.object as Node)}.${String(key)}`;
  }
  return 'value';
}

function iterated(value: Value): Value[] {
  if (isList(value)) return itemsOf(value);
  if (isMap(value)) return [...entriesOf(value).keys()].map(text);
  if (isText(value)) return [...stringOf(value)].map(text);
  if (isMissing(value)) return [];
  throw new PythonError(`'${typeName(value)}' object is not iterable`);
}

function assign(target: Node, item: Value, scope: Environment): void {
  if (target.type === 'Identifier') {
    scope.setVariable(String(target.value), item);
    return;
  }
  const names = nodes(target.value);
  const values = iterated(item);
  if (names.length !== values.length)
    throw new PythonError(`cannot unpack ${values.length} values into ${names.length} names`);
  for (const [index, name] of names.entries()) assign(name, values[index] ?? missing(), scope);
}

function loopFacts(items: readonly Value[], index: number): Value {
  const left = items.length - index;
  return map(
    new Map([
      ['index', int(index + 1)],
      ['index0', int(index)],
      ['revindex', int(left)],
      ['revindex0', int(left - 1)],
      ['first', bool(index === 0)],
      ['last', bool(left === 1)],
      ['length', int(items.length)],
      ['previtem', items[index - 1] ?? missing()],
      ['nextitem', items[index + 1] ?? missing()],
    ]),
  );
}

function contains(container: Value, value: Value): boolean {
  if (isText(container)) {
    if (!isText(value))
      throw new PythonError(`'in <string>' requires string as left operand, not ${typeName(value)}`);
    return stringOf(container).includes(stringOf(value));
  }
  if (isMap(container) && (isList(value) || isMap(value)))
    throw new PythonError(`unhashable type: '${typeName(value)}'`);
  if (isMap(container)) return isText(value) && entriesOf(container).has(stringOf(value));
  if (isList(container)) return itemsOf(container).some((each) => equals(each, value));
  if (isMissing(container)) return false;
  throw new PythonError(`argument of type '${typeName(container)}' is not iterable`);
}

/** Jinja2's tests that take nothing but their operand. */
export const tests: Readonly<Record<string, (value: Value) => boolean>> = {
  boolean: isBool,
  callable: isCall,
  defined: (value) => !isMissing(value),
  undefined: isMissing,
  none: isNone,
  true: (value) => isBool(value) && value.value === true,
  false: (value) => isBool(value) && value.value === false,
  string: isText,
  number: (value) => isNumber(value) || isBool(value),
  integer: isInt,
  float: (value) => isNumber(value) && !isInt(value),
  mapping: isMap,
  iterable: (value) => isText(value) || isList(value) || isMap(value) || isMissing(value),
  sequence: (value) =>
    isText(value) || (isList(value) && !isWalked(value)) || isMap(value) || isMissing(value),
  odd: (value) => whole(value) % 2 !== 0,
  even: (value) => whole(value) % 2 === 0,
  lower: (value) =>
    isText(value) && /\p{L}/u.test(stringOf(value)) && stringOf(value).toLowerCase() === value.value,
  upper: (value) =>
    isText(value) && /\p{L}/u.test(stringOf(value)) && stringOf(value).toUpperCase() === value.value,
};

function whole(value: Value): number {
  if (isInt(value) || isBool(value)) return numberOf(value);
  throw new PythonError(`not all arguments converted: '${typeName(value)}' is not a number`);
}
