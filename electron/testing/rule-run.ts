import { createHash } from 'node:crypto';
import { noRuleSettings, type RuleId, type RuleSettings } from '@shared/contract/rules/rule-settings';
import type { RuleVerdict } from '@shared/labels/labels';
import { evaluated } from '@shared/log/event-fixtures';
import type { EventBody, RunEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { startRules } from '../label/rule-projector';
import { everyRule, type RulePreset, ruleSetFor } from '../label/rule-set';

interface RuleRunOptions {
  /** Parts of the pinned task specification. */
  spec?: Record<string, unknown>;
  root?: string;
  /** Id of the run. */
  run?: string;
}

interface CommandOptions {
  exitCode?: number;
  session?: string;
  computer?: string;
  error?: { code: string; message: string };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** A made-up run for rules, one call after another, in the shapes of the loop: each method is a step and returns its number. */
export class RuleRun {
  readonly script: RunScript;
  readonly root: string;
  readonly spec: Record<string, unknown>;
  private readonly texts = new Map<string, string>();
  private readonly seqs = new Map<string, number>();
  /** Commands that run beside the steps, by session. */
  private readonly open = new Map<string, number>();
  private tries = 0;

  constructor({ spec = {}, root = '/workspace', run = '01KRV1E0000000000000000000' }: RuleRunOptions = {}) {
    this.root = root;
    this.spec = spec;
    this.script = new RunScript(run, {
      spec,
      workspaceRoot: root,
      computers: [{ name: 'gpu', kind: 'local' }],
    }).startSegment();
  }

  get step(): number {
    return this.script.step;
  }

  /** A file that is there from the start. */
  has(path: string, text: string): this {
    this.texts.set(this.at(path), text);
    return this;
  }

  command(command: string, options: CommandOptions = {}): number {
    const { exitCode = 0, error } = options;
    const data = { ...this.place(options), command, async: false, ...(error ? {} : { exitCode }) };
    return this.call('run_command', { command }, data, error === undefined ? {} : { error });
  }

  /** As `command`, with files that it writes. */
  commandWriting(command: string, files: Record<string, string>, options: CommandOptions = {}): number {
    const { exitCode = 0 } = options;
    const data = { ...this.place(options), command, async: false, exitCode };
    const changed = Object.entries(files).map(([path, text]) => this.changed(path, text, 'shell'));
    return this.call('run_command', { command }, data, { before: changed });
  }

  /** Goes on beside the steps until `output` sees its end. */
  background(command: string, options: CommandOptions = {}): number {
    const place = this.place(options);
    this.open.set(`${place.computer}:${place.session}`, place.commandSeq);
    return this.call('run_command', { command }, { ...place, command, async: true, state: 'busy' });
  }

  /** Reads a session; `exitCode`: what ran there has ended with it. */
  output(options: CommandOptions & { running?: boolean } = {}): number {
    const { session = 'main', computer = 'gpu', exitCode, running = exitCode === undefined } = options;
    const commandSeq = this.open.get(`${computer}:${session}`);
    if (!running) this.open.delete(`${computer}:${session}`);
    return this.call(
      'get_session_output',
      { session_id: session },
      {
        computer,
        session,
        sessionId: `${computer}-${session}`,
        state: running ? 'busy' : 'idle',
        ...(commandSeq === undefined ? {} : { commandSeq }),
        ...(exitCode === undefined ? {} : { exitCode }),
      },
    );
  }

  kill(session = 'main', computer = 'gpu'): number {
    const data = { computer, session, sessionId: `${computer}-${session}`, ended: 1, state: 'idle' };
    return this.call('kill_session_processes', { session_id: session }, data);
  }

  openFile(path: string, startLine = 1): number {
    const data = { path: this.at(path), startLine, endLine: startLine + 99, totalLines: 300 };
    return this.call('open_file', { path: this.at(path) }, data);
  }

  list(path: string): number {
    return this.call('list_files', { path: this.at(path) }, { where: this.at(path) });
  }

  /** `shown`: the files whose lines it prints; absent: as in older logs, which do not say. */
  search(term: string, path: string, shown?: readonly string[]): number {
    const found = shown === undefined ? {} : { shown: shown.map((each) => this.at(each)) };
    const data = { query: term, where: this.at(path), hits: 3, ...found };
    return this.call('search_dir', { search_term: term }, data);
  }

  create(path: string, text: string): number {
    const whole = this.at(path);
    const created = !this.texts.has(whole);
    const before = [this.changed(path, text, 'action')];
    return this.call(
      'create_file',
      { filename: whole, content: text },
      { path: whole, created, startLine: 1, endLine: text.split('\n').length, totalLines: 1 },
      { before },
    );
  }

  /** Changes a file to `text`. */
  edit(path: string, text: string): number {
    const whole = this.at(path);
    const before = [this.changed(path, text, 'action')];
    const data = { path: whole, startLine: 1, endLine: 1, totalLines: 300 };
    return this.call('edit_file', { path: whole, content: text }, data, { before });
  }

  /** Several calls in one answer: each `act` makes one step, and together they are the first of them. */
  together(...acts: (() => number)[]): number {
    const { script } = this;
    const from = script.events.length;
    const step = script.step + 1;
    // What a call records of itself names its step, so each begins where the first did.
    const made = acts.map((act) => {
      const at = script.events.length;
      act();
      const events = script.events.splice(at);
      script.step = step - 1;
      return events;
    });
    const answers = made.flatMap((events) => events.filter((each) => each.kind === 'model.answered'));
    const [first] = made;
    if (first === undefined) throw new RangeError('no calls');
    for (const [call, events] of made.entries()) {
      for (const event of events) {
        const { kind } = event;
        if (kind === 'model.answered') {
          event.body.calls = answers.flatMap(({ body }) => body.calls);
          event.body.invalid = answers.flatMap(({ body }) => body.invalid);
        }
        if ((kind === 'model.requested' || kind === 'model.answered') && call > 0) continue;
        const body = 'call' in event.body ? { ...event.body, call } : event.body;
        script.events.push({ ...event, body, seq: script.events.length + 1 } as RunEvent);
      }
    }
    script.step = step;
    if (script.events.length === from) throw new RangeError('no event was written');
    return step;
  }

  /** A call that is none: an unknown tool, or arguments that do not fit. */
  invalid(name: string, problem: string): number {
    this.script.answer([{ name, invalid: problem }]);
    return this.step;
  }

  /** `finish` that was answered with a person's word instead. */
  finishPutOff(): number {
    this.script.answer([{ name: 'finish', data: { putOff: true }, closedBy: 'not_run' }]);
    return this.step;
  }

  think(thought = 'Let me think.'): number {
    return this.call('think', { thought }, { thought });
  }

  /** The step just made brought back the tag of a human hint. */
  imitating(step: number): number {
    const observed = this.script.events.at(-1);
    if (observed?.kind !== 'action.observed' || observed.body.step !== step)
      throw new RangeError(`Step ${step} is not the last one, or has no observation.`);
    observed.body.imitatesHuman = true;
    return step;
  }

  sleep(seconds: number): number {
    return this.call(
      'sleep',
      { sleep_time: seconds },
      { sleepMs: seconds * 1000, askedMs: seconds * 1000, woken: false },
    );
  }

  /** `penalty`: points of the task hint that are taken off already. */
  evaluate(score: number | null, { penalty = 0 } = {}): number {
    this.tries += score === null ? 0 : 1;
    const step = this.step + 1;
    const ended = this.evaluation(step, score, false, penalty);
    return this.call(
      'eval',
      {},
      { tries: this.tries },
      {
        before: [ended],
        ...(score === null
          ? { error: { code: 'evaluation_unavailable', message: 'The evaluator could not run.' } }
          : {}),
      },
    );
  }

  failing(name: string, code: string): number {
    return this.call(name, {}, {}, { error: { code, message: `${name} was refused.` } });
  }

  nothing(): number {
    this.script.answer([]);
    return this.step;
  }

  finish(final: number | null = null, { penalty = 0 } = {}): number {
    const step = this.call('finish', {}, { ends: 'finish' });
    if (final !== null) this.script.add('evaluation.ended', this.evaluation(step, final, true, penalty).body);
    this.script.add('run.status', { status: 'finished', reason: 'finish', message: '' });
    return step;
  }

  /** A person's word, delivered after the last step. */
  hint(text: string): void {
    const hints = [{ id: '01KH1NT0000000000000000000', text }];
    this.script.add('hint.delivered', { step: this.step, hints, text: `<real_user>${text}</real_user>` });
  }

  /** Memory in use on the computer's GPUs, MB. */
  gpus(memory: readonly number[], computer = 'gpu'): void {
    const gpus = memory.map((memoryUsedMb, index) => ({ index, utilization: 0, memoryUsedMb }));
    this.script.add('gpu.changed', { computer, state: 'busy', since: 0, gpus });
  }

  private evaluation(step: number, score: number | null, forced: boolean, penalty: number) {
    const attempt = score === null || forced ? null : this.tries;
    const body = evaluated(step, score, { attempt, forced, penalty });
    return { kind: 'evaluation.ended' as const, body };
  }

  private changed(path: string, text: string, by: 'action' | 'shell') {
    const whole = this.at(path);
    const before = this.texts.get(whole) ?? null;
    this.texts.set(whole, text);
    const body: EventBody<'file.changed'> = {
      step: this.step + 1,
      call: 0,
      computer: 'gpu',
      path: whole,
      by,
      size: text.length,
      text,
      before: before === null ? null : hash(before),
      after: hash(text),
      beforeText: before,
    };
    return { kind: 'file.changed' as const, body };
  }

  private at(path: string): string {
    return path.startsWith('/') ? path : `${this.root}/${path}`;
  }

  private place({ session = 'main', computer = 'gpu' }: CommandOptions) {
    const key = `${computer}:${session}`;
    const commandSeq = (this.seqs.get(key) ?? 0) + 1;
    this.seqs.set(key, commandSeq);
    return { computer, session, sessionId: `${computer}-${session}`, commandSeq };
  }

  private call(
    name: string,
    args: Record<string, string | number | boolean>,
    data: Record<string, unknown>,
    more: {
      error?: { code: string; message: string };
      before?: (
        | { kind: 'file.changed'; body: EventBody<'file.changed'> }
        | { kind: 'evaluation.ended'; body: EventBody<'evaluation.ended'> }
      )[];
    } = {},
  ): number {
    const { script } = this;
    const at = script.events.length;
    script.answer([{ name, args, data, ...(more.error ? { error: more.error } : {}) }]);
    // What an action changed is recorded between its start and its observation.
    const observed = script.events.pop();
    for (const each of more.before ?? []) script.add(each.kind, each.body as never);
    if (observed !== undefined) script.events.push({ ...observed, seq: script.events.length + 1 });
    if (script.events.length === at) throw new RangeError('no event was written');
    return script.step;
  }
}

/** Verdicts as a store would keep them: the last of each rule on each step, every rule on unless `settings` say otherwise. */
export function verdictsOf(
  events: readonly RunEvent[],
  settings: RuleSettings = everyRuleOn(),
  preset: RulePreset = 'default',
): { step: number; verdict: RuleVerdict }[] {
  const [created] = events;
  if (created?.kind !== 'run.created') throw new RangeError('a run begins with run.created');
  const fold = startRules(ruleSetFor(created.body.spec, settings, preset).rules, created);
  const kept = new Map<string, { step: number; verdict: RuleVerdict }>();
  for (const event of events) {
    for (const row of fold.apply(event)) kept.set(`${row.verdict.rule} ${row.step}`, row);
  }
  return [...kept.values()].sort((a, b) => a.step - b.step);
}

/** Steps a rule speaks about. */
export function stepsOf(
  run: RuleRun,
  rule: RuleId,
  parameters: RuleSettings['rules'][RuleId] = undefined,
): number[] {
  const settings = { rules: { [rule]: { on: true, parameters: {}, ...parameters } } };
  return verdictsOf(run.script.events, { ...noRuleSettings, ...settings })
    .filter(({ verdict }) => verdict.rule === rule)
    .map(({ step }) => step);
}

function everyRuleOn(): RuleSettings {
  return { rules: Object.fromEntries(everyRule.map(({ id }) => [id, { on: true, parameters: {} }])) };
}
