import { WaymarkError } from '@shared/contract/errors';
import {
  noRuleSettings,
  precedences,
  type RuleId,
  type RuleSettings,
  type RuleValue,
  ruleIds,
} from '@shared/contract/rules/rule-settings';
import type { RulePreview, RuleView } from '@shared/contract/rules/rule-views';
import type { RuleVerdict } from '@shared/labels/labels';
import { everyRule, ruleViews, taskPrecedence } from '../label/rule-set';
import { checkSettings, pinnedTask, rulesOfRun } from '../label/run-rules';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, table } from './output';
import { named } from './run-commands';

const pageSize = 200;

/** `rules RUN | list | show ID | preview RUN | set --task T | clear --task T`. */
export function rulesCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  switch (args.words[1]) {
    case 'list':
      return list(context, args);
    case 'show':
      return show(context, args);
    case 'preview':
      return preview(context, args);
    case 'set':
      return set(context, args);
    case 'clear':
      return set(context, args, null);
    default:
      return verdicts(context, args);
  }
}

/** Every verdict of the rules in force, by step, and the steps that detectors name. */
async function verdicts(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[1]);
  const { steps } = await context.reader.run(run);
  const found: { step: number; verdict: RuleVerdict }[] = [];
  for (let from = 1; from <= steps; from += pageSize) {
    const heads = await context.reader.heads(run, from, Math.min(steps, from + pageSize - 1));
    for (const head of heads.filter((each) => each.rules.length > 0)) {
      const detail = await context.reader.step(run, head.step);
      found.push(...detail.labels.rules.map((verdict) => ({ step: head.step, verdict })));
    }
  }
  const { detectors } = await rulesOfRun(context.reader, run);
  const rows = found.map(({ step, verdict }) => [
    ...[String(step), verdict.effect + (verdict.hard ? ' (hard)' : ''), verdict.rule],
    tied(verdict.why, verdict.steps),
  ]);
  const habits = detectors.map(({ kind, step, steps }) => [
    ...[step === null ? '' : String(step), 'detector', kind.replaceAll('_', '-')],
    tied('', steps),
  ]);
  return {
    json: { run, verdicts: found.map(({ step, verdict }) => ({ step, ...verdict })), detectors },
    lines:
      rows.length + habits.length === 0
        ? ['No rule has a verdict on this run.']
        : table([...rows, ...habits]),
  };
}

function tied(why: string, steps: readonly number[]): string {
  const line = why.replace(/\s+/g, ' ');
  return steps.length === 0 ? line : `${line} (with ${steps.join(', ')})`.trim();
}

/** The rules as they hold for a task, or as they are without one. */
async function list(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { task } = args.values;
  const spec = task === undefined ? {} : await specOf(context, task);
  const stored = task === undefined ? null : await context.reader.ruleSettings(task);
  const settings = stored?.settings ?? noRuleSettings;
  const views = ruleViews(spec, settings);
  const precedence = settings.precedence ?? taskPrecedence(spec);
  return {
    json: { task: task ?? null, rules: views, precedence, setting: stored },
    lines: [
      ...table(
        views.map(({ id, version, effect, hard, on, text }) => [
          ...[id, `v${version}`, effect + (hard ? ' (hard)' : ''), on ? 'on' : 'off', text],
        ]),
      ),
      `Rules and judge: ${precedence}.`,
      ...(stored === null
        ? []
        : [`Set by ${stored.author} on ${new Date(stored.at).toISOString().slice(0, 16)}.`]),
    ],
  };
}

async function show(context: CliContext, args: Arguments): Promise<CommandResult> {
  const id = ruleNamed(required(args.words[2], 'The rule'));
  const { task } = args.values;
  const spec = task === undefined ? {} : await specOf(context, task);
  const stored = task === undefined ? null : await context.reader.ruleSettings(task);
  const view = ruleViews(spec, stored?.settings ?? noRuleSettings).find((each) => each.id === id);
  if (view === undefined) throw new WaymarkError('bug', `Rule ${id} has no view.`);
  return { json: view, lines: describe(view) };
}

function describe({ id, version, effect, hard, on, text, citation, parameters }: RuleView): string[] {
  return [
    `${id} version ${version}: ${effect}${hard ? ' (hard)' : ''}, ${on ? 'on' : 'off'}`,
    text,
    citation,
    ...table(parameters.map(({ name, value, from }) => [`  ${name}`, shown(value), from])),
  ];
}

function shown(value: RuleValue): string {
  return typeof value === 'object' ? (value.length === 0 ? '(empty)' : value.join(', ')) : String(value);
}

/** What the settings in force, changed by the options, would do to a run. */
async function preview(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const { task } = await pinnedTask(context.reader, run);
  const settings = changed((await context.reader.ruleSettings(task))?.settings ?? noRuleSettings, args);
  const found = await context.reader.previewRules([run], settings);
  return { json: { settings, ...found }, lines: previewLines(found) };
}

