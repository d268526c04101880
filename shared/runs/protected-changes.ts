/** What evaluations found of files that the task protects. */
export interface ProtectedChanges {
  /** How many evaluations found some changed, added or removed. */
  evaluations: number;
  /** The first of them, below the workspace, sorted within an evaluation. */
  paths: string[];
}

/** Most paths that are named; the log has them all. */
export const mostProtectedPaths = 20;

/** What one more evaluation adds to what earlier ones found. */
export function addProtectedChanges(
  known: ProtectedChanges | undefined,
  changed: readonly string[],
): ProtectedChanges | undefined {
  if (changed.length === 0) return known;
  const paths = new Set(known?.paths);
  for (const path of changed) {
    if (paths.size >= mostProtectedPaths) break;
    paths.add(path);
  }
  return { evaluations: (known?.evaluations ?? 0) + 1, paths: [...paths] };
}
