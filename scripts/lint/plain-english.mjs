/**
 * What a native reader stumbles over, and what to write instead. One list for every text that people read: a line in `held` of
 * `plain-english.test.mjs` holds a folder or a file to it.
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
  { pattern: /\b(?:taken|takes?|took) over\b/i, write: 'inherited, imported, merged' },
  { pattern: /\bbrought back\b|\bcomes? back with\b/i, write: 'restored, recovered' },
  { pattern: /\bwhat is whole\b/i, write: 'what is intact' },
  {
    pattern:
      /(?<!\bthere )\bis no (?:entry|field|file|host|id|JSON|member|name|number|part|private|regular|valid)\b/i,
    write: 'is not a …',
  },
  { pattern: /\b(?:not|nobody) (?:\w+ )?any more\b/i, write: 'no longer' },
  { pattern: /\bis only read\b/i, write: 'is read-only' },
  { pattern: /\bbr(?:oken|oke|eaks?) (?:it )?off\b|\bbroken-off\b/i, write: 'interrupted, stopped' },
  { pattern: /\banew\b/i, write: 'again, re-' },
  {
    pattern: /\b(?:come|comes|came) to rest\b|\bat rest\b(?! and in memory)/i,
    write: 'has ended, has paused',
  },
  { pattern: /\bdr(?:ive|ives|iven|ove) (?:a run |it )on\b/i, write: 'continue' },
  { pattern: /\bgo together\b/i, write: 'can be combined' },
  { pattern: /\bstands? for a (?:run|text)\b|\bwhat stands in\b/i, write: 'is used as; the text at' },
  { pattern: /\bsigns? that mean\b/i, write: 'characters that mean' },
  { pattern: /\bnot looked for[.:]|\blook(?:ed)? whether\b/i, write: 'not checked; check whether' },
  { pattern: /\ball that the \w+ (?:was|is)\b/i, write: 'everything the …' },
];

/**
 * Code without its comments, line for line, so that only its texts are held.
 *
 * @param {string} code
 */
export function withoutComments(code) {
  return code
    .split('\n')
    .map((line) => (/^\s*(?:\/\/|\/?\*)/.test(line) ? '' : line.replace(/\s\/\/ .*$/, '')))
    .join('\n');
}

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
