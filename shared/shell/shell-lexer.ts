/** One redirection; `target` is null when it cannot be known without running the command. */
export interface ShellRedirect {
  fd: number | null;
  operator: string;
  target: string | null;
}

/**
 * One command with its words. Words keep unquoted globs and `~` as written; a word that depends on a variable
 * or a substitution is null.
 */
export interface SimpleCommand {
  argv: (string | null)[];
  /** `NAME=value` words before the command. */
  assignments: string[];
  redirects: ShellRedirect[];
  heredocs: ShellHeredoc[];
  /** Commands that this one runs: substitutions, and what `bash -c`, `eval`, `xargs`, `sudo`, `find -exec`… start. */
  nested: SimpleCommand[];
  /** Standard input comes from the previous command. */
  fromPipe: boolean;
  /** Standard output goes into the next command. */
  intoPipe: boolean;
  background: boolean;
  /** Where it runs, as far as static `cd`s tell: '' = where the shell stands, null = cannot be known. */
  directory: string | null;
}

/** Splits a POSIX/bash command line into tokens. Pure; never throws and always ends, whatever the text. */

/** A word; `value` is what bash would see when that is known without running anything, else null. */
export interface ShellWord {
  kind: 'word';
  value: string | null;
  /** The word exactly as written. */
  raw: string;
  /** Any part was quoted: such a word is never a reserved word. */
  quoted: boolean;
  /** Texts of command and process substitutions inside the word. */
  substitutions: string[];
}

export interface ShellHeredoc {
  delimiter: string;
  /** The body; expansions are left as written. */
  text: string;
  /** A quoted delimiter switches expansion off. */
  literal: boolean;
}

export type ShellToken =
  | ShellWord
  | { kind: 'operator'; value: string }
  | { kind: 'redirect'; fd: number | null; operator: string }
  | { kind: 'heredoc'; fd: number | null; heredoc: ShellHeredoc };

/** Deeper nesting than this is not analysed: what lies inside counts as dynamic. */
export const maxShellDepth = 24;

const separators = ['&&', '||', ';;&', ';;', ';&', ';', '|&', '|', '&', '(', ')'];
const redirects = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'];
const isSpace = (c: string | undefined) => c === ' ' || c === '\t' || c === '\r';
const endsWord = (c: string | undefined) =>
  c === undefined || isSpace(c) || c === '\n' || ';|&()<>'.includes(c);

function closeSingle(text: string, from: number): number {
  const end = text.indexOf("'", from);
  return end < 0 ? text.length : end;
}

/** Index of the closing `"` for a body that starts at `from`, or the text's length. */
function closeDouble(text: string, from: number, depth: number): number {
  let i = from;
  while (i < text.length) {
    const c = text[i];
    if (c === '"') return i;
    if (c === '\\') i += 2;
    else if (c === '$' && text[i + 1] === '(') i = closeParen(text, i + 2, depth + 1) + 1;
    else if (c === '$' && text[i + 1] === '{') i = closeBrace(text, i + 2, depth + 1) + 1;
    else if (c === '`') i = closeTick(text, i + 1) + 1;
    else i += 1;
  }
  return text.length;
}

function closeTick(text: string, from: number): number {
  let i = from;
  while (i < text.length && text[i] !== '`') i += text[i] === '\\' ? 2 : 1;
  return Math.min(i, text.length);
}

/** Index of the `)` that closes a body starting at `from`, honouring quotes, comments and nesting. */
function closeParen(text: string, from: number, depth: number): number {
  if (depth > maxShellDepth) return text.length;
  let open = 1;
  let i = from;
  while (i < text.length) {
    const c = text[i];
    if (c === '\\') i += 2;
    else if (c === "'") i = closeSingle(text, i + 1) + 1;
    else if (c === '"') i = closeDouble(text, i + 1, depth + 1) + 1;
    else if (c === '`') i = closeTick(text, i + 1) + 1;
    else if (c === '$' && text[i + 1] === '{') i = closeBrace(text, i + 2, depth + 1) + 1;
    else if (c === '#' && i > from && /[\s;(]/.test(text[i - 1] ?? '')) {
      const line = text.indexOf('\n', i);
      i = line < 0 ? text.length : line;
    } else {
      if (c === '(') open += 1;
      if (c === ')') open -= 1;
      if (open === 0) return i;
      i += 1;
    }
  }
  return text.length;
}

function closeBrace(text: string, from: number, depth: number): number {
  if (depth > maxShellDepth) return text.length;
  let i = from;
  while (i < text.length) {
    const c = text[i];
    if (c === '}') return i;
    if (c === '\\') i += 2;
    else if (c === "'") i = closeSingle(text, i + 1) + 1;
    else if (c === '"') i = closeDouble(text, i + 1, depth + 1) + 1;
    else if (c === '$' && text[i + 1] === '(') i = closeParen(text, i + 2, depth + 1) + 1;
    else if (c === '$' && text[i + 1] === '{') i = closeBrace(text, i + 2, depth + 1) + 1;
    else i += 1;
  }
  return text.length;
}

const ansiEscapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  e: '\u001b',
  a: '\u0007',
  '0': '\0',
};

