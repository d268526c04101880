import { createHash } from 'node:crypto';
import {
  precedences,
  type RuleChoice,
  type RuleId,
  type RuleSettings,
  ruleChoicesSchema,
  ruleValueSchema,
} from '@shared/contract/rules/rule-settings';
import type { RuleParameterView, RuleView } from '@shared/contract/rules/rule-views';
import type { MachinePrecedence } from '@shared/labels/labels';
import { z } from 'zod';
import { listOf, numberOf, type Rule, type RuleInForce, type RuleParameters } from './rule';
import { actionAtFullScore } from './rules/action-at-full-score';
import { blindEdit } from './rules/blind-edit';
import { blindEditStrict } from './rules/blind-edit-strict';
import { commandFailed } from './rules/command-failed';
import { errorObservation } from './rules/error-observation';
import { evalWithoutChange } from './rules/eval-without-change';
import { finishBelowBest } from './rules/finish-below-best';
import { frameworkForbidden } from './rules/framework-forbidden';
import { idleGpus } from './rules/idle-gpus';
import { imitatesHuman } from './rules/imitates-human';
import { keepBackup } from './rules/keep-backup';
import { keepDebugging } from './rules/keep-debugging';
import { keepExploration } from './rules/keep-exploration';
import { keepSleepWhileTraining } from './rules/keep-sleep-while-training';
import { keepSummary } from './rules/keep-summary';
import { nullAnswer } from './rules/null-answer';
import { providedScriptIgnored } from './rules/provided-script-ignored';
import { templateThought } from './rules/template-thought';

/** `apollo`: what appendix E of the paper says without condition. */
export type RulePreset = 'default' | 'apollo';

/** Every rule, hard masks first, then soft ones, then what is kept. */
export const everyRule: readonly Rule[] = [
  errorObservation,
  nullAnswer,
  commandFailed,
  blindEdit,
  blindEditStrict,
  evalWithoutChange,
  finishBelowBest,
  providedScriptIgnored,
  frameworkForbidden,
  idleGpus,
  actionAtFullScore,
  templateThought,
  imitatesHuman,
  keepSummary,
  keepSleepWhileTraining,
  keepDebugging,
  keepBackup,
  keepExploration,
];

/** What holds for a run: its task's word on top of the rules' own, the workspace's on top of that. */
export interface RuleSet {
  rules: readonly RuleInForce[];
  precedence: MachinePrecedence;
}

/** `rules` of a pinned task specification, leniently: it was checked when the task was added. */
const taskRulesSchema = z.object({
  labels: ruleChoicesSchema.catch({}).default({}),
  precedence: z.enum(precedences).catch('union').default('union'),
  provided_scripts: z.array(z.string()).catch([]).default([]),
  full_training: z.boolean().optional().catch(undefined),
  forbidden_frameworks: z.array(z.string()).catch([]).default([]),
  training_commands: z.array(z.string()).optional().catch(undefined),
  gpu_taken_mb: z.number().optional().catch(undefined),
});

const fullScoreSchema = z.object({ evaluation: z.object({ max_score: z.number() }) });

/** What `ruleSetFor` reads of a task specification: of two with the same words the rules are the same. */
export function ruleWords(spec: Record<string, unknown>): Record<string, unknown> {
  const evaluation = fullScoreSchema.safeParse(spec).data?.evaluation;
  return { rules: spec.rules, ...(evaluation === undefined ? {} : { evaluation }) };
}

type TaskRules = z.infer<typeof taskRulesSchema> & { maxScore: number | undefined };

function taskRules(spec: Record<string, unknown>): TaskRules {
  const rules = typeof spec.rules === 'object' && spec.rules !== null ? spec.rules : {};
  const maxScore = fullScoreSchema.safeParse(spec).data?.evaluation.max_score;
  return { ...taskRulesSchema.parse(rules), maxScore };
}

/** What the task's other words mean for a rule's parameters. */
function fromTask(id: RuleId, rules: TaskRules): RuleParameters {
  switch (id) {
    case 'provided-script-ignored':
      return { scripts: rules.provided_scripts };
    case 'action-at-full-score':
      return rules.maxScore === undefined ? {} : { full_score: rules.maxScore };
    case 'framework-forbidden':
      return { frameworks: rules.forbidden_frameworks };
    case 'idle-gpus':
      return {
        ...(rules.full_training === undefined ? {} : { full_training: rules.full_training }),
        ...(rules.training_commands === undefined ? {} : { training_commands: rules.training_commands }),
        ...(rules.gpu_taken_mb === undefined ? {} : { taken_mb: rules.gpu_taken_mb }),
      };
    default:
      return {};
  }
}

/** Rules that are on with the preset, whatever the settings say. */
const APOLLO_RULES: ReadonlySet<RuleId> = new Set([
  'blind-edit-strict',
  'framework-forbidden',
  'idle-gpus',
  'action-at-full-score',
  'template-thought',
  'keep-summary',
]);
/** What the paper's tasks offer instead of transformers, and what they say when adapters are asked for. */
const OFFERS_VLLM = /\bvllm\b/i;
const ADAPTERS = /\b(?:q?lora|peft|adapters?)\b/i;
/** A sentence that forbids what it names, or sets something else before it. */
const FORBIDS = /\b(?:no|not|never|without|avoid|instead of|rather than)\b|n't\b|forbid|prohibit|disallow/i;
/** Points from which lowering the score again is masked (priority 4). */
const HIGH_SCORE = 80;

