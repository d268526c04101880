import type { EventBody, EventKind } from '../../log/events';
import { RunScript, type ScriptedCall } from '../run-fixtures';
import type { AttentionItem, AttentionKind } from './attention';
import { attentionAt, foldAttention, startAttention } from './attention-fold';
import type { AttentionState } from './attention-state';

const RUN = '01KRVN00000000000000000000';
/** Wall clock of the first event, ms. */
export const SCRIPT_START = 1_000_000;

/** A made-up run with a clock, and what the inbox says of it; for tests. */
export class AttentionScript {
  readonly script: RunScript;
  now = SCRIPT_START;
  private stamped = 0;
  private folded = 0;
  private attention = startAttention(RUN);

  constructor(options: Partial<EventBody<'run.created'>> = {}) {
    this.script = new RunScript(RUN, options);
    this.add('run.status', { status: 'running', reason: null, message: 'Driven.' });
  }

  get state(): AttentionState {
    return this.attention;
  }

  add<K extends EventKind>(kind: K, body: EventBody<K>): this {
    this.script.add(kind, body);
    return this.stamp();
  }

  /** One step of one call that went well, unless `call` says otherwise. */
  step(call: ScriptedCall, text?: string): this {
    this.script.answer([call], text === undefined ? {} : { text });
    return this.stamp();
  }

  steps(count: number): this {
    for (let i = 0; i < count; i += 1)
      this.step({ name: 'open_file', args: { path: `/w/${this.script.step}` } });
    return this;
  }

  /** A command left running in a session of `gpu-1`. */
  start(command: string, session: string): this {
    const data = { computer: 'gpu-1', session, command, async: true, state: 'busy' };
    return this.step({ name: 'run_command', args: { command, session_id: session }, data });
  }

  look(session: string, text: string, state = 'busy'): this {
    return this.step({ name: 'get_session_output', text, data: { computer: 'gpu-1', session, state } });
  }

  sleep(seconds: number): this {
    this.pass(seconds * 1_000);
    return this.step({ name: 'sleep', args: { sleep_time: seconds }, data: { askedMs: seconds * 1_000 } });
  }

  pass(ms: number): this {
    this.now += ms;
    return this;
  }

  items(kind?: AttentionKind, driven = true): AttentionItem[] {
    const { items } = attentionAt(this.fold(), this.now, driven);
    return kind === undefined ? items : items.filter((item) => item.kind === kind);
  }

  /** The state after everything so far, written down and read again after every event. */
  fold(): AttentionState {
    for (const event of this.script.events.slice(this.folded)) {
      this.attention = JSON.parse(JSON.stringify(this.attention)) as AttentionState;
      foldAttention(this.attention, event);
    }
    this.folded = this.script.events.length;
    return this.attention;
  }

  private stamp(): this {
    for (const event of this.script.events.slice(this.stamped)) event.at = this.now;
    this.stamped = this.script.events.length;
    return this;
  }
}
