import type { KeepCode } from './keep-reasons';
import type { CommandId } from './keymap';

/** The keys of each reason to keep, in the order of the guideline. */
export const keepCommands: Readonly<Record<KeepCode, CommandId>> = {
  'keep-sleep-while-training': 'keep.sleep',
  'keep-debugging': 'keep.debugging',
  'keep-exploration': 'keep.exploration',
  'keep-backup': 'keep.backup',
};
