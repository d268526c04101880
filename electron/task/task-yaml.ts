import { nearestName } from '@shared/base/edit-distance';
import { type TaskSpec, taskSpecSchema } from '@shared/contract/task';
import { type Document, isMap, isNode, Lexer, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { kindWords, ofNone, sizeWords } from './schema-words';

/** One thing that is wrong with a package. */
export interface TaskProblem {
  /** Path inside the package. */
  file: string;
  /** Dotted path such as `computers[0].gpus.count`; '' when it is about the file itself. */
  field: string;
  /** 1-based; null when the field is not written down. */
  line: number | null;
  cause: string;
  next: string;
}

type Path = readonly PropertyKey[];

export const TASK_FILE = 'task.yaml';

/** Levels of lists and maps that a task file may have; its schema has six. */
const MOST_LEVELS = 64;
/** Each field is compared with all others of its block. */
const MOST_FIELDS = 5_000;
/** Each alias is looked for among all anchors before it. */
const MOST_ALIASES = 200;

/**
 * What speaks against parsing the text: the parser goes down level by level, and a thousand brackets end the process instead of
 * throwing. A block's level takes an indicator or a column at the start of its line.
 */
function shapeProblem(text: string): string | null {
  let brackets = 0;
  let fields = 0;
  let aliases = 0;
  /** With nothing but blanks between them. */
  let indicators = 0;
  let atStart = true;
  for (const token of new Lexer().lex(text)) {
    const isBlank = /^ +$/.test(token);
    if (token === ':') fields += 1;
    if (token.startsWith('*')) aliases += 1;
    if (token === '-' || token === '?' || token === ':') indicators += 1;
    else if (!isBlank) indicators = 0;
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    const indented = atStart && isBlank && token.length > MOST_LEVELS * 4;
    if (indented || brackets > MOST_LEVELS || indicators > MOST_LEVELS)
      return `nests deeper than ${MOST_LEVELS} levels`;
    if (aliases > MOST_ALIASES) return `repeats itself with more than ${MOST_ALIASES} aliases`;
    if (fields > MOST_FIELDS) return `holds more than ${MOST_FIELDS} fields`;
    atStart = token === '\n' || token === '\r\n';
  }
  return null;
}

/** Parses `task.yaml` text; every problem is listed, none hides another of the same stage. */
export function parseTaskYaml(text: string): {
  spec: TaskSpec | null;
  problems: TaskProblem[];
  lineOf: LineOf;
} {
  const lines = new LineCounter();
  const cause = shapeProblem(text);
  if (cause !== null) {
    const next = 'Write the fields of a task package; docs/task-package.md lists them.';
    const problems = [{ file: TASK_FILE, field: '', line: 1, cause, next }];
    return { spec: null, problems, lineOf: () => null };
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const lineOf: LineOf = (path) => lineAt(document, lines, path);
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      file: TASK_FILE,
      field: '',
      line: lines.linePos(error.pos[0]).line,
      cause: `is not valid YAML: ${error.message}`,
      next: 'Fix the line; indent with spaces, and use each key once per block.',
    }));
    return { spec: null, problems, lineOf };
  }
  if (!isMap(document.contents)) {
    const cause = 'holds no fields';
    const next = 'Write the fields of a task package; docs/task-package.md lists them.';
    return { spec: null, problems: [{ file: TASK_FILE, field: '', line: 1, cause, next }], lineOf };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const cause = `cannot be read: ${(error as Error).message}`;
    const next = 'Write the values out instead of repeating them with anchors and aliases.';
    return { spec: null, problems: [{ file: TASK_FILE, field: '', line: 1, cause, next }], lineOf };
  }
  const parsed = taskSpecSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return { spec: parsed.data, problems: [], lineOf };
  return { spec: null, problems: parsed.error.issues.flatMap((issue) => explain(issue, lineOf)), lineOf };
}

export type LineOf = (path: Path) => number | null;

/** The line of the field, else of the nearest block around it that is written down. */
function lineAt(document: Document, lines: LineCounter, path: Path): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isNode(item.key) && String(item.key) === String(last));
      if (pair && isNode(pair.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line;
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

/** `computers[0].gpus.count` */
export function fieldName(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

function explain(issue: z.core.$ZodIssue, lineOf: LineOf): TaskProblem[] {
  const { path } = issue;
  const problem = (at: Path, cause: string, next: string): TaskProblem => ({
    file: TASK_FILE,
    field: fieldName(at),
    line: lineOf(at),
    cause,
    next,
  });
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(taskSpecSchema, path);
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      const next = near ? `Did you mean "${near}"?` : `Known here: ${known.join(', ')}.`;
      return problem([...path, key], 'is not a field of a task package', next);
    });
  }
  const isMissing = issue.input === undefined && lineOf(path) === lineOf(path.slice(0, -1));
  if (issue.code === 'invalid_value') {
    const near = typeof issue.input === 'string' ? nearestName(issue.input, issue.values.map(String)) : null;
    const choices = `one of ${issue.values.map(String).join(', ')}`;
    if (isMissing) return [problem(path, 'is missing', `Add it: ${choices}.`)];
    return [problem(path, `must be ${choices}`, near ? `Did you mean "${near}"?` : 'Choose one of them.')];
  }
  if (issue.code === 'invalid_type') {
    const kind = kindWords(issue.expected);
    return [
      isMissing
        ? problem(path, 'is missing', `Add it: ${kind}.`)
        : problem(path, `must be ${kind}`, issue.expected === 'string' ? QUOTE : DESCRIBED),
    ];
  }
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return [problem(path, sizeWords(issue), DESCRIBED)];
  if (issue.code === 'invalid_union') {
    const found = ofNone(issue);
    if (typeof found === 'string') return [problem(path, `must be ${found}`, DESCRIBED)];
    return found.flatMap((inner) => explain({ ...inner, path: [...path, ...inner.path] }, lineOf));
  }
  if (issue.code === 'invalid_key')
    return issue.issues.flatMap((inner) => explain({ ...inner, path }, lineOf));
  return [problem(path, issue.message, DESCRIBED)];
}

const QUOTE = 'Change the value; put quotation marks around text that looks like something else.';
const DESCRIBED = 'Change the value; docs/task-package.md describes the field.';

/** Names of the fields that the schema knows in the object at `path`. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  let at = bare(schema);
  for (const part of path) {
    if (at instanceof z.ZodObject) at = bare(at.shape[String(part)] as z.core.$ZodType);
    else if (at instanceof z.ZodArray) at = bare(at.element as z.core.$ZodType);
    else if (at instanceof z.ZodRecord) at = bare(at.valueType as z.core.$ZodType);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  let at = schema;
  while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable)
    at = at.unwrap();
  return at;
}
