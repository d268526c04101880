import { WaymarkError } from '@shared/contract/errors';
import type { ExportFormat } from '@shared/contract/export-request';
import type { Target } from './target';

/** One line for each target. Its code is loaded when it is first asked for: neither window nor command line waits for it. */
const targets: Partial<Record<ExportFormat, () => Promise<Target>>> = {
  slime: async () => (await import('./slime')).slime,
};

/** Formats that can be written, in the order of the list that people see. */
export const targetFormats = Object.keys(targets) as ExportFormat[];

/** @throws WaymarkError `unsupported` that names the formats that can be written */
export async function loadTarget(format: ExportFormat): Promise<Target> {
  const load = Object.hasOwn(targets, format) ? targets[format] : undefined;
  if (load !== undefined) return load();
  throw new WaymarkError(
    'unsupported',
    `Format "${format}" cannot be written. Choose one of ${targetFormats.join(', ')}.`,
  );
}
