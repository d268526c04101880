import type { MaskedMessage } from '@shared/context/mask';
import type { DatasetRow } from '../rows';
import type { RunPlan, StepPlan } from '../run-plan';
import type { Redacted, Redactor } from './redactor';
import type { TextHit } from './text-finder';

/** Where in a row something was found. `step` 0: the head of its context. */
export interface RowPlace {
  run: string;
  step: number;
  /** As `messages[3].tool_calls[0].arguments`, `metadata.given_reason`. */
  field: string;
}

/** `allowed`: of those that a person lets stand; they are still there. */
export type OnHits = (hits: readonly TextHit[], place: RowPlace, allowed: boolean) => void;

/** A rest of a secret that was cut in two is looked for in so many messages on either side. */
const NEAR = 2;
/** A shorter rest of a secret is a word like others. */
const SHORTEST_REST = 6;

/**
 * The row without secrets and names, as the redactor's settings say: contents, reasoning, arguments of calls (which stay valid JSON
 * where they were), descriptions of tools, reasons that people gave, names of tasks, experiments and arms. Masks, ids, roles and
 * images are as before; a row without anything to take out is the same object.
 */
export function redactRow(row: DatasetRow, redactor: Redactor, onHits: OnHits = () => undefined): DatasetRow {
  if (redactor.settings.level === 'off') return row;
  const { run } = row.plan.run.created;
  const { steps } = row;
  const put = redacting(redactor, onHits);
  const parts: { message: number; hit: TextHit }[] = [];
  let messages = row.messages.map((message, index) => {
    const field = `messages[${index}]`;
    return redactedMessage(message, (text, form, name) => {
      const { text: rest, hits } = put(text, form, {
        run,
        step: steps[index] ?? 0,
        field: `${field}.${name}`,
      });
      for (const hit of hits) if (hit.part !== undefined) parts.push({ message: index, hit });
      return rest;
    });
  });
  if (parts.length > 0) messages = withoutRests(messages, parts, redactor);
  const report =
    (field: string) =>
    (text: string, form: 'text' | 'json' = 'text') =>
      put(text, form, { run, step: 0, field }).text;
  const tools = redactedStrings(row.tools, report('tools'));
  const refused = redactedRefused(row.refused, report('metadata.refused'));
  const plan = redactedPlan(row, redactor, put);
  const same =
    messages.every((message, index) => message === row.messages[index]) &&
    tools === row.tools &&
    refused === row.refused &&
    plan === row.plan;
  return same ? row : { ...row, messages, tools, refused, plan };
}

type Put = (text: string, form: 'text' | 'json', place: RowPlace) => Redacted;

function redacting(redactor: Redactor, onHits: OnHits): Put {
  return (text, form, place) => {
    const redacted = redactor.redact(text, form);
    if (redacted.hits.length > 0) onHits(redacted.hits, place, false);
    if (redacted.allowed.length > 0) onHits(redacted.allowed, place, true);
    return redacted;
  };
}

type Replace = (text: string, form: 'text' | 'json', field: string) => string;

function redactedMessage<M extends MaskedMessage>(message: M, replace: Replace): M {
  const next = { ...message };
  let changed = false;
  const put = (text: string, form: 'text' | 'json', field: string): string => {
    const rest = replace(text, form, field);
    changed ||= rest !== text;
    return rest;
  };
  if (typeof next.content === 'string') {
    next.content = put(next.content, 'text', 'content');
  } else if (next.role === 'user') {
    next.content = next.content.map((part, index) => {
      if (part.type === 'text') return { ...part, text: put(part.text, 'text', `content[${index}].text`) };
      const { url } = part.image_url;
      // Bytes of an image: no text, and an address without them is looked at like any other.
      if (url.startsWith('data:image/')) return part;
      return {
        ...part,
        image_url: { ...part.image_url, url: put(url, 'text', `content[${index}].image_url`) },
      };
    });
  }
  if (next.role === 'assistant') {
    if (next.reasoning_content !== undefined)
      next.reasoning_content = put(next.reasoning_content, 'text', 'reasoning_content');
    if (next.tool_calls !== undefined) {
      next.tool_calls = next.tool_calls.map((call, index) => {
        const { name, arguments: text } = call.function;
        const field = `tool_calls[${index}]`;
        return {
          ...call,
          function: {
            ...call.function,
            name: put(name, 'text', `${field}.name`),
            arguments: put(text, 'json', `${field}.arguments`),
          },
        };
      });
    }
  }
  return changed ? next : message;
}

