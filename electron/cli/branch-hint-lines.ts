import type { BranchHints } from '../branches/branch-hints';
import { table } from './output';

/** Where a branch comes from, and the hints it took over, left out and began with. */
export function branchHintLines({ parent, inherited, dropped, added }: BranchHints): string[] {
  const rows = (word: string, hints: BranchHints['added'], where: (step: number) => string) =>
    hints.map(({ text, step }) => [word, where(step), text ?? 'its text was removed with its run']);
  const after = (step: number) => (step === 0 ? 'with the task' : `after step ${step}`);
  return [
    `A branch of run ${parent.run} after step ${parent.step}.`,
    ...table([
      ...rows('inherited', inherited, after),
      ...rows('dropped', dropped, after),
      ...rows('added', added, after),
    ]),
  ];
}
