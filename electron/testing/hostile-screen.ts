import { TerminalFilter } from '@shared/terminal/terminal-filter';
import { Terminal } from '@xterm/headless';

const ESC = '\x1b';
const openings = [
  `${ESC}[`,
  `${ESC}[?`,
  `${ESC}[>`,
  `${ESC}[=`,
  `${ESC}[<`,
  `${ESC}]`,
  `${ESC}P`,
  `${ESC}_`,
  `${ESC}^`,
  `${ESC}X`,
  `${ESC}k`,
  `${ESC}#`,
  `${ESC}(`,
  `${ESC} `,
  ESC,
  '\u009b',
  '\u009d',
  '\u0090',
  '\u009f',
  '\u0085',
  '',
] as const;
const numbers = [
  '',
  '0',
  '1',
  '2',
  '3',
  '5',
  '6',
  '8',
  '38;5;196',
  '52;c;?',
  '10;?',
  '4;1;?',
  '8;;javascript:x',
] as const;
const large = ['99', '500', '9999', '65535', '2147483647', '9'.repeat(40), '0'.repeat(30)] as const;
const modes = ['1', '3', '5', '47', '1000', '1004', '1006', '1047', '1049', '2004', '2026'] as const;
const between = ['', '', '', '$', ' ', '!', '"', "'", '*'] as const;
const endings = ['\x07', `${ESC}\\`, '\u009c', '\x18', '\x1a', ESC, '\n', '', ''] as const;
const texts = [
  'text',
  '你好',
  '😀',
  'e\u0301',
  '\u202e',
  '\r\n',
  '\t',
  '\b',
  '\x05',
  '\x0e',
  '\x07',
  '\0',
  '\x7f',
] as const;

/** A made-up sequence that may do harm to a terminal: any opening with any numbers and any end, sometimes many of them. */
export function fuzzedSequence(random: () => number): Uint8Array {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const final = () => String.fromCharCode(0x30 + Math.floor(random() * 0x4f));
  const parameters = () =>
    Array.from({ length: Math.floor(random() * 4) }, () => pick(pick([numbers, large, modes]))).join(
      pick([';', ':', ';;']),
    );
  const one = () => {
    const opening = pick(openings);
    const long =
      random() < 0.01
        ? pick(['x', 'text ', '你', '\u0301', '\u202e']).repeat(Math.floor(random() * 24_000))
        : '';
    const payload = long + pick(['', '', pick(texts)]);
    return opening + parameters() + pick(between) + (random() < 0.8 ? final() : '') + payload + pick(endings);
  };
  const text = Array.from({ length: 1 + Math.floor(random() * 4) }, one).join(pick(texts));
  const repeated = random() < 0.02 ? text.repeat(Math.ceil(20_000 / Math.max(1, text.length))) : text;
  const bytes = new TextEncoder().encode(repeated.slice(0, 80_000));
  // Some are not UTF-8.
  if (random() < 0.2) bytes[Math.floor(random() * bytes.length)] = 0x80 + Math.floor(random() * 0x80);
  return bytes;
}

/** What a terminal did that output must not make it do. */
export interface Screened {
  /** From handing the filtered bytes over until they are parsed. */
  ms: number;
  /** UTF-16 units the filter let through. */
  length: number;
  /** Answers, titles, bells, and clipboard or window requests, in order. */
  did: string[];
}

/** A terminal as the window has it, behind the filter; for tests and for the bench. */
export class HostileScreen {
  private readonly terminal: Terminal;
  private readonly human: boolean;
  private did: string[] = [];

  /** `human`: a person's own terminal that may answer what its filter lets ask. */
  constructor({ human = false }: { human?: boolean } = {}) {
    this.human = human;
    this.terminal = new Terminal({
      cols: 160,
      rows: 50,
      scrollback: 10_000,
      allowProposedApi: true,
      // Not `disableStdin`: an answer would be swallowed instead of seen.
    });
    this.terminal.onData((data) => this.did.push(`answer ${JSON.stringify(data)}`));
    this.terminal.onBinary(() => this.did.push('binary answer'));
    this.terminal.onTitleChange((title) => this.did.push(`title ${title}`));
    this.terminal.onBell(() => this.did.push('bell'));
    for (const code of [9, 50, 52, 133, 633, 777, 1337]) {
      this.terminal.parser.registerOscHandler(code, () => {
        this.did.push(`OSC ${code}`);
        return true;
      });
    }
  }

  /** Shows the bytes as one frame, each with a filter of its own. */
  async show(bytes: Uint8Array): Promise<Screened> {
    const filter = new TerminalFilter({ human: this.human, questions: this.human });
    const started = performance.now();
    const text = filter.push(bytes);
    await new Promise<void>((resolve) => this.terminal.write(text, resolve));
    const did = this.did;
    this.did = [];
    return { ms: performance.now() - started, length: text.length, did };
  }

  /** What is on the screen, and that there is one. */
  get lines(): number {
    return this.terminal.buffer.active.length;
  }

  dispose(): void {
    this.terminal.dispose();
  }
}
