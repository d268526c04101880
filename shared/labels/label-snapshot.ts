import type { RuleValue } from '../contract/rules/rule-settings';
import type { MachinePrecedence } from './labels';

/** Rules with their parameters, and how they meet the judge, under the name of their content. */
interface SnapshotRules {
  version: string;
  precedence: MachinePrecedence;
  rules: { id: string; version: number; parameters: Readonly<Record<string, RuleValue>> }[];
}

/** Everything that effective labels depend on. */
export interface LabelSnapshot {
  /** Each run with the seq of the last event that counts, and the version of its rules. */
  runs: { run: string; seq: number; rules: string }[];
  /** Ids of all annotation entries that were folded. */
  entries: string[];
  /** Every set that some run names; tasks may differ in their rules. */
  ruleSets: readonly SnapshotRules[];
}

/** The text whose sha256 names the snapshot: the same facts give the same text, in whatever order they came. */
export function snapshotText({ runs, entries, ruleSets }: LabelSnapshot): string {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return JSON.stringify({
    runs: runs.map(({ run, seq, rules }) => ({ run, seq, rules })).sort((a, b) => byText(a.run, b.run)),
    entries: [...new Set(entries)].sort(byText),
    ruleSets: ruleSets
      .map(({ version, precedence, rules }) => ({
        version,
        precedence,
        rules: rules
          .map(({ id, version: own, parameters }) => ({
            id,
            version: own,
            parameters: Object.fromEntries(Object.entries(parameters).sort(([a], [b]) => byText(a, b))),
          }))
          .sort((a, b) => byText(a.id, b.id)),
      }))
      .sort((a, b) => byText(a.version, b.version)),
  });
}
