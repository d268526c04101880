import type { CommandId } from '../../state/keys/keymap';

/** What appendix E of APOLLO calls essential to keep, by the names of the rules that recognise it; reasons for TRAIN only. */
export const keepCodes = [
  'keep-sleep-while-training',
  'keep-debugging',
  'keep-exploration',
  'keep-backup',
] as const;
export type KeepCode = (typeof keepCodes)[number];

/** The reason that goes with a decision: one to keep goes with no MASK. */
export function fitting(reason: string | null, value: 'train' | 'mask' | 'clear'): string | null {
  const keeps: readonly string[] = keepCodes;
  return value === 'mask' && reason !== null && keeps.includes(reason) ? null : reason;
}

/** The keys of each reason to keep, in the order of the guideline. */
export const keepCommands: Readonly<Record<KeepCode, CommandId>> = {
  'keep-sleep-while-training': 'keep.sleep',
  'keep-debugging': 'keep.debugging',
  'keep-exploration': 'keep.exploration',
  'keep-backup': 'keep.backup',
};