/** Of a secret that was cut in two, the lesser piece stands at the end of the text before, or at the beginning of the one behind. */
function withoutRests(
  messages: MaskedMessage[],
  parts: readonly { message: number; hit: TextHit }[],
  redactor: Redactor,
): MaskedMessage[] {
  const next = [...messages];
  for (const { message, hit } of parts) {
    if (hit.part === undefined) continue;
    const { secret, from, to } = hit.part;
    const rests = [
      [secret.slice(0, from), message - NEAR, message],
      [secret.slice(to), message, message + NEAR],
    ] as const;
    for (const [rest, first, last] of rests) {
      if (rest.length < SHORTEST_REST) continue;
      for (let index = Math.max(0, first); index <= Math.min(next.length - 1, last); index += 1) {
        const near = next[index];
        if (near === undefined) continue;
        next[index] = redactedMessage(near, (text) => text.split(rest).join(redactor.placeholderOf(hit)));
      }
    }
  }
  return next;
}

function redactedRefused(refused: DatasetRow['refused'], replace: Replace): DatasetRow['refused'] {
  const next = refused.map((each) => {
    const answer = redactedMessage(each.answer, replace);
    const told = replace(each.told, 'text', '');
    return answer === each.answer && told === each.told ? each : { ...each, answer, told };
  });
  return next.every((each, index) => each === refused[index]) ? refused : next;
}

/** The same value where nothing changed. */
function redactedStrings<T>(value: T, replace: (text: string) => string): T {
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') return replace(item);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) {
      const items = item.map(walk);
      return items.every((each, index) => each === item[index]) ? item : items;
    }
    const fields = Object.entries(item).map(
      ([field, each]) => [field, typeof each === 'string' && IDS.has(field) ? each : walk(each)] as const,
    );
    return fields.every(([field, each]) => each === (item as Record<string, unknown>)[field])
      ? item
      : Object.fromEntries(fields);
  };
  return walk(value) as T;
}

/** Fields by which things are found again: never changed. */
const IDS = new Set(['id', 'tool_call_id', 'role', 'type', 'run', 'step', 'step_loss_mask']);

/** Runs whose names were redacted, each once: who compares plans compares objects. */
const redactedRuns = new WeakMap<Redactor, WeakMap<RunPlan, RunPlan>>();

function redactedPlan({ plan }: DatasetRow, redactor: Redactor, put: Put): DatasetRow['plan'] {
  const { created } = plan.run;
  const reasoned = (step: StepPlan): StepPlan => {
    if (step.given === null) return step;
    const place = { run: created.run, step: step.step, field: 'metadata.given_reason' };
    const given = put(step.given, 'text', place).text;
    return given === step.given ? step : { ...step, given };
  };
  const steps = plan.steps.map(reasoned);
  const run = redactedRun(plan.run, redactor, put);
  const same = run === plan.run && steps.every((step, index) => step === plan.steps[index]);
  return same ? plan : { ...plan, run, steps };
}

function redactedRun(plan: RunPlan, redactor: Redactor, put: Put): RunPlan {
  const runs = redactedRuns.get(redactor) ?? new WeakMap<RunPlan, RunPlan>();
  redactedRuns.set(redactor, runs);
  const known = runs.get(plan);
  if (known !== undefined) return known;
  const { created } = plan;
  const named = <T extends string | null | undefined>(text: T, field: string): T =>
    typeof text === 'string'
      ? (put(text, 'text', { run: created.run, step: 0, field: `metadata.${field}` }).text as T)
      : text;
  const texts = {
    title: named(created.title, 'title'),
    experiment: named(created.experiment, 'experiment'),
    arm: named(created.arm, 'arm'),
    group: named(created.group, 'group'),
  };
  const task = {
    id: named(created.task.id, 'task'),
    title: named(created.task.title, 'task_title'),
    domain: named(created.task.domain, 'domain'),
  };
  const changed =
    Object.entries(texts).some(([field, value]) => created[field as keyof typeof texts] !== value) ||
    Object.entries(task).some(([field, value]) => created.task[field as keyof typeof task] !== value);
  const next = changed
    ? { ...plan, created: { ...created, ...texts, task: { ...created.task, ...task } } }
    : plan;
  runs.set(plan, next);
  return next;
}
