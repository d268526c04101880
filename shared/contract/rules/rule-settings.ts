import { z } from 'zod';

/** Every rule, so that settings cannot name one that does not exist. The rules themselves: docs/rules.md. */
export const ruleIds = [
  'action-at-full-score',
  'blind-edit',
  'blind-edit-strict',
  'command-failed',
  'error-observation',
  'eval-without-change',
  'finish-below-best',
  'framework-forbidden',
  'idle-gpus',
  'imitates-human',
  'keep-backup',
  'keep-debugging',
  'keep-exploration',
  'keep-sleep-while-training',
  'keep-summary',
  'null',
  'provided-script-ignored',
  'template-thought',
] as const;
export type RuleId = (typeof ruleIds)[number];

const ruleIdSchema = z.enum(ruleIds);

/** A parameter: a number, a switch, a text, or a list of texts. */
export const ruleValueSchema = z.union([
  z.boolean(),
  z.number(),
  z.string().max(2_000),
  z.array(z.string().min(1).max(300)).max(100),
]);
export type RuleValue = boolean | number | string | readonly string[];

const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be small letters, digits and underscores');

/** What task or workspace says about one rule; what is absent stays as it was. */
export const ruleChoiceSchema = z.strictObject({
  on: z.boolean().optional(),
  parameters: z.record(name, ruleValueSchema).default({}),
});
export type RuleChoice = z.infer<typeof ruleChoiceSchema>;

export const ruleChoicesSchema = z.partialRecord(ruleIdSchema, ruleChoiceSchema);

export const precedences = ['union', 'judge_over_rule'] as const;

/** What a workspace says about the rules of a task, on top of its `task.yaml`. */
export const ruleSettingsSchema = z.strictObject({
  rules: ruleChoicesSchema.default({}),
  /** How rules and judge meet; absent: as the task says. */
  precedence: z.enum(precedences).optional(),
});
export type RuleSettings = z.infer<typeof ruleSettingsSchema>;

export const noRuleSettings: RuleSettings = { rules: {} };
