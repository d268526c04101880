import type { Lineage, LineageNode } from '@shared/contract/checkpoint-views';
import type { RunSummary } from '@shared/contract/views';
import type { StoreReader } from '../store/api';

/** The family of a run: its oldest forefather that is still there, and every branch below that one. */
export async function lineageOf(
  reader: Pick<StoreReader, 'run' | 'runs' | 'checkpoints'>,
  run: string,
): Promise<Lineage> {
  const wanted = await reader.run(run);
  const all = new Map((await reader.runs()).map((each) => [each.id, each]));
  all.set(run, wanted);
  let root = wanted;
  for (const seen = new Set<string>(); root.parent !== null && !seen.has(root.id); ) {
    seen.add(root.id);
    const parent = all.get(root.parent.run);
    if (parent === undefined) break;
    root = parent;
  }
  const family = familyOf(root, [...all.values()]);
  const nodes = await Promise.all(family.map((each) => nodeOf(reader, each, all)));
  return { nodes };
}

/** Parents before children, children by where they leave their parent. A root that is gone keeps its orphans together. */
function familyOf(root: RunSummary, all: readonly RunSummary[]): RunSummary[] {
  const forefather = root.parent?.run ?? null;
  const first =
    forefather === null ? [root] : all.filter(({ parent }) => parent?.run === forefather).sort(byBranch);
  const family = [...first];
  const known = new Set(family.map(({ id }) => id));
  for (const each of family) {
    const branches = all.filter(({ id, parent }) => parent?.run === each.id && !known.has(id)).sort(byBranch);
    for (const branch of branches) {
      known.add(branch.id);
      family.push(branch);
    }
  }
  return family;
}

function byBranch(a: RunSummary, b: RunSummary): number {
  return (a.parent?.step ?? 0) - (b.parent?.step ?? 0) || (a.id < b.id ? -1 : 1);
}

async function nodeOf(
  reader: Pick<StoreReader, 'checkpoints'>,
  { id, title, parent, steps, state, scores, checkpoints }: RunSummary,
  all: ReadonlyMap<string, RunSummary>,
): Promise<LineageNode> {
  const kept = checkpoints === 0 ? [] : await reader.checkpoints(id);
  return {
    run: id,
    title,
    steps,
    state,
    best: scores.best,
    parent: parent === null ? null : { ...parent, gone: !all.has(parent.run) },
    checkpoints: kept.map(({ checkpoint, step }) => ({ checkpoint, step })),
  };
}
