import {
  noRuleSettings,
  precedences,
  type RuleSettings,
  ruleChoiceSchema,
  ruleIds,
} from '@shared/contract/rules/rule-settings';
import type { StoredRuleSettings } from '@shared/contract/rules/rule-views';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { rowSum } from '../log/hashing';

interface Row {
  task: string;
  body: string;
  at: number;
  author: string;
  sum: Buffer;
}

/** What the workspace says about the rules of a task; null: nothing. One row by key. */
export function readRuleSettings(statements: Statements, task: string): StoredRuleSettings | null {
  const row = statements.get<Row>('SELECT task, body, at, author FROM rule_setting WHERE task = ?', task);
  return row === undefined
    ? null
    : { task, settings: parseSettings(row.body), at: row.at, author: row.author };
}

/** Null takes the workspace's word back. */
export function writeRuleSettings(
  statements: Statements,
  task: string,
  settings: RuleSettings | null,
  at: number,
  author: string,
): void {
  if (settings === null) {
    statements.run('DELETE FROM rule_setting WHERE task = ?', task);
    return;
  }
  const row = [task, JSON.stringify(settings), Math.round(at), author] as const;
  statements.run(
    'INSERT OR REPLACE INTO rule_setting (task, body, at, author, sum) VALUES (?, ?, ?, ?, ?)',
    ...row,
    rowSum(...row),
  );
}

/** Steps that each rule speaks about in a run, by the rule's id. */
export function readRuleCounts(statements: Statements, run: number): Partial<Record<string, number>> {
  const rows = statements.all<{ rule: string; n: number }>(
    'SELECT rule, count(*) AS n FROM rule_mark WHERE step BETWEEN ? AND ? GROUP BY rule',
    rowId(run, 0),
    rowId(run, LAST_SEQ),
  );
  return Object.fromEntries(rows.map(({ rule, n }) => [rule, n]));
}

interface KnownSettings {
  body: string;
  settings: RuleSettings;
  /** State of the file in which the row was read; undefined: not known. */
  version: unknown;
}

/** The settings of each task as stored now, parsed once per content: asked before every append. */
export class RuleSettingTable {
  private readonly known = new Map<string, KnownSettings>();

  constructor(private readonly statements: Statements) {}

  /**
   * `version`: state of the file as of this transaction (`OpenRuns.version`). The row is not read again as long as it is the same:
   * no other connection has committed, and what this one writes is `forgotten`.
   */
  of(task: string, version?: unknown): { settings: RuleSettings; body: string } {
    const before = this.known.get(task);
    if (before !== undefined && version !== undefined && before.version === version) {
      return before;
    }
    const row = this.statements.get<{ body: string }>('SELECT body FROM rule_setting WHERE task = ?', task);
    const body = row?.body ?? '';
    const settings =
      before?.body === body ? before.settings : row === undefined ? noRuleSettings : parseSettings(body);
    const known = { body, settings, version };
    this.known.set(task, known);
    return known;
  }

  /** This connection has written settings, or has taken back what it wrote. */
  forget(): void {
    this.known.clear();
  }
}

/**
 * What this application knows of it: a rule of a newer one is left out, so that a run goes on. Damage is `verify`'s
 * business: the row has a checksum.
 */
function parseSettings(body: string): RuleSettings {
  const stored = jsonObject(body);
  const choices = typeof stored.rules === 'object' && stored.rules !== null ? stored.rules : {};
  const rules: RuleSettings['rules'] = {};
  for (const id of ruleIds) {
    const choice = ruleChoiceSchema.safeParse((choices as Record<string, unknown>)[id]);
    if (choice.success) {
      rules[id] = choice.data;
    }
  }
  const precedence = precedences.find((each) => each === stored.precedence);
  return { rules, ...(precedence === undefined ? {} : { precedence }) };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (thrown) {
    if (thrown instanceof SyntaxError) {
      return {};
    }
    throw thrown;
  }
}
