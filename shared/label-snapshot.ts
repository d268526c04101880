import type { MachinePrecedence } from './labels';

/** Everything that effective labels depend on. */
export interface LabelSnapshot {
  /** Each run with the seq of the last event that counts. */
  runs: { run: string; seq: number }[];
  /** Ids of all annotation entries that were folded. */
  entries: string[];
  rules: {
    id: string;
    version: number;
    parameters: Readonly<Record<string, number | string | boolean | readonly string[]>>;
  }[];
  precedence: MachinePrecedence;
}

/** The text whose sha256 names the snapshot: the same facts give the same text, in whatever order they came. */
export function snapshotText({ runs, entries, rules, precedence }: LabelSnapshot): string {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return JSON.stringify({
    runs: runs.map(({ run, seq }) => ({ run, seq })).sort((a, b) => byText(a.run, b.run)),
    entries: [...new Set(entries)].sort(byText),
    rules: rules
      .map(({ id, version, parameters }) => ({
        id,
        version,
        parameters: Object.fromEntries(Object.entries(parameters).sort(([a], [b]) => byText(a, b))),
      }))
      .sort((a, b) => byText(a.id, b.id)),
    precedence,
  });
}
