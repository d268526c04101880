/** A version of a task, and what the agent reads of it. */
export interface TaskText {
  task: string;
  hash: string;
  title: string;
  text: string;
}

export const overlapKinds = ['package', 'task', 'text', 'passages'] as const;
/**
 * How a task is in another set, the surest first: `package`: the same files; `task`: the same name with other files; `text`: another
 * name with the same description; `passages`: descriptions that share passages.
 */
export type OverlapKind = (typeof overlapKinds)[number];

export interface TaskOverlap {
  task: string;
  title: string;
  other: string;
  otherTitle: string;
  kind: OverlapKind;
  /** Of the passages of the shorter description, those that the other has as well, 0 to 1; 1 where the text is the same. */
  shared: number;
}

/** Words of a passage: as long as in the overlap analysis of Brown et al. (2020), appendix C. */
const PASSAGE = 13;
/** Less is what tasks of one author have in common anyway. */
const LEAST = 0.1;

/** Each task of `ones` with each of `others` that it overlaps with, the surest and largest overlaps first. */
export function taskOverlaps(ones: readonly TaskText[], others: readonly TaskText[]): TaskOverlap[] {
  const there = others.map(({ text }) => passagesOf(text));
  const holders = new Map<string, number[]>();
  for (const [nth, passages] of there.entries()) {
    for (const passage of passages) {
      const some = holders.get(passage);
      if (some === undefined) holders.set(passage, [nth]);
      else some.push(nth);
    }
  }
  const found = ones.flatMap((one) => {
    const passages = passagesOf(one.text);
    const counts = new Map<number, number>();
    for (const passage of passages) {
      for (const nth of holders.get(passage) ?? []) counts.set(nth, (counts.get(nth) ?? 0) + 1);
    }
    return others.flatMap((other, nth): TaskOverlap[] => {
      const fewest = Math.min(passages.size, there[nth]?.size ?? 0);
      const shared = fewest === 0 ? 0 : (counts.get(nth) ?? 0) / fewest;
      const kind = kindOf(one, other, shared);
      if (kind === null) return [];
      return [{ task: one.task, title: one.title, other: other.task, otherTitle: other.title, kind, shared }];
    });
  });
  const rank = ({ kind }: TaskOverlap) => overlapKinds.indexOf(kind);
  return found.sort((a, b) => rank(a) - rank(b) || b.shared - a.shared || (a.task < b.task ? -1 : 1));
}

function kindOf(one: TaskText, other: TaskText, shared: number): OverlapKind | null {
  if (one.hash === other.hash) return 'package';
  if (one.task === other.task) return 'task';
  if (shared === 1 && wordsOf(one.text).join(' ') === wordsOf(other.text).join(' ')) return 'text';
  return shared >= LEAST ? 'passages' : null;
}

/** A text of fewer words is one passage. */
function passagesOf(text: string): Set<string> {
  const words = wordsOf(text);
  const passages = new Set<string>();
  if (words.length === 0) return passages;
  for (let from = 0; from === 0 || from + PASSAGE <= words.length; from += 1) {
    passages.add(words.slice(from, from + PASSAGE).join(' '));
  }
  return passages;
}

/** Words without case and marks; each Chinese character is one. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
}
