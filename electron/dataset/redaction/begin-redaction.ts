import { createHash } from 'node:crypto';
import type { DatasetReader } from '../event-pages';
import type { ExportPlan } from '../plan';
import { findSecrets } from './findings';
import { Redactor } from './redactor';
import { type PrivateSources, redactionSettings } from './settings';

/** What the first pass over the rows found: identities, which are hashes, and their placeholders. */
export interface KnownRedaction {
  placeholders: [identity: string, placeholder: string][];
  /** Names of what was found and stays, because a person allowed it. */
  allowed: string[];
}

export interface BegunRedaction {
  redactor: Redactor;
  /** Names that were allowed and that nothing has. */
  allowedNotFound: string[];
}

export interface BeginOptions {
  sources?: PrivateSources | undefined;
  signal?: AbortSignal | undefined;
  /** What was found before under a key, else what is found now: an export that goes on after a kill does not look again. */
  known(key: string, find: () => Promise<KnownRedaction>): Promise<KnownRedaction>;
}

/**
 * The redactor of an export, with its numbers fixed: the rows of the plan are gone over once before the first is written.
 * @throws WaymarkError `cancelled`, `workspace_corrupt`
 */
export async function beginRedaction(
  reader: DatasetReader,
  plan: ExportPlan,
  { sources, signal, known }: BeginOptions,
): Promise<BegunRedaction> {
  const settings = redactionSettings(plan.runs, plan.options, sources);
  const find = async (): Promise<KnownRedaction> => {
    const census = await findSecrets(reader, plan, { settings, signal });
    return { placeholders: [...census.placeholders()], allowed: census.allowedNames() };
  };
  const key = createHash('sha256')
    .update(JSON.stringify([plan.snapshot, settings]))
    .digest('hex');
  const nothing: KnownRedaction = { placeholders: [], allowed: [] };
  const { placeholders, allowed } = settings.level === 'off' ? nothing : await known(key, find);
  const found = new Set(allowed);
  return {
    redactor: new Redactor(settings, new Map(placeholders)),
    allowedNotFound: settings.allowed.filter((name) => !found.has(name)),
  };
}

/** What the manifest tells of redaction: how it was asked for, and what a person let stand. */
export function redactionOf({ settings }: Redactor): {
  mode: Redactor['settings']['level'];
  allowed: readonly string[];
} {
  return { mode: settings.level, allowed: settings.allowed };
}
