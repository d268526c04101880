import { formatter } from '../format';

/** "1 step", "2 steps"; a number that is formatted already stays as it is. */
export function plural(n: number | string, noun: string, nouns = `${noun}s`): string {
  return `${n.toLocaleString('en-US')} ${String(n) === '1' ? noun : nouns}`;
}

export const common = {
  /** Facts in one line. */
  list: (facts: readonly string[]) => facts.join(', '),
  format: formatter({
    locale: 'en-US',
    millisecond: 'ms',
    second: 's',
    minute: 'min',
    hour: 'h',
    day: 'd',
    now: 'now',
    unknown: '?',
  }),
  /** A key as printed on its cap. */
  mod: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  escape: 'Esc',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  remove: 'Remove',
  more: 'More',
  copyDetails: 'Copy details',
  unknown: '?',
  none: 'None',
  loading: 'Loading…',
  dismiss: 'Dismiss',
  steps: (n: number) => (n === 1 ? '1 step' : `${n.toLocaleString('en-US')} steps`),
};
