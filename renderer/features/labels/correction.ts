import { isOfJsonType } from '@shared/base/json';
import type { StepDetail } from '@shared/contract/views';
import type { Correction } from '@shared/log/annotations';
import type { Tool } from '@shared/log/event-parts';
import { create } from 'zustand';
import { call } from '../../api';
import { useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';
import { inOrder, undoableToast } from './annotation-queue';
import { refreshStep } from './label-notes';
import { labelTarget } from './label-target';
import { closeDecision } from './labels';

/** The step whose action is being corrected, or null. */
export const useCorrecting = create<{ step: { run: string; step: number } | null }>()(() => ({ step: null }));

export function openCorrection(): void {
  const target = labelTarget();
  if (target === null) return;
  const { run } = target;
  const { cursor, heads } = useTimeline.getState();
  if (heads.get(cursor)?.done === false) toast((text) => text.correction.notAnswered(cursor));
  else useCorrecting.setState({ step: { run, step: cursor } });
}

export function closeCorrection(): void {
  useCorrecting.setState({ step: null });
}

/** The correction to begin with: the person's own that stands, else what the model said, its JSON on lines of its own. */
export function draftOf(detail: StepDetail, author: string | undefined): Correction {
  const own = detail.labels.corrections.find((each) => each.author.uuid === author);
  if (own !== undefined) return own.correction;
  const call = detail.observations[0];
  return {
    text: detail.text,
    call: { name: call?.name ?? '', arguments: spread(call?.rawArguments ?? '{}') },
    note: '',
  };
}

function spread(json: string): string {
  const parsed = parse(json);
  return parsed === undefined ? json : JSON.stringify(parsed, null, 2);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // what the model wrote is no JSON; it is shown as it is
  }
}

/** What is wrong with the arguments of a call: `json` and `shape` cannot be saved, the others only are not as the tool asks. */
export type ArgumentProblem =
  | { kind: 'json'; line: number; message: string }
  | { kind: 'shape' }
  | { kind: 'missing'; names: string[] }
  | { kind: 'unknown'; names: string[] }
  | { kind: 'type'; name: string; wanted: string };

/** Looks at the arguments as they are typed, against the tool's own description where there is one. */
export function argumentProblems(text: string, tool: Tool | undefined): ArgumentProblem[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ kind: 'json', line: lineOf(text, message), message }];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ kind: 'shape' }];
  return tool === undefined ? [] : againstSchema(value as Record<string, unknown>, tool.function.parameters);
}

/** V8 names the place either as a position or as a line. */
function lineOf(text: string, message: string): number {
  const line = /line (\d+)/u.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/u.exec(message)?.[1];
  const at = position === undefined ? text.length : Number(position);
  return text.slice(0, at).split('\n').length;
}

function againstSchema(value: Record<string, unknown>, schema: Record<string, unknown>): ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  const properties = asRecord(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  if (missing.length > 0) problems.push({ kind: 'missing', names: missing });
  if (unknown.length > 0) problems.push({ kind: 'unknown', names: unknown });
  for (const [name, given] of Object.entries(value)) {
    const wanted = asRecord(properties[name]).type;
    if (typeof wanted === 'string' && !isOfJsonType(given, wanted))
      problems.push({ kind: 'type', name, wanted });
  }
  return problems;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function blocksSaving(problems: readonly ArgumentProblem[]): boolean {
  return problems.some(({ kind }) => kind === 'json' || kind === 'shape');
}

/** Keeps a correction beside the original, or takes the person's own back. */
export async function saveCorrection(
  run: string,
  step: number,
  correction: Correction | null,
): Promise<void> {
  closeDecision();
  const kept = inOrder(() => call('labels.correct', { run, step, correction }));
  const say = undoableToast();
  const entry = await kept;
  say((text) => (correction === null ? text.correction.withdrawn(step) : text.correction.saved(step)), entry);
  await refreshStep(run, step);
}
