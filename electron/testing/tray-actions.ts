import type { Tool } from '@shared/log/event-parts';
import type { ActionContext, ActionOutcome, ActionPort, ParsedCall, StandingAnswers } from '../agent/ports';
import type { Clock } from '../clock';

/** The world that tray actions change. It survives the death of a driver, as files and sessions do. */
export class Tray {
  readonly items: string[] = [];
  /** Number of times each call did its work, by `step.call`. */
  readonly done = new Map<string, number>();
}

const tools: Tool[] = ['put', 'list', 'crash', 'sleep', 'think', 'forbidden', 'danger', 'finish'].map(
  (name) => ({
    type: 'function',
    function: {
      name,
      description: `The action ${name}.`,
      parameters: { type: 'object', properties: { item: { type: 'string' } }, required: [] },
    },
  }),
);

const outcome = (text: string, over: Partial<ActionOutcome> = {}): ActionOutcome => ({
  ok: true,
  error: null,
  text,
  data: {},
  closedBy: 'run',
  events: [],
  ends: null,
  ...over,
});

const keyOf = ({ step, call }: ActionContext) => `${step}.${call}`;

/** A small real action port for tests of the loop: puts things on a tray, sleeps, throws, finishes. */
export class TrayActions implements ActionPort {
  /** Thrown by the next runs or looks, first in first out; undefined lets one pass. */
  readonly obstacles: (Error | undefined)[] = [];
  readonly looked: string[] = [];

  constructor(
    private readonly tray: Tray,
    private readonly clock: Clock,
  ) {}

  tools(): Tool[] {
    return tools;
  }

  parse(name: string, argumentsText: string): ReturnType<ActionPort['parse']> {
    if (!tools.some((tool) => tool.function.name === name)) {
      return { ok: false, readable: name !== '', problem: `There is no tool "${name}".` };
    }
    try {
      const args: unknown = JSON.parse(argumentsText === '' ? '{}' : argumentsText);
      if (typeof args !== 'object' || args === null || Array.isArray(args)) {
        return { ok: false, readable: false, problem: 'The arguments must be a JSON object.' };
      }
      const entries = Object.entries(args).map(([key, value]) => [
        key,
        typeof value === 'number' ? value : String(value),
      ]);
      return { ok: true, call: { name, args: Object.fromEntries(entries) } };
    } catch (error) {
      return {
        ok: false,
        readable: false,
        problem: `The arguments are no JSON: ${error instanceof Error ? error.message : ''}`,
      };
    }
  }

  guards({ name, args }: ParsedCall): ReturnType<ActionPort['guards']> {
    if (name === 'forbidden') {
      return [{ rule: 'forbidden', level: 'refuse', message: 'This is not allowed here.' }];
    }
    if (name === 'finish' && args.item === 'early') {
      return [{ rule: 'early_finish', level: 'warn', message: 'Much is left to do.' }];
    }
    return args.item === 'twice' ? [{ rule: 'twice', level: 'warn', message: 'You did this before.' }] : [];
  }

  approval(
    { name }: ParsedCall,
    { kinds }: StandingAnswers,
  ): ReturnType<NonNullable<ActionPort['approval']>> {
    if (name !== 'danger' || kinds.has('danger')) return null;
    return { what: 'danger', why: 'it is dangerous', kinds: ['danger'] };
  }

  offsets(): Record<string, number> {
    return { 'tray:main': this.tray.items.length };
  }

  async run(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    this.stumble();
    return this.perform(call, context);
  }

  async look(call: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    this.looked.push(context.callId);
    this.stumble();
    const found = this.tray.done.has(keyOf(context));
    const seen =
      found && call.name === 'put' ? outcome(`put ${call.args.item}`) : await this.perform(call, context);
    return { ...seen, closedBy: 'look' };
  }

  private stumble(): void {
    const obstacle = this.obstacles.shift();
    if (obstacle !== undefined) {
      throw obstacle;
    }
  }

  private async perform({ name, args }: ParsedCall, context: ActionContext): Promise<ActionOutcome> {
    const key = keyOf(context);
    this.tray.done.set(key, (this.tray.done.get(key) ?? 0) + 1);
    switch (name) {
      case 'put':
        this.tray.items.push(String(args.item));
        return outcome(`put ${args.item}`);
      case 'list':
        return outcome(this.tray.items.join(',') || 'nothing');
      case 'crash':
        throw new RangeError('the tray fell');
      case 'sleep':
        return this.sleep(Number(args.sleep_time ?? 0) * 1_000, context);
      case 'finish':
        return outcome('finished', { ends: 'finish' });
      default:
        return outcome(`did ${name}`);
    }
  }

  private async sleep(ms: number, context: ActionContext): Promise<ActionOutcome> {
    const either = new AbortController();
    const end = () => either.abort(new Error('ended early'));
    context.wake.addEventListener('abort', end);
    context.signal.addEventListener('abort', end);
    try {
      await this.clock.sleep(ms, either.signal);
      return outcome('slept');
    } catch {
      return outcome(
        context.wake.aborted ? 'woken' : 'interrupted',
        context.wake.aborted ? {} : { closedBy: 'interrupted' },
      );
    }
  }
}
