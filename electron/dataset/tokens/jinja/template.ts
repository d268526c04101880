import { Environment, parse, tokenize } from '@huggingface/jinja';
import { WaymarkError } from '@shared/contract/errors';
import { isKnownFilter } from './filters';
import { PythonInterpreter, tests } from './interpreter';
import { type MarkedText, Marks } from './marks';
import { range, split } from './members';
import { allNodes, isNode, type Node } from './nodes';
import {
  bool,
  callable,
  fromJson,
  itemsOf,
  none,
  PythonError,
  str,
  TemplateRaised,
  text,
  UnsupportedConstruct,
  type Value,
} from './values';

/** What a trainer gives a chat template. */
export interface TemplateInput {
  messages: readonly unknown[];
  tools: readonly unknown[] | null;
  addGenerationPrompt: boolean;
  /** `bos_token` and the like, and what else a template is given by name. */
  variables: Readonly<Record<string, unknown>>;
}

/** A template could not render what it was given. */
export interface RenderFailure {
  /**
   * `raised`: the template refused it by name; `python`: Jinja2 stops there too; `unsupported`: the preview cannot carry out what
   * the template asks for, a trainer may.
   */
  kind: 'raised' | 'python' | 'unsupported';
  message: string;
}

export type Rendered = { ok: true; text: string } | { ok: false; failure: RenderFailure };
export type RenderedMarked =
  | { ok: true; marked: MarkedText; marks: Marks }
  | { ok: false; failure: RenderFailure };

/** Text beyond this is no conversation, UTF-16 units. */
export const mostRendered = 64 * 1024 * 1024;
/** Templates of real models have up to 40,000 characters. */
export const mostTemplate = 1024 * 1024;

/** The day that a template's `strftime_now` is told: a Wednesday. */
const frozen = new Date(Date.UTC(2025, 0, 1));
export const frozenDay = '2025-01-01';

/** A chat template as transformers sets Jinja2 up for it: trimmed blocks, a sandbox, loop controls, `{% generation %}`. */
export class ChatTemplate {
  private constructor(
    readonly source: string,
    private readonly program: Node,
    /** What it uses that the preview cannot carry out; rendering stops only where such a thing is reached. */
    readonly unsupported: readonly string[],
    readonly hasGenerations: boolean,
    readonly asksForToday: boolean,
  ) {}

  /** @throws WaymarkError bad_input that says why it does not parse */
  static parse(given: string, name: string): ChatTemplate {
    if (given.length > mostTemplate)
      throw new WaymarkError(
        'bad_input',
        `${name} is longer than ${mostTemplate} characters. Choose a folder with a chat template.`,
      );
    // Jinja2 takes every line end for \n.
    const source = given.replace(/\r\n?/g, '\n');
    let program: Node;
    try {
      program = parse(
        tokenize(withGenerations(source), { lstrip_blocks: true, trim_blocks: true }),
      ) as unknown as Node;
    } catch (thrown) {
      throw new WaymarkError(
        'bad_input',
        `The chat template in ${name} cannot be read: ${readable(thrown)}. Use a template that only holds what transformers' chat templates hold.`,
      );
    }
    prepare(program);
    const all = [...allNodes(program)];
    return new ChatTemplate(
      source,
      program,
      unsupportedIn(all),
      all.some(({ type }) => type === 'Generation'),
      all.some(({ type, value }) => type === 'Identifier' && value === 'strftime_now'),
    );
  }

  /** Whether the template looks at this name, as a variable or as a field of something. */
  names(name: string): boolean {
    return [...allNodes(this.program)].some(
      ({ type, value }) => (type === 'Identifier' || type === 'StringLiteral') && value === name,
    );
  }

  render(input: TemplateInput): Rendered {
    const { environment } = environmentOf(input);
    const run = this.run(environment, null);
    return run.ok ? run : { ok: false, failure: run.failure };
  }

  /** With marks at each message and each `{% generation %}`. The text is that of `render`, or it fails as `unsupported`. */
  renderMarked(input: TemplateInput): RenderedMarked {
    const { environment, messages } = environmentOf(input);
    const marks = Marks.apartFrom(
      [this.source, JSON.stringify([input.messages, input.tools, input.variables])],
      messages,
    );
    if (marks === null) {
      const message = 'the conversation holds every Unicode noncharacter from U+FDD0 to U+FDEF';
      return { ok: false, failure: { kind: 'unsupported', message } };
    }
    const run = this.run(environment, marks);
    if (!run.ok) return run;
    const marked = marks.read(run.text);
    const plain = this.render(input);
    if (!plain.ok) return plain;
    if (plain.text !== marked.text) {
      const message = 'the template works on the text of messages that it has rendered before';
      return { ok: false, failure: { kind: 'unsupported', message } };
    }
    return { ok: true, marked, marks };
  }

  private run(environment: Environment, marks: Marks | null): Rendered {
    try {
      const value = new PythonInterpreter(environment, marks).evaluate(this.program as never, environment);
      const rendered = str(value);
      if (rendered.length > mostRendered)
        throw new UnsupportedConstruct('a text of more than 64 million characters');
      return { ok: true, text: rendered };
    } catch (thrown) {
      return { ok: false, failure: failureOf(thrown) };
    }
  }
}

