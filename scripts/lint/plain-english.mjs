/**
 * What a native reader stumbles over, and what to write instead. One list for every text that people read: a folder or file is
 * held to it by a line in `plain-english.test.mjs`.
 *
 * @type {readonly { pattern: RegExp, write: string }[]}
 */
export const awkward = [
  {
    pattern: /(?:^|[.;:!?]\s|\bfor\s)who (?:reads?|leads?|works?|looks?|decides?|asks?|wants?|needs?)\b/i,
    write: 'anyone who, or a noun: “blind reviewers”',
  },
  { pattern: /\b(?:is|are|was|were|you are) told\b/i, write: 'notified, shown' },
  { pattern: /\bnot told\b/i, write: 'not reported' },
  { pattern: /\bby (?:itself|themselves)\b/i, write: 'automatically, on its own' },
  { pattern: /\ball the same\b/i, write: 'anyway' },
  { pattern: /\bt(?:ake|akes|aken|aking|ook)(?: \w+){0,3} back\b/i, write: 'undo, withdraw' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, write: 'fix' },
  { pattern: /\bstands? (?:beside|here|there|in the|with)\b/i, write: 'is, appears, is shown next to' },
  { pattern: /\b(?:every )?so many (?!that\b)/i, write: 'a number, “every few”' },
  {
    pattern: /\b(?:wants|asks for) you(?:r word)?\b(?! approval)/i,
    write: 'needs your attention, needs your answer',
  },
  { pattern: /\bfound out\b/i, write: 'unknown, determined' },
  { pattern: /\bnobody[’']s\b|\bsomebody[’']s to\b/i, write: 'unassigned; nobody has …' },
  { pattern: /\bby comma\b/i, write: 'separate with commas' },
  { pattern: /\bgo(?:es)? on\b(?! from)/i, write: 'continue' },
  { pattern: /\bunder way\b/i, write: 'current, in progress' },
  { pattern: /['`]Waits\b/, write: 'Waiting' },
  { pattern: /\blook(?:ed|s)? (?:at it|at them)\b/i, write: 'view, show' },
  { pattern: /\bwhat is not there\b|\bthan there are\b/i, write: 'not available, than available' },
  { pattern: /\b(?:kept|keeps|keep) aside\b/i, write: 'set aside' },
  { pattern: /\btaken over\b/i, write: 'inherited, imported' },
];

/**
 * @param {string} text
 * @returns {{ line: number, found: string, write: string }[]}
 */
export function awkwardIn(text) {
  return text.split('\n').flatMap((content, at) =>
    awkward.flatMap(({ pattern, write }) => {
      const found = pattern.exec(content)?.[0];
      return found === undefined ? [] : [{ line: at + 1, found, write }];
    }),
  );
}
