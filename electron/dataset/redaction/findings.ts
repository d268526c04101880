import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { WaymarkError } from '@shared/contract/errors';
import type { FindingView, RedactionView } from '@shared/contract/export-views';
import type { DatasetReader } from '../event-pages';
import type { ExportPlan } from '../plan';
import { type DatasetRow, datasetRows } from '../rows';
import { redactRow } from './redact-row';
import { type Placeholders, Redactor } from './redactor';
import type { RedactionSettings } from './settings';
import { findingName, type TextHit } from './text-finder';

/** Places that are listed of each finding, and findings of a report: the most frequent ones. */
const MOST_PLACES = 20;
const MOST_FINDINGS = 5_000;

interface Finding {
  hit: Omit<TextHit, 'part'>;
  allowed: boolean;
  count: number;
  places: FindingView['places'];
}

/**
 * What would be taken out of rows, gathered row by row: the report, and the number of each placeholder. Numbers follow from the
 * secrets and names alone, in whatever order rows come, so that the same snapshot gives the same bytes. It holds no secret.
 */
export class Census {
  private readonly redactor: Redactor;
  private readonly findings = new Map<string, Finding>();

  constructor(settings: RedactionSettings) {
    this.redactor = new Redactor(settings, (hit) => placeholder(hit, 0));
  }

  add(row: DatasetRow): void {
    redactRow(row, this.redactor, (hits, place, allowed) => {
      for (const hit of hits) this.count(hit, place, allowed);
    });
  }

  placeholders(): Map<string, string> {
    const numbers = new Map<string, number>();
    const taken = [...this.findings].filter(([, { allowed }]) => !allowed);
    const order = taken.sort(([a], [b]) => (orderOf(a) < orderOf(b) ? -1 : 1));
    return new Map(
      order.map(([identity, { hit }]) => {
        const kind = hit.secret ?? hit.kind;
        const number = (numbers.get(kind) ?? 0) + 1;
        numbers.set(kind, number);
        return [identity, placeholder(hit, number)];
      }),
    );
  }

  /** Names of what a person lets stand. */
  allowedNames(): string[] {
    return [...this.findings.values()].flatMap(({ hit, allowed }) => (allowed ? [findingName(hit)] : []));
  }

  view(): RedactionView {
    const placeholders = this.placeholders();
    const findings = [...this.findings].map(([identity, { hit, count, places, allowed }]): FindingView => {
      const name = findingName(hit);
      return {
        name,
        rule: hit.rule,
        kind: hit.kind,
        placeholder: placeholders.get(identity) ?? '',
        excerpt: hit.excerpt,
        count,
        places,
        allowed,
      };
    });
    findings.sort((a, b) => ORDER[a.kind] - ORDER[b.kind] || b.count - a.count || (a.name < b.name ? -1 : 1));
    return { findings: findings.slice(0, MOST_FINDINGS), scannedBytes: this.redactor.scannedBytes };
  }

  private count(hit: TextHit, place: FindingView['places'][number], allowed: boolean): void {
    const known = this.findings.get(hit.identity);
    const { part: _secret, ...told } = hit;
    if (known === undefined) {
      this.findings.set(hit.identity, { hit: told, allowed, count: 1, places: [place] });
      return;
    }
    known.count += 1;
    // The same secret may be found by several rules; which one it is called by must not depend on the order of rows.
    if (better(hit, known.hit)) known.hit = told;
    const { places } = known;
    if (places.length >= MOST_PLACES) return;
    const { run, step, field } = place;
    if (!places.some((each) => each.run === run && each.step === step && each.field === field))
      places.push(place);
  }
}

const ORDER = { secret: 0, user: 1, host: 2, home: 3 } as const;

function placeholder({ kind, secret }: Pick<TextHit, 'kind' | 'secret'>, number: number): string {
  return secret === null ? `<<${kind}:${number}>>` : `<<${kind}:${secret}:${number}>>`;
}

/** Says nothing about the secret, and nobody can choose it. */
function orderOf(identity: string): string {
  return createHash('sha256').update(`order ${identity}`).digest('hex');
}

function better(a: TextHit, b: Finding['hit']): boolean {
  const rank = ({ secret }: Pick<TextHit, 'secret'>) =>
    secret === 'known' ? 0 : secret === 'password' ? 2 : 1;
  return rank(a) - rank(b) < 0 || (rank(a) === rank(b) && a.rule < b.rule);
}

export interface FindOptions {
  settings: RedactionSettings;
  signal?: AbortSignal | undefined;
  /** Events read so far. */
  onEvents?: (count: number) => void;
}

/**
 * Goes over the rows of a plan and finds what would be taken out of them; one row is held at a time. `export findings` shows the
 * census; an export takes the numbers of its placeholders from it.
 * @throws WaymarkError `cancelled`, `workspace_corrupt`
 */
export async function findSecrets(
  reader: DatasetReader,
  plan: ExportPlan,
  { settings, signal, onEvents }: FindOptions,
): Promise<Census> {
  const census = new Census(settings);
  if (settings.level === 'off') return census;
  for await (const row of datasetRows(reader, plan, { signal, ...(onEvents && { onEvents }) })) {
    census.add(row);
    // Others are answered between two rows, and a wish to stop is heard.
    await setImmediate();
    if (signal?.aborted) throw new WaymarkError('cancelled', 'The search for secrets was cancelled.');
  }
  return census;
}

/** Redacts with the numbers that a census found. */
export function redactorOf(settings: RedactionSettings, census: { placeholders(): Placeholders }): Redactor {
  return new Redactor(settings, census.placeholders());
}