/** What appendix E says of a rule's parameters, on top of what task and workspace say. */
function fromPaper(id: RuleId, spec: Record<string, unknown>, parameters: RuleParameters): RuleParameters {
  const text = JSON.stringify(spec);
  if (id === 'framework-forbidden' && OFFERS_VLLM.test(text)) {
    const frameworks = listOf(parameters, 'frameworks');
    return { frameworks: [...new Set([...frameworks, 'transformers:generation'])] };
  }
  // A pinned task says `false` also where its file says nothing: only its `labels` can take this back.
  if (id === 'idle-gpus' && taskRules(spec).labels[id]?.parameters?.full_training === undefined)
    return { full_training: parameters.full_training === true || !asksForAdapters(text) };
  if (id === 'action-at-full-score')
    return { high_score: Math.min(HIGH_SCORE, numberOf(parameters, 'high_score')) };
  return {};
}

/** Whether some sentence of the task speaks of adapters without forbidding them. */
function asksForAdapters(text: string): boolean {
  return text.split(/[.;!?]\s|\\n|","/).some((each) => ADAPTERS.test(each) && !FORBIDS.test(each));
}

/** @param preset `apollo` takes the paper's rules and parameters and the union of masks, whatever the settings say. */
export function ruleSetFor(
  spec: Record<string, unknown>,
  settings: RuleSettings,
  preset: RulePreset = 'default',
): RuleSet {
  const task = taskRules(spec);
  const apollo = preset === 'apollo';
  return {
    rules: everyRule.flatMap((rule) => {
      const { on, parameters } = choose(rule, task, settings);
      if (!apollo) return on ? [{ rule, parameters }] : [];
      const paper = { ...parameters, ...fromPaper(rule.id, spec, parameters) };
      return on || APOLLO_RULES.has(rule.id) ? [{ rule, parameters: paper }] : [];
    }),
    precedence: apollo ? 'union' : (settings.precedence ?? task.precedence),
  };
}

function choose(
  rule: Rule,
  task: TaskRules,
  settings: RuleSettings,
): { on: boolean; parameters: RuleParameters; taskOn: boolean; taskParameters: RuleParameters } {
  const byTask = task.labels[rule.id];
  const byWorkspace = settings.rules[rule.id];
  const taskOn = byTask?.on ?? rule.on;
  const taskParameters = merged(rule, { ...fromTask(rule.id, task), ...byTask?.parameters });
  return {
    taskOn,
    taskParameters,
    on: byWorkspace?.on ?? taskOn,
    parameters: merged({ parameters: taskParameters }, byWorkspace?.parameters ?? {}),
  };
}

/** Values that do not fit their parameter count as not given. */
function merged(
  { parameters }: Pick<Rule, 'parameters'>,
  given: RuleChoice['parameters'] | RuleParameters,
): RuleParameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const own = given[name];
      return [name, own !== undefined && sameKind(own, value) ? own : value];
    }),
  );
}

function sameKind(a: unknown, b: unknown): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b);
}

/** Every rule as it holds for a task, with what each value comes from. */
export function ruleViews(spec: Record<string, unknown>, settings: RuleSettings): RuleView[] {
  const task = taskRules(spec);
  return everyRule.map((rule) => {
    const { on, taskOn, parameters, taskParameters } = choose(rule, task, settings);
    const { id, version, effect, hard, text, citation } = rule;
    const views = Object.entries(parameters).map(([name, value]): RuleParameterView => {
      const otherwise = taskParameters[name] ?? value;
      const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
      const from = !same(value, otherwise)
        ? 'workspace'
        : same(otherwise, rule.parameters[name])
          ? 'rule'
          : 'task';
      return { name, value, otherwise, from };
    });
    return { id, version, effect, hard, text, citation, on, otherwise: taskOn, parameters: views };
  });
}

/** How rules and judge meet without the workspace's word. */
export function taskPrecedence(spec: Record<string, unknown>): MachinePrecedence {
  return taskRules(spec).precedence;
}

/** Why settings cannot be: an unknown parameter, a value of another kind, an expression that is none. Null when they can. */
export function settingsProblem(settings: RuleSettings): string | null {
  for (const rule of everyRule) {
    for (const [name, value] of Object.entries(settings.rules[rule.id]?.parameters ?? {})) {
      const known = rule.parameters[name];
      const names = Object.keys(rule.parameters);
      if (known === undefined) {
        return `Rule ${rule.id} has no parameter "${name}". ${names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`}`;
      }
      if (!sameKind(value, known)) return `${name} of rule ${rule.id} must be ${kindOf(known)}.`;
      if (!ruleValueSchema.safeParse(value).success) return `${name} of rule ${rule.id} is too long.`;
      const bad = Array.isArray(value) ? value.find((each) => !isExpression(each)) : undefined;
      if (bad !== undefined && !PLAIN_LISTS.has(name))
        return `"${bad}" in ${name} of rule ${rule.id} is not a regular expression.`;
    }
  }
  return null;
}

/** Lists of paths and names rather than of expressions. */
const PLAIN_LISTS: ReadonlySet<string> = new Set(['scripts', 'frameworks']);

function isExpression(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** What identifies a rule's verdicts. */
interface RuleFacts {
  id: RuleId;
  version: number;
  parameters: RuleParameters;
}

/** Id, version and parameters of each rule of a set, in the order of their ids. */
export function ruleSetFacts(rules: readonly RuleInForce[]): RuleFacts[] {
  return rules
    .map(({ rule: { id, version }, parameters }) => ({
      id,
      version,
      parameters: Object.fromEntries(Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** sha256 of what labels of a rule set rest on: its facts, and how they meet the judge. */
export function ruleSetVersion({ rules, precedence }: RuleSet): string {
  return createHash('sha256')
    .update(JSON.stringify({ rules: ruleSetFacts(rules), precedence }))
    .digest('hex');
}