function previewLines({ rules, labels }: RulePreview): string[] {
  const moved = rules.filter(({ newly, noLonger }) => newly + noLonger > 0);
  if (moved.length === 0 && labels.total === 0) return ['Nothing would change.'];
  return [
    ...table([
      ['RULE', 'EFFECT', 'NEW', 'GONE', 'NOW TRAIN/MASK/OPEN', 'AGAINST PEOPLE', 'STEPS'],
      ...moved.map(({ rule, effect, newly, noLonger, now, conflicts, examples, gone }) => [
        ...[rule, effect, `+${newly}`, `-${noLonger}`, `${now.train}/${now.mask}/${now.undecided}`],
        String(conflicts),
        [...examples, ...gone].map(({ step }) => step).join(', '),
      ]),
    ]),
    `Labels: ${labels.toMask} to mask, ${labels.toTrain} to train, ${labels.toUndecided} to undecided.`,
  ];
}

/** Stores the settings of a task and waits until its runs are derived again. */
async function set(context: CliContext, args: Arguments, nothing?: null): Promise<CommandResult> {
  const task = required(args.values.task, 'The task (--task ID)');
  const before = await context.reader.ruleSettings(task);
  const settings = nothing === null ? null : changed(before?.settings ?? noRuleSettings, args);
  if (settings !== null && JSON.stringify(settings) === JSON.stringify(before?.settings ?? noRuleSettings))
    throw new WaymarkError('bad_input', 'Nothing would change. Name --on, --off, --set or --precedence.');
  if (before === null) await specOf(context, task); // a slip of the pen must not be stored as settings of nothing
  const unreadable = new Set<string>();
  const unsubscribe = context.store.subscribe((notice) => {
    if (notice.kind === 'unreadable') unreadable.add(notice.run);
  });
  await context.store.writer.setRules(task, settings, context.author);
  await context.store.drainWrites();
  const progress = await context.reader.ruleProgress(task);
  unsubscribe();
  const left = progress.waiting.filter((run) => unreadable.has(run));
  const runs = progress.runs - left.length;
  return {
    json: { task, settings, runs, left },
    lines: [
      settings === null ? `Task ${task} has its own rules again.` : `Rules of task ${task} are set.`,
      `The labels of ${runs === 1 ? '1 run' : `${runs} runs`} follow them now.`,
      ...left.map((run) => `Run ${run} cannot be read, so it was left out and keeps its labels.`),
    ],
  };
}

/** @throws WaymarkError `bad_input` for unknown rules, parameters and values. */
function changed(settings: RuleSettings, { values }: Arguments): RuleSettings {
  const rules: RuleSettings['rules'] = { ...settings.rules };
  const choose = (id: RuleId, on: boolean) => {
    rules[id] = { parameters: {}, ...rules[id], on };
  };
  for (const word of values.on ?? []) choose(ruleNamed(word), true);
  for (const word of values.off ?? []) choose(ruleNamed(word), false);
  for (const word of values.set ?? []) {
    const match = /^([a-z-]+)\.([a-z0-9_]+)=([\s\S]*)$/.exec(word);
    if (!match) throw new WaymarkError('bad_input', `"${word}" is not of the form RULE.PARAMETER=VALUE.`);
    const [, rule = '', name = '', text = ''] = match;
    const id = ruleNamed(rule);
    const known = everyRule.find((each) => each.id === id)?.parameters[name];
    rules[id] = { ...rules[id], parameters: { ...rules[id]?.parameters, [name]: parsedValue(text, known) } };
  }
  const precedence =
    values.precedence === undefined
      ? settings.precedence
      : oneOf(values.precedence, precedences, 'union', 'The precedence');
  return checkSettings({ rules, ...(precedence === undefined ? {} : { precedence }) });
}

/** A value as typed, in the kind that the parameter has; a list is separated by commas. */
function parsedValue(text: string, known: RuleValue | undefined): string | number | boolean | string[] {
  if (typeof known === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (typeof known === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (typeof known === 'object') return text.split(',').flatMap((each) => each.trim() || []);
  return text;
}

function ruleNamed(word: string): RuleId {
  const id = ruleIds.find((each) => each === word);
  if (id !== undefined) return id;
  throw new WaymarkError('bad_input', `There is no rule "${word}". The rules are ${ruleIds.join(', ')}.`);
}

async function specOf(context: CliContext, task: string): Promise<Record<string, unknown>> {
  const pack = (await context.reader.tasks()).find(({ id }) => id === task);
  if (pack !== undefined) return pack.spec;
  const run = (await context.reader.runs()).find((each) => each.task.id === task);
  if (run !== undefined) return (await pinnedTask(context.reader, run.id)).spec;
  throw new WaymarkError(
    'not_found',
    `There is no task "${task}" in this workspace, and no run of it. "waymark task list" and "waymark run list --json" list the tasks there are.`,
  );
}
