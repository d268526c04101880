import { WaymarkError } from '@shared/contract/errors';
import type { ExportFormat } from '@shared/contract/export-request';
import type { Target } from './target';

/** One line for each target. Its code is loaded when it is first asked for: neither window nor command line waits for it. */
const targets: Partial<Record<ExportFormat, () => Promise<Target>>> = {
  slime: async () => (await import('./slime')).slime,
  openai: async () => (await import('./openai')).openaiTarget,
  axolotl: async () => (await import('./axolotl')).axolotlTarget,
  'ms-swift': async () => (await import('./ms-swift')).msSwiftTarget,
  trl: async () => (await import('./trl')).trlTarget,
  'trl-completion': async () => (await import('./trl-completion')).trlCompletionTarget,
  'llamafactory-sharegpt': async () => (await import('./llamafactory-sharegpt')).llamafactorySharegptTarget,
  'llamafactory-openai': async () => (await import('./llamafactory-openai')).llamafactoryOpenaiTarget,
  'llamafactory-v1': async () => (await import('./llamafactory-v1')).llamafactoryV1Target,
  agenttraj: async () => (await import('./agenttraj')).agenttrajTarget,
  atif: async () => (await import('./atif')).atifTarget,
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
