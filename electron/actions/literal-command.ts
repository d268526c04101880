/**
 * The strict reader behind approvals: it understands words, quotes, pipes, sequences and a few redirections, and says
 * `problem` about everything else. It knows nothing of what bash would do with the rest, and must not: what is added here
 * has to mean the same in every state a shell can be in. `shared/shell/shell-command.ts` is the generous reader, for labels.
 */

export interface LiteralWord {
  /** What the program gets, to the letter; with `glob` the pattern as written. */
  text: string;
  /** Bash replaces it by the names of files. */
  glob: boolean;
}

/** One program with its words. The first is its name, and never a pattern. */
export interface LiteralCommand {
  words: LiteralWord[];
  /** Files that standard input comes from. */
  inputs: string[];
  /** Files that it writes by `>`; `/dev/null` is none. */
  outputs: string[];
}

export type LiteralReading = { commands: LiteralCommand[] } | { problem: string };

/** Longer commands are not read, UTF-16 units. */
export const longestLiteral = 8192;

/** Words that begin grammar, or change what later words mean to the shell. */
const reserved = new Set(
  'if then else elif fi for while until do done case esac select function time coproc in [[ { } !'.split(' '),
);
const plain = /[A-Za-z0-9_./,:=@%+-]/;
const pattern = /[*?[\]]/;
const redirection = /(\d*)(&>>|&>|<<<|<<|<&|<>|<|>>|>&|>\||>)/y;

class Unread extends Error {}

const replaced = (sign: string) => `It contains ${sign}, which the shell may replace with something else`;

/** Reads the whole text, or says what in it is not read, as a sentence without its full stop. */
export function readLiteral(text: string): LiteralReading {
  if (text.length > longestLiteral) return { problem: 'It is too long to check' };
  if (/[^\n\x20-\x7e]/.test(text))
    return { problem: 'It contains characters that are not plain ASCII, which are not checked' };
  try {
    return { commands: new Reader(text).read() };
  } catch (error) {
    if (error instanceof Unread) return { problem: error.message };
    throw error;
  }
}

class Reader {
  private i = 0;
  private readonly commands: LiteralCommand[] = [];
  private current: LiteralCommand = { words: [], inputs: [], outputs: [] };
  /** After `|`, `&&` and `||` a command has to follow. */
  private wanted = false;

  constructor(private readonly text: string) {}

  read(): LiteralCommand[] {
    while (this.i < this.text.length) this.next();
    this.end();
    if (this.wanted) throw new Unread('It is incomplete');
    return this.commands;
  }

  private next(): void {
    const { text } = this;
    const c = text[this.i] ?? '';
    redirection.lastIndex = this.i;
    const redirect = redirection.exec(text);
    if (c === ' ') this.i += 1;
    else if (c === '\n') {
      this.end();
      this.i += 1;
    } else if (c === '#') {
      const line = text.indexOf('\n', this.i);
      this.i = line < 0 ? text.length : line;
    } else if (redirect) this.redirect(redirect[0], redirect[1] ?? '', redirect[2] ?? '');
    else if (c === ';' || c === '|' || c === '&') this.separator();
    else this.current.words.push(this.word());
  }

  private separator(): void {
    const two = this.text.slice(this.i, this.i + 2);
    const one = two[0] ?? '';
    if (this.current.words.length === 0) throw new Unread('A command is missing before a separator');
    const joins = two === '&&' || two === '||' || (one === '|' && two !== '|&');
    if (!joins && (one !== ';' || two === ';;' || two === ';&'))
      throw new Unread(
        one === '&'
          ? 'It leaves a command running in the background'
          : `It contains ${two.trim()}, which is not checked`,
      );
    this.end();
    this.wanted = joins;
    this.i += two === '&&' || two === '||' ? 2 : 1;
  }

  private end(): void {
    const { current } = this;
    if (current.words.length === 0) return;
    const [first] = current.words;
    if (first?.glob) throw new Unread('The name of the program to run is a pattern');
    if (reserved.has(first?.text ?? ''))
      throw new Unread(`It uses ${first?.text}, so it is a script rather than plain commands`);
    if (/^[A-Za-z_]\w*\+?=/.test(first?.text ?? '')) throw new Unread('It sets a variable');
    this.commands.push(current);
    this.current = { words: [], inputs: [], outputs: [] };
    this.wanted = false;
  }

  private redirect(whole: string, fd: string, operator: string): void {
    if (this.current.words.length === 0) throw new Unread('It begins with a redirection');
    this.i += whole.length;
    while (this.text[this.i] === ' ') this.i += 1;
    const { text, glob } = this.word();
    if (glob) throw new Unread('It redirects to a pattern of file names');
    const writes = operator === '>' || operator === '>>' || (operator.startsWith('&') && fd === '');
    if (operator === '<' && (fd === '' || fd === '0')) this.current.inputs.push(text);
    else if (operator === '>&' && /^[12]?$/.test(fd) && /^[12]$/.test(text)) return;
    else if (writes && /^[12]?$/.test(fd)) {
      if (text !== '/dev/null') this.current.outputs.push(text);
    } else throw new Unread(`It contains ${whole}, which is not checked`);
  }

  private word(): LiteralWord {
    const { text } = this;
    const from = this.i;
    let value = '';
    let glob = false;
    for (; this.i < text.length; ) {
      const c = text[this.i] ?? '';
      // `HEAD~1`; elsewhere in a word it may be somebody's home.
      if (plain.test(c) || (c === '~' && /[A-Za-z0-9]/.test(text[this.i - 1] ?? '') && this.i > from))
        value += c;
      else if (pattern.test(c)) {
        glob = true;
        value += c;
      } else if (c === '\\') value += this.escaped();
      else if (c === "'") value += this.single();
      else if (c === '"') value += this.double();
      else if (' \n;|&<>'.includes(c)) break;
      else throw new Unread(replaced(c));
      this.i += 1;
    }
    if (this.i === from) throw new Unread('It is incomplete');
    // The program `[` and its last word.
    const bracket = text.slice(from, this.i);
    return { text: value, glob: glob && bracket !== '[' && bracket !== ']' };
  }

  private escaped(): string {
    this.i += 1;
    const c = this.text[this.i];
    if (c === undefined || c === '\n') throw new Unread('It continues a line with a backslash');
    return c;
  }

  private single(): string {
    const from = this.i + 1;
    this.i = this.text.indexOf("'", from);
    if (this.i < 0) throw new Unread('It contains a quote that is not closed');
    return this.text.slice(from, this.i);
  }

  private double(): string {
    const { text } = this;
    let value = '';
    for (this.i += 1; text[this.i] !== '"'; this.i += 1) {
      const c = text[this.i];
      if (c === undefined) throw new Unread('It contains a quote that is not closed');
      if (c === '$' || c === '`' || c === '!') throw new Unread(replaced(c));
      const next = text[this.i + 1] ?? '';
      if (c === '\\' && next === '\n') throw new Unread('It continues a line with a backslash');
      if (c === '\\' && '$`"\\'.includes(next) && next !== '') {
        value += next;
        this.i += 1;
      } else value += c;
    }
    return value;
  }
}