interface Part {
  /** Index after the part. */
  end: number;
  value: string | null;
  substitutions: string[];
}

/** `$…` or a backtick at `i`. A lone `$` is itself. */
function readExpansion(text: string, i: number, depth: number): Part {
  if (text[i] === '`') {
    const end = closeTick(text, i + 1);
    return { end: end + 1, value: null, substitutions: [text.slice(i + 1, end)] };
  }
  const next = text[i + 1] ?? '';
  if (next === '(') {
    const end = closeParen(text, i + 2, depth + 1);
    const inner = text.slice(i + 2, end);
    const arithmetic = inner.startsWith('(') && inner.endsWith(')');
    return { end: end + 1, value: null, substitutions: arithmetic ? [] : [inner] };
  }
  if (next === '{') {
    const end = closeBrace(text, i + 2, depth + 1);
    return { end: end + 1, value: null, substitutions: substitutionsIn(text.slice(i + 2, end), depth + 1) };
  }
  const name = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text.slice(i + 1, i + 200));
  if (name) return { end: i + 1 + name[0].length, value: null, substitutions: [] };
  return { end: i + 1, value: '$', substitutions: [] };
}

/** Command substitutions in a text read the way bash reads the inside of double quotes. */
export function substitutionsIn(text: string, depth = 0): string[] {
  if (depth > maxShellDepth) return [];
  const found: string[] = [];
  let i = 0;
  while (i < text.length) {
    if (text[i] === '\\') i += 2;
    else if (text[i] === '$' || text[i] === '`') {
      const part = readExpansion(text, i, depth);
      for (const each of part.substitutions) found.push(each);
      i = part.end;
    } else i += 1;
  }
  return found;
}

function readDouble(text: string, from: number, depth: number): Part {
  let value: string | null = '';
  const substitutions: string[] = [];
  let i = from;
  while (i < text.length && text[i] !== '"') {
    const c = text[i] ?? '';
    if (c === '\\') {
      const next = text[i + 1] ?? '';
      if (value !== null && next !== '\n') value += '$`"\\'.includes(next) ? next : `\\${next}`;
      i += 2;
    } else if (c === '$' || c === '`') {
      const part = readExpansion(text, i, depth);
      value = value === null || part.value === null ? null : value + part.value;
      for (const each of part.substitutions) substitutions.push(each);
      i = part.end;
    } else {
      if (value !== null) value += c;
      i += 1;
    }
  }
  return { end: Math.min(i, text.length) + 1, value, substitutions };
}

function readAnsi(text: string, from: number): Part {
  let value: string | null = '';
  let i = from;
  while (i < text.length && text[i] !== "'") {
    if (text[i] === '\\') {
      const next = text[i + 1] ?? '';
      if (/[xuUcB1-7]/.test(next)) value = null;
      else if (value !== null) value += ansiEscapes[next] ?? next;
      i += 2;
    } else {
      if (value !== null) value += text[i];
      i += 1;
    }
  }
  return { end: Math.min(i, text.length) + 1, value, substitutions: [] };
}

/** Characters that stand for themselves wherever in a word they are. */
const plainRun = /[\w./=:,@%~+-]+/y;
/** What begins a word and nothing else: no number before a redirection either. */
const plainStart = /[A-Za-z_./-]/;

function readWord(
  text: string,
  from: number,
  inTest: boolean,
  depth: number,
): { word: ShellWord; end: number } {
  let value: string | null = '';
  let quoted = false;
  const substitutions: string[] = [];
  let i = from;
  const add = (part: Part) => {
    value = value === null || part.value === null ? null : value + part.value;
    for (const each of part.substitutions) substitutions.push(each);
    i = part.end;
  };
  while (i < text.length) {
    plainRun.lastIndex = i;
    if (plainRun.test(text)) {
      if (value !== null) value += text.slice(i, plainRun.lastIndex);
      i = plainRun.lastIndex;
      continue;
    }
    const c = text[i] ?? '';
    if ((c === '<' || c === '>') && text[i + 1] === '(' && !inTest) {
      const end = closeParen(text, i + 2, depth + 1);
      add({ end: end + 1, value: null, substitutions: [text.slice(i + 2, end)] });
    } else if (c === '(' && /(?:^\w+\+?=|[?*+@!])$/.test(text.slice(from, Math.min(i, from + 80)))) {
      // An array assignment or an extended glob.
      const end = closeParen(text, i + 1, depth + 1);
      add({ end: end + 1, value: null, substitutions: substitutionsIn(text.slice(i + 1, end), depth + 1) });
    } else if (inTest ? isSpace(c) || c === '\n' : endsWord(c)) break;
    else if (c === '\\') {
      quoted = true;
      const next = text[i + 1] ?? '';
      add({ end: i + 2, value: next === '\n' ? '' : next, substitutions: [] });
    } else if (c === "'") {
      quoted = true;
      const end = closeSingle(text, i + 1);
      add({ end: end + 1, value: text.slice(i + 1, end), substitutions: [] });
    } else if (c === '"') {
      quoted = true;
      add(readDouble(text, i + 1, depth));
    } else if (c === '$' && (text[i + 1] === "'" || text[i + 1] === '"')) {
      quoted = true;
      add(text[i + 1] === "'" ? readAnsi(text, i + 2) : readDouble(text, i + 2, depth));
    } else if (c === '$' || c === '`') add(readExpansion(text, i, depth));
    else add({ end: i + 1, value: c, substitutions: [] });
  }
  // An escape at the very end steps over the text's end.
  const end = Math.max(Math.min(i, text.length), from + 1);
  return { word: { kind: 'word', value, raw: text.slice(from, end), quoted, substitutions }, end };
}

