import { formatter } from '../format';

export const common = {
  format: formatter({
    locale: 'en-US',
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
  enter: '↵',
  escape: 'Esc',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  remove: 'Remove',
  retry: 'Try again',
  more: 'More',
  copy: 'Copy',
  copied: 'Copied',
  copyDetails: 'Copy details',
  unknown: '?',
  none: 'None',
  loading: 'Reading…',
  dismiss: 'Dismiss',
  failedTitle: 'That did not work',
  steps: (n: number) => (n === 1 ? '1 step' : `${n.toLocaleString('en-US')} steps`),
};
