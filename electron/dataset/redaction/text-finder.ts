import { createHash } from 'node:crypto';
import type { FindingView } from '@shared/contract/export-views';
import type { SecretKind } from '@shared/log/run-change-events';
import { DecodedScanner, type SecretPart } from '../../secrets/decoded-scanner';
import { readings } from '../../secrets/decoded-views';
import { whole } from '../../secrets/plain-text';
import { NameFinder } from './name-finder';
import type { RedactionSettings } from './settings';

/** Something that is taken out, in the text that was looked at. */
export interface TextHit {
  start: number;
  end: number;
  kind: FindingView['kind'];
  /** Of a secret. */
  secret: SecretKind | null;
  rule: string;
  /** The same for the same secret or name, however it is written. */
  identity: string;
  /** What a person may see of it. */
  excerpt: string;
  part?: SecretPart;
}

/** What stands in the place of something. */
const PLACEHOLDER = /<<(?:secret:[a-z_]{1,20}|user|host|home):\d{1,7}>>/g;

/** How a person names a finding to let it stand: the same wherever it is found, and nothing can be read from it. */
export function findingName({ kind, identity }: Pick<TextHit, 'kind' | 'identity'>): string {
  return `${kind}-${createHash('sha256').update(`finding ${identity}`).digest('hex').slice(0, 20)}`;
}

/** Finds what the settings take out of a text. */
export class TextFinder {
  private readonly secrets: DecodedScanner | null;
  private readonly names: NameFinder | null;
  private readonly allowed: ReadonlySet<string>;

  constructor({ level, secrets, names, allowed }: RedactionSettings) {
    this.secrets = level === 'strict' ? new DecodedScanner(secrets) : null;
    this.names = level === 'off' ? null : new NameFinder(names);
    this.allowed = new Set(allowed);
  }

  /** In order of the text; none overlaps another. `allowed` gets what a person lets stand. */
  find(text: string, allowed?: TextHit[]): TextHit[] {
    const hits: TextHit[] = [];
    if (text.length < 3) return hits;
    const read = readings(whole(text));
    for (const hit of this.secrets?.find(text, read) ?? []) {
      const { start, end, kind, rule, identity, shows, length, part } = hit;
      const excerpt = `${shows}… (${length} characters)`;
      hits.push({
        start,
        end,
        kind: 'secret',
        secret: kind,
        rule,
        identity,
        excerpt,
        ...(part && { part }),
      });
    }
    for (const view of this.names === null ? [] : [read.raw, read.plain, ...read.decoded]) {
      for (const { start, end, kind, rule, identity, name } of this.names?.find(view) ?? [])
        hits.push({ start, end, kind, secret: null, rule, identity, excerpt: name });
      if (read.plain === read.raw && read.decoded.length === 0) break;
    }
    return hits.length === 0 ? hits : this.standing(text, hits, allowed);
  }

  /** Without what stands in a placeholder's place already, what a person lets stand, and what lies in something else. */
  private standing(text: string, hits: TextHit[], allowed?: TextHit[]): TextHit[] {
    const places = [...text.matchAll(PLACEHOLDER)].map(
      ({ 0: found, index }) => [index, index + found.length] as const,
    );
    const rank = ({ kind }: TextHit) => (kind === 'secret' ? 0 : 1);
    hits.sort((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end);
    const apart: TextHit[] = [];
    let place = 0;
    for (const hit of hits) {
      while ((places[place]?.[1] ?? Number.POSITIVE_INFINITY) <= hit.start) place += 1;
      const [from = Number.POSITIVE_INFINITY, to = 0] = places[place] ?? [];
      if (hit.start >= from && hit.end <= to) continue;
      if (this.allowed.size > 0 && this.allowed.has(findingName(hit))) {
        allowed?.push(hit);
        continue;
      }
      const last = apart.at(-1);
      if (last === undefined || hit.start >= last.end) apart.push(hit);
      else if (rank(hit) < rank(last))
        Object.assign(last, hit, { start: last.start, end: Math.max(last.end, hit.end) });
      else if (rank(hit) === rank(last)) last.end = Math.max(last.end, hit.end);
    }
    return apart;
  }
}
