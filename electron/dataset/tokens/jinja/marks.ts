import type { Value } from './values';

/**
 * Marks in rendered text: at each lap over messages, at the end of such a loop, and around `{% generation %}`. They are made of
 * noncharacters that nothing of the input holds, so that whatever a message says cannot be taken for one.
 */
export class Marks {
  /** A mark, for a search. */
  readonly pattern: RegExp;

  private constructor(
    private readonly open: string,
    private readonly close: string,
    private readonly messages: ReadonlyMap<Value, number>,
  ) {
    this.pattern = new RegExp(`${open}[^${close}]*${close}`);
  }

  /** @returns null: the inputs hold so many noncharacters that none is left */
  static apartFrom(inputs: readonly string[], messages: readonly Value[]): Marks | null {
    const free = noncharacters.filter((char) => !inputs.some((input) => input.includes(char)));
    const [open, close] = free;
    if (open === undefined || close === undefined) return null;
    return new Marks(open, close, new Map(messages.map((message, index) => [message, index])));
  }

  messageOf(value: Value): number | null {
    return this.messages.get(value) ?? null;
  }

  message(loop: number, index: number): string {
    return `${this.open}m${loop}:${index}${this.close}`;
  }

  end(loop: number): string {
    return `${this.open}e${loop}${this.close}`;
  }

  generation(begins: boolean): string {
    return `${this.open}${begins ? 'g' : 'h'}${this.close}`;
  }

  /**
   * The text without marks, and what they said. The outermost loop owns what it prints: templates look ahead in loops within.
   * Places count UTF-16 units of the text, `[from, to)`.
   */
  read(marked: string): MarkedText {
    const pieces = marked.split(new RegExp(`${this.open}([^${this.close}]*)${this.close}`));
    const spans: MessageSpan[] = [];
    const generations: Range[] = [];
    let [text, active, began]: [string, { loop: string; index: number; from: number } | null, number | null] =
      [pieces[0] ?? '', null, null];
    const close = () => {
      if (active !== null && text.length > active.from)
        spans.push({ index: active.index, from: active.from, to: text.length });
    };
    for (let at = 1; at < pieces.length; at += 2) {
      const mark = pieces[at] ?? '';
      if (mark === 'g') began = text.length;
      else if (mark === 'h') {
        if (began !== null) generations.push({ from: began, to: text.length });
        began = null;
      } else if (mark.startsWith('e')) {
        if (active?.loop === mark.slice(1)) {
          close();
          active = null;
        }
      } else {
        const [loop = '', index = ''] = mark.slice(1).split(':');
        if (active === null || active.loop === loop) {
          close();
          active = { loop, index: Number(index), from: text.length };
        }
      }
      text += pieces[at + 1] ?? '';
    }
    close();
    return { text, spans, generations };
  }
}

export interface Range {
  from: number;
  to: number;
}

/** What was printed in one lap over a message. */
export interface MessageSpan extends Range {
  index: number;
}

export interface MarkedText {
  text: string;
  /** In the order of the text; those without text are left out. */
  spans: MessageSpan[];
  generations: Range[];
}

const noncharacters = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));
