/**
 * Characters that a reader cannot see but that change what a text means: control characters, direction marks,
 * zero-width characters, fillers, variation selectors beyond the usual one, tags, and unpaired surrogates.
 * Tab and line feed are not among them.
 */
const hidden = /(?!\t|\n|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** What they stand for, where a short name says more than a number. */
const names: Readonly<Record<string, string>> = {
  '\x07': 'BEL',
  '\x08': 'BS',
  '\x0d': 'CR',
  '\x1b': 'ESC',
  '\x7f': 'DEL',
};

export function hasHiddenCharacters(text: string): boolean {
  hidden.lastIndex = 0;
  return hidden.test(text);
}

/**
 * The text with every hidden character written out: `⟨ESC⟩`, `⟨U+202E⟩`. Line feeds and tabs stay; a carriage return before a
 * line feed is dropped. What is shown can be trusted to be all there is.
 */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, (character) => `⟨${nameOf(character)}⟩`);
}

/** One line of JSON whose every hidden character is escaped as JSON does: exact for a program, inert on a terminal. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return names[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
