import type { EventBody } from '@shared/log/events';

type Inherited = EventBody<'step.inherited'>;
export type InheritedFiles = NonNullable<Inherited['files']>;

/** What a branch said to the agent at the end of the last step that it took over, in logs without `files`; its words stay here. */
const notice =
  /\[Workspace moved\] The workspace is now .+\. Paths under (.+) above stand for the same paths under .+; do not use the old folder any more\. The files are (.+)/;

/**
 * What is known of the files of inherited steps, in their order. Older logs do not hold it: it is read from what the agent was
 * told of it, and null where that is gone.
 */
export function inheritedFiles(steps: readonly Inherited[]): (InheritedFiles | null)[] {
  let root: string | null = null;
  let copied = Number.POSITIVE_INFINITY;
  const backwards = [...steps].reverse().map(({ answered, taught, files }): InheritedFiles | null => {
    const [, from, words] = notice.exec(taught ?? '') ?? [];
    if (from !== undefined && words !== undefined) {
      root = from;
      copied = Math.min(copied, answered.step - undoneSteps(words, answered.step));
    }
    if (files !== undefined) return files;
    return root === null ? null : { root, ...(answered.step > copied ? { undone: true } : {}) };
  });
  return backwards.reverse();
}

/** How many steps before the branch its files are older. */
function undoneSteps(words: string, step: number): number {
  if (words.startsWith("the task's own")) return step;
  const [found, count] = /^as they were before your last (?:(\d+) actions|action) above/.exec(words) ?? [];
  return found === undefined ? 0 : Number(count ?? 1);
}

/** `text` with every path below the one folder as a path below the other. */
export function movedTo(from: string, to: string): (text: string) => string {
  if (from === '' || from === to) return (text) => text;
  const whole = new RegExp(
    `(?<![\\w.~/-])${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=$|[^\\w.~-])`,
    'g',
  );
  return (text) => (text.includes(from) ? text.replace(whole, () => to) : text);
}

/** Facts of an observation with the paths in them moved. */
export function movedFacts(
  data: Record<string, unknown>,
  move: (text: string) => string,
): Record<string, unknown> {
  const moved = (value: unknown) => (typeof value === 'string' ? move(value) : value);
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Array.isArray(value) ? value.map(moved) : moved(value)]),
  );
}
