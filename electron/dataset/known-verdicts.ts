import { noRuleSettings } from '@shared/contract/rules/rule-settings';
import type { MachinePrecedence, RuleVerdict } from '@shared/labels/labels';
import type { EventOf } from '@shared/log/events';
import { type RulePreset, type RuleSet, ruleSetFor, ruleSetVersion } from '../label/rule-set';
import type { DatasetReader } from './event-pages';

/** Which rules an export goes by. */
interface RuleChoice {
  preset: RulePreset;
  /** Chosen by name; absent: as the run's task and the workspace say. */
  precedence?: MachinePrecedence | undefined;
}

export interface KnownVerdicts {
  ruleSet: RuleSet;
  verdicts: Map<number, RuleVerdict[]>;
}

/**
 * Verdicts that need not be worked out: those that the workspace holds of the same rules with the same parameters, on all events up to
 * `seq` and none behind. Null: there are none, or the length of an import's rows has to be taken from all that stands in them.
 */
export async function knownVerdicts(
  reader: Pick<DatasetReader, 'events' | 'someEvents' | 'ruleMarks' | 'ruleSettings'>,
  run: string,
  seq: number,
  options: RuleChoice,
): Promise<KnownVerdicts | null> {
  if (reader.someEvents === undefined || reader.ruleMarks === undefined) return null;
  const [created, second] = await reader.events(run, 1, Math.min(2, seq));
  if (created?.kind !== 'run.created' || second === undefined || second.kind === 'run.imported') return null;
  const ruleSet = await ruleSetOf(reader, created.body, options);
  const { precedence } = await ruleSetOf(reader, created.body, { ...options, precedence: undefined });
  const marks = await reader.ruleMarks(run, seq, ruleSetVersion({ ...ruleSet, precedence }));
  if (marks === null) return null;
  const told = new Map(
    ruleSet.rules.map(({ rule: { id, version, effect, hard } }): [string, RuleVerdict] => [
      id,
      { rule: id, version, effect, hard, why: '', steps: [] },
    ]),
  );
  const verdicts = new Map<number, RuleVerdict[]>();
  for (const [step, rules] of marks) {
    const found = rules.flatMap((rule) => told.get(rule) ?? []);
    // A mark of another rule: whatever it is, the events tell.
    if (found.length < rules.length) return null;
    verdicts.set(step, found);
  }
  return { ruleSet, verdicts };
}

/** The workspace's settings are those of now: with the annotations, they are what the snapshot pins. */
export async function ruleSetOf(
  reader: Pick<DatasetReader, 'ruleSettings'>,
  { spec, task }: EventOf<'run.created'>['body'],
  { preset, precedence }: RuleChoice,
): Promise<RuleSet> {
  const settings = (await reader.ruleSettings(task.id))?.settings ?? noRuleSettings;
  const set = ruleSetFor(spec, settings, preset);
  return precedence === undefined ? set : { ...set, precedence };
}
