/** Paths and commands up to this many characters are fine: naming `train.py` or `ls -l` teaches no single step by rote. */
export const LITERAL_CHARACTERS = 20;

/** What makes a hint read like one step to copy. */
export interface HintNudge {
  kind: 'path' | 'command';
  /** The literal as it stands in the hint, at most one line. */
  found: string;
}

/** Code in backticks, one line or several. The language after a fence is no code. */
const CODE = /```[^\n`]*\n([\s\S]*?)(?:```|$)|(`{1,2})([^`\n]+)\2/gu;
/** A prompt, or a program whose name is no English word, with at least one argument behind it. */
const COMMAND_LINE =
  /^[ \t]*(?:\$[ \t]+\S.*|(?:sudo[ \t]+|[A-Z_][A-Z0-9_]*=\S+[ \t]+)*(?:python[\d.]*|pip3?|conda|torchrun|accelerate|deepspeed|bash|sh|git|wget|curl|sed|awk|grep|chmod|mkdir|rsync|scp|ssh|tar|nohup|llamafactory-cli|npx?|uv)[ \t]+\S.*)$/mu;
/** Absolute, home, relative with dots, or bare with two separators and an extension. Addresses of pages are no paths. */
const PATH =
  /(?<![\w:/.~-])(?:~|\.{1,2})?(?:\/[\w@%+=.,-]+){2,}\/?|(?<![\w:/.~-])[\w@%+=.-]+(?:\/[\w@%+=.-]+)+\/[\w@%+=-]*\.\w+/gu;
const URL = /\b[a-z][a-z0-9+.-]*:\/\/\S+/giu;
/** What a sentence puts behind a path. */
const CLOSING = /[.,;:!?]+$/u;

/**
 * Whether a hint holds a literal path or command longer than `LITERAL_CHARACTERS`: such a hint solves one step, while people
 * are asked for guidance that carries over to other tasks (APOLLO §3.3). It nudges and never blocks; null = nothing to say.
 */
export function nudge(text: string): HintNudge | null {
  const plain = text.replace(URL, (address) => ' '.repeat(address.length));
  const command = quotedCommand(plain) ?? long(COMMAND_LINE.exec(plain)?.[0]);
  if (command !== null) {
    return { kind: 'command', found: command };
  }
  for (const [match] of plain.matchAll(PATH)) {
    const path = long(match.replace(CLOSING, ''));
    if (path !== null) {
      return { kind: 'path', found: path };
    }
  }
  return null;
}

/** A long piece of code with words in it; one word alone is a name or a path. */
function quotedCommand(text: string): string | null {
  for (const [, block, , inline] of text.matchAll(CODE)) {
    const code = (block ?? inline ?? '').trim();
    if (/\s/u.test(code) && code.length > LITERAL_CHARACTERS) {
      return code.split('\n', 1)[0]?.trim() ?? code;
    }
  }
  return null;
}

function long(found: string | undefined): string | null {
  const trimmed = found?.trim() ?? '';
  return trimmed.length > LITERAL_CHARACTERS ? trimmed : null;
}
