/** A piece of a code line and the voice it is painted in; '' = plain. */
export interface CodePiece {
  text: string;
  voice: '' | 'keyword' | 'string' | 'number' | 'comment';
}

/** Longer texts and lines keep one colour. */
export const MAX_COLOURED = 64 * 1024;
const MAX_LINE = 2000;

const voices: [RegExp, CodePiece['voice']][] = [
  [/^(?:comment)/, 'comment'],
  [/^(?:string|regexp|attribute\.value)/, 'string'],
  [/^(?:number|constant)/, 'number'],
  [/^(?:keyword|tag|metatag|type\.identifier\.keyword)/, 'keyword'],
];

function voiceOf(type: string): CodePiece['voice'] {
  return voices.find(([pattern]) => pattern.test(type))?.[1] ?? '';
}

/** Lines by their tokens (where each begins, and its type). Every character of the text is in exactly one piece. */
export function codeLines(
  text: string,
  tokens: readonly (readonly { offset: number; type: string }[])[],
): CodePiece[][] {
  return text.split('\n').map((line, at) => {
    const own = line.length > MAX_LINE ? [] : (tokens[at] ?? []);
    const starts = own.map(({ offset }) => Math.min(offset, line.length));
    const pieces: CodePiece[] = [];
    if ((starts[0] ?? line.length) > 0) pieces.push({ text: line.slice(0, starts[0]), voice: '' });
    own.forEach(({ type }, index) => {
      const text = line.slice(starts[index], starts[index + 1]);
      const voice = voiceOf(type);
      const last = pieces.at(-1);
      if (last?.voice === voice) last.text += text;
      else if (text !== '') pieces.push({ text, voice });
    });
    return pieces;
  });
}

/**
 * The pieces of a text in a language (an id, or found by the file's name), by Monaco's grammars, loaded on first use. Null
 * where there is no grammar or too much text. Monaco's own HTML is never used.
 */
export async function tokenised(
  text: string,
  by: { language?: string | undefined; path?: string | undefined },
): Promise<CodePiece[][] | null> {
  if (text.length > MAX_COLOURED) return null;
  const { editor, languageOf } = await import('../files/monaco');
  const language = by.language ?? languageOf(by.path ?? '');
  if (language === 'plaintext') return null;
  // Grammars come on first use, and this is the call that waits for them.
  await editor.colorize('', language, {});
  return codeLines(text, editor.tokenize(text.replaceAll('\r', ' '), language));
}
