import { WaymarkError } from '@shared/contract/errors';
import { noRuleSettings, type RuleSettings, ruleIds } from '@shared/contract/rules/rule-settings';
import type { RunRules } from '@shared/contract/rules/rule-views';
import type { StoreReader } from '../store/api';
import { ruleViews, settingsProblem, taskPrecedence } from './rule-set';

type Reader = Pick<StoreReader, 'events' | 'ruleSettings' | 'ruleCounts' | 'attention'>;

/** Findings of the inbox that are no detectors: they name no habit of the agent. */
const DETECTORS: ReadonlySet<string> = new Set([
  'contention',
  'early_finish',
  'forgotten_session',
  'impatience',
  'repeated_action',
  'template_thought',
]);

/** The rules of a run's task with the settings in force, and what they say about the run. @throws WaymarkError not_found */
export async function rulesOfRun(reader: Reader, run: string): Promise<RunRules> {
  const { task, spec } = await pinnedTask(reader, run);
  const setting = await reader.ruleSettings(task);
  const settings = setting?.settings ?? noRuleSettings;
  const stored = await reader.ruleCounts(run);
  const { items } = await reader.attention(run);
  const otherwise = taskPrecedence(spec);
  return {
    run,
    task,
    setting,
    otherwise,
    rules: ruleViews(spec, settings),
    precedence: settings.precedence ?? otherwise,
    counts: Object.fromEntries(ruleIds.flatMap((id) => (stored[id] ? [[id, stored[id]]] : []))),
    detectors: items
      .filter(({ kind }) => DETECTORS.has(kind))
      .map(({ kind, step, steps }) => ({ kind, step, steps })),
  };
}

/** Task of a run, as pinned when it was created. */
export async function pinnedTask(
  reader: Pick<StoreReader, 'events'>,
  run: string,
): Promise<{ task: string; spec: Record<string, unknown> }> {
  const [created] = await reader.events(run, 1, 1);
  if (created?.kind !== 'run.created')
    throw new WaymarkError('workspace_corrupt', `Run ${run} has no beginning. Run "verify".`);
  return { task: created.body.task.id, spec: created.body.spec };
}

/** @throws WaymarkError `bad_input` that names rule and parameter. */
export function checkSettings(settings: RuleSettings): RuleSettings {
  const problem = settingsProblem(settings);
  if (problem !== null) throw new WaymarkError('bad_input', `The rules stay as they are: ${problem}`);
  return settings;
}