function failureOf(thrown: unknown): RenderFailure {
  if (thrown instanceof TemplateRaised) return { kind: 'raised', message: thrown.message };
  if (thrown instanceof PythonError) return { kind: 'python', message: thrown.message };
  if (thrown instanceof UnsupportedConstruct)
    return { kind: 'unsupported', message: `it uses ${thrown.message}` };
  if (thrown instanceof RangeError) {
    const message = /string length/i.test(thrown.message)
      ? 'its text grows without end'
      : 'it calls itself without end';
    return { kind: 'python', message };
  }
  return { kind: 'unsupported', message: readable(thrown) };
}

function readable(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.slice(0, 300).replace(/\.$/, '');
}

/** The library drops these tags; as assignments they keep their place and their white space control. */
function withGenerations(source: string): string {
  return source.replace(
    /\{%([-+]?)\s*(end)?generation\s*([-+]?)%\}/g,
    (_, left: string, end: string | undefined, right: string) =>
      `{%${left} set ${end === undefined ? begins : ends} = 1 ${right}%}`,
  );
}
const begins = '__waymark_generation__';
const ends = '__waymark_endgeneration__';

/** Marks what is printed, and puts the places of generations where their tags were. */
function prepare(node: Node): void {
  for (const key of blocks) {
    const block = node[key];
    if (!Array.isArray(block)) continue;
    if (key === 'body' || key === 'alternate' || key === 'defaultBlock') node[key] = block.map(printed);
  }
  for (const part of Object.values(node)) {
    const values =
      part instanceof Map ? [...part.keys(), ...part.values()] : Array.isArray(part) ? part : [part];
    for (const value of values) if (isNode(value)) prepare(value);
  }
}
const blocks = ['body', 'alternate', 'defaultBlock'] as const;

const statements: ReadonlySet<string> = new Set([
  ...['If', 'For', 'Set', 'Macro', 'Comment', 'Break', 'Continue', 'CallStatement', 'FilterStatement'],
  ...['StringLiteral', 'Output', 'Generation'],
]);

function printed(node: Node): Node {
  if (node.type === 'Set' && isNode(node.assignee)) {
    if (node.assignee.value === begins) return { type: 'Generation', begins: true };
    if (node.assignee.value === ends) return { type: 'Generation', begins: false };
  }
  return statements.has(node.type) ? node : { type: 'Output', expression: node };
}

function unsupportedIn(all: readonly Node[]): string[] {
  const found = new Set<string>();
  for (const node of all) {
    if (node.type === 'FilterExpression' || node.type === 'FilterStatement') {
      const filter = node.filter as Node;
      const name = String(((filter.type === 'CallExpression' ? filter.callee : filter) as Node).value);
      if (!isKnownFilter(name)) found.add(`the filter ${name}`);
    }
    if (node.type === 'TestExpression') {
      const name = String((node.test as Node).value);
      if (!Object.hasOwn(tests, name)) found.add(`the test "is ${name}"`);
    }
    if (node.type === 'CallExpression') {
      const callee = node.callee as Node;
      const property = callee.type === 'MemberExpression' ? (callee.property as Node) : null;
      if (property?.value === 'format') found.add('the method format');
    }
    if (node.type === 'BinaryExpression' && (node.operator as { value: string }).value === '%') {
      if ((node.left as Node).type === 'StringLiteral') found.add("formatting by '…' % value");
    }
  }
  return [...found].sort();
}

function environmentOf(input: TemplateInput): { environment: Environment; messages: Value[] } {
  const environment = new Environment();
  const set = (name: string, value: Value) => environment.setVariable(name, value);
  for (const name of ['true', 'True']) set(name, bool(true));
  for (const name of ['false', 'False']) set(name, bool(false));
  for (const name of ['none', 'None']) set(name, none());
  set('range', callable(range));
  set(
    'raise_exception',
    callable((given) => {
      const [message] = split(given).args;
      throw new TemplateRaised(message === undefined ? '' : str(message));
    }),
  );
  set(
    'strftime_now',
    callable((given) => text(strftime(str(split(given).args[0] ?? text(''))))),
  );
  const messages = fromJson(input.messages);
  for (const [name, value] of Object.entries(input.variables)) set(name, fromJson(value));
  set('messages', messages);
  set('tools', input.tools === null ? none() : fromJson(input.tools));
  set('documents', none());
  set('add_generation_prompt', bool(input.addGenerationPrompt));
  return { environment, messages: itemsOf(messages) };
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Python's `strftime` in the C locale. @throws UnsupportedConstruct for a directive that is not here */
function strftime(format: string): string {
  const [year, month, day] = [frozen.getUTCFullYear(), frozen.getUTCMonth(), frozen.getUTCDate()];
  const two = (number: number) => String(number).padStart(2, '0');
  const named: Readonly<Record<string, string>> = {
    Y: String(year),
    y: two(year % 100),
    m: two(month + 1),
    d: two(day),
    e: String(day).padStart(2, ' '),
    B: months[month] ?? '',
    b: (months[month] ?? '').slice(0, 3),
    h: (months[month] ?? '').slice(0, 3),
    A: days[frozen.getUTCDay()] ?? '',
    a: (days[frozen.getUTCDay()] ?? '').slice(0, 3),
    H: '00',
    I: '12',
    M: '00',
    S: '00',
    p: 'AM',
    j: '001',
    F: '2025-01-01',
    T: '00:00:00',
    '%': '%',
    '-d': String(day),
    '-m': String(month + 1),
    '-H': '0',
    '-I': '12',
    '-M': '0',
    n: '\n',
    t: '\t',
  };
  return format.replace(/%(-?[A-Za-z%])/g, (_, directive: string) => {
    const value = named[directive];
    if (value === undefined) throw new UnsupportedConstruct(`the date format %${directive}`);
    return value;
  });
}
