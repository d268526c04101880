import { z } from 'zod';
import { ruleSettingsSchema } from '../rules/rule-settings';
import type { RulePreview, RuleProgress, RunRules } from '../rules/rule-views';
import { type CommandRows, inRun, returns, run } from './parts';

const task = z.string().min(1).max(200);

/** The symbolic rules of a task: what they are, what other settings would change, which hold. */
export const ruleCommands = {
  'rules.ofRun': { input: inRun, output: returns<RunRules>(), place: 'workspace', consent: 'free' },
  /** A newer preview ends an older one. */
  'rules.preview': {
    input: z.object({ runs: z.array(run).min(1).max(200), settings: ruleSettingsSchema }),
    output: returns<RulePreview>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Null takes the workspace's word back; the verdicts of the task's runs are derived again in the background. */
  'rules.apply': {
    input: z.object({ task, settings: ruleSettingsSchema.nullable() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
  },
  'rules.progress': {
    input: z.object({ task }),
    output: returns<RuleProgress>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
