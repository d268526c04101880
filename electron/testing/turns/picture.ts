import { createHash } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import type { Store } from '../../store/api';

/** Clocks and what belongs to one process or file: two workspaces with the same history differ in these. */
const OWN = new Set([
  'workingMs',
  'at',
  'createdAt',
  'changedAt',
  'queuedAt',
  'deliveredAt',
  'lastByteAt',
  'device',
  'deviceSeq',
]);
const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;

/** Everything that a workspace shows of its runs, free of clocks; equal histories give equal pictures. */
export async function picture(store: Store): Promise<Record<string, unknown>> {
  const { reader } = store;
  const runs = (await reader.runs()).sort((a, b) => (a.id < b.id ? -1 : 1));
  const shown: Record<string, unknown> = {};
  for (const summary of runs) {
    const { id, steps } = summary;
    const sessions = await Promise.all(
      (await reader.sessions(id)).map(async (session) => {
        const { bytes } = await reader.readSession(id, session.uid, 0, 10_000_000);
        return { ...session, bytes: createHash('sha256').update(bytes).digest('hex') };
      }),
    );
    const texts = await Promise.all(
      Array.from({ length: steps }, (_, index) => shownTexts(store, id, index + 1)),
    );
    shown[id] = clean(
      {
        summary,
        heads: await reader.heads(id, 1, Math.max(1, steps)),
        tiles: await reader.tiles(id),
        sessions,
        texts,
        annotations: await reader.annotations(id),
        hints: await reader.hints(id),
        rules: await reader.ruleCounts(id),
      },
      id,
    );
  }
  shown.rubrics = (await reader.rubricsOf(['demo'])).map(({ kind, text, author }) => ({
    kind,
    text,
    author,
  }));
  return shown;
}

/** Hashes of what the step observed; the failure's code for a step whose own run has been removed. */
async function shownTexts({ reader }: Store, run: string, step: number): Promise<string[] | string> {
  try {
    const { observations } = await reader.step(run, step);
    return observations.map(({ text }) => createHash('sha256').update(text).digest('hex'));
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') return thrown.code;
    throw thrown;
  }
}

/** Without clocks, and with ids that a store draws itself replaced by the order in which they appear. */
function clean(value: unknown, run: string): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) => (OWN.has(key) ? undefined : inner));
  const seen = new Map<string, string>([[run, run]]);
  return JSON.parse(
    text.replaceAll(ULID, (id) => {
      const name = seen.get(id) ?? `id ${seen.size}`;
      seen.set(id, name);
      return name;
    }),
  );
}

/** Where two pictures differ, a line each: the path, what the first has, and what the second has. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  const parts = (value: unknown) =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  const [left, right] = [parts(one), parts(other)];
  if (left === null || right === null || Array.isArray(one) !== Array.isArray(other)) {
    return Object.is(one, other)
      ? []
      : [`${path}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`];
  }
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}/${key}`));
}