function readHeredocBody(text: string, from: number, delimiter: string, stripTabs: boolean) {
  const lines: string[] = [];
  let i = from;
  while (i < text.length) {
    const newline = text.indexOf('\n', i);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(i, end);
    i = end + 1;
    const bare = stripTabs ? line.replace(/^\t+/, '') : line;
    if (bare.replace(/\r$/, '') === delimiter) break;
    lines.push(bare);
  }
  return { text: lines.length > 0 ? `${lines.join('\n')}\n` : '', end: Math.min(i, text.length) };
}

/** Tokens of `text` in order; a heredoc's token stands where its operator stood. */
export function lexShell(text: string, depth = 0): ShellToken[] {
  const tokens: ShellToken[] = [];
  const waiting: { heredoc: ShellHeredoc; stripTabs: boolean }[] = [];
  let i = 0;
  let inTest = false;
  let notArithmetic = 0;
  while (i < text.length) {
    const c = text[i] ?? '';
    if (isSpace(c)) {
      i += 1;
      continue;
    }
    if (c === '\\' && text[i + 1] === '\n') {
      i += 2;
      continue;
    }
    if (c === '\n') {
      tokens.push({ kind: 'operator', value: '\n' });
      i += 1;
      inTest = false;
      for (const { heredoc, stripTabs } of waiting.splice(0)) {
        const body = readHeredocBody(text, i, heredoc.delimiter, stripTabs);
        heredoc.text = body.text;
        i = body.end;
      }
      continue;
    }
    if (c === '#') {
      const line = text.indexOf('\n', i);
      i = line < 0 ? text.length : line;
      continue;
    }
    if (!inTest && !plainStart.test(c)) {
      const fd = /^\d{1,4}(?=[<>])/.exec(text.slice(i, i + 6))?.[0] ?? '';
      const rest = text.slice(i + fd.length, i + fd.length + 3);
      const redirect = redirects.find((r) => rest.startsWith(r));
      const substitution = fd === '' && (rest.startsWith('<(') || rest.startsWith('>('));
      if (redirect && !substitution) {
        i += fd.length + redirect.length;
        const number = fd === '' ? null : Number(fd);
        if (redirect !== '<<' && redirect !== '<<-') {
          tokens.push({ kind: 'redirect', fd: number, operator: redirect });
          continue;
        }
        while (isSpace(text[i])) i += 1;
        const { word, end } = readWord(text, i, false, depth);
        if (endsWord(text[i])) continue;
        i = end;
        const delimiter = word.value ?? word.raw;
        const heredoc = { delimiter, text: '', literal: word.quoted };
        tokens.push({ kind: 'heredoc', fd: number, heredoc });
        waiting.push({ heredoc, stripTabs: redirect === '<<-' });
        continue;
      }
      // The limit keeps a text of nothing but brackets from being scanned once per bracket.
      if (c === '(' && text[i + 1] === '(' && notArithmetic < 50) {
        const end = closeParen(text, i + 1, depth);
        notArithmetic += 1;
        if (text[end - 1] === ')') {
          // `(( … ))` only computes.
          notArithmetic -= 1;
          i = end + 1;
          continue;
        }
      }
      const separator = substitution ? undefined : separators.find((s) => text.startsWith(s, i));
      if (separator) {
        tokens.push({ kind: 'operator', value: separator });
        i += separator.length;
        continue;
      }
    }
    if (inTest && text.startsWith(']]', i) && endsWord(text[i + 2])) {
      tokens.push({ kind: 'word', value: ']]', raw: ']]', quoted: false, substitutions: [] });
      inTest = false;
      i += 2;
      continue;
    }
    const { word, end } = readWord(text, i, inTest, depth);
    tokens.push(word);
    if (word.raw === '[[') inTest = true;
    i = end;
  }
  return tokens;
}
