import type { CommandInput } from '@shared/contract/ipc';

/** Options as they are sent: everything that has a default may be left out. */
export type OptionsInput = CommandInput<'export.start'>;
