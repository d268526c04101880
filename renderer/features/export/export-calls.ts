import type { RedactionView } from '@shared/contract/export-views';
import type { CommandInput } from '@shared/contract/ipc';
import { call } from '../../api';
import { type Asked, useAskedWith } from '../../state/answers';

/** Options as they are sent: everything that has a default may be left out. */
export type OptionsInput = CommandInput<'export.start'>;

const ask = call as unknown as (command: string, input: unknown) => Promise<RedactionView>;

/** What would be replaced in the files; null asks nothing. */
export function useFindings(options: OptionsInput | null, version: string): Asked<RedactionView | null> {
  return useAskedWith(['export.findings', options, version], async () =>
    options === null ? null : ask('export.findings', options),
  );
}
