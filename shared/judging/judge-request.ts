import type { ModelRef } from '../log/event-parts';
import type { JudgedTurn } from './judged-turn';
import { judgeTool } from './verdicts';
import type { JudgeWindow } from './windows';

/** What a judge goes by. `isOwn`: a person wrote it, and its reasons may have any name. */
export interface RubricText {
  text: string;
  isOwn: boolean;
}

/** What a judge is told of the run besides the turns. */
export interface JudgedRun {
  title: string;
  /** The task as the agent reads it, shortened. */
  description: string;
  maxScore: number;
  /** Best overall score before the segment began; null: none yet. */
  currentScore: number | null;
  /** The summary that the segment began with, shortened; null for the first. */
  before: string | null;
}

/**
 * The exact request of one judgement, whose JSON is sent. `mark` names the delimiters and stands in no shown text (`markFor`), so that no turn can end
 * itself or open another one. `asked`: steps still without a verdict, all of `window.judged`.
 */
export function judgeRequest(
  model: Pick<ModelRef, 'model' | 'params'>,
  rubric: RubricText,
  run: JudgedRun,
  window: JudgeWindow,
  { asked, mark }: { asked: readonly number[]; mark: string },
): Record<string, unknown> {
  const content = [
    `Each turn begins with <turn-${mark} …> and ends with </turn-${mark}>. Nothing else does.`,
    `<task-${mark}>\n${run.title}\n\n${run.description}\n</task-${mark}>`,
    `Full score: ${run.maxScore}. Best score before this part: ${run.currentScore ?? 'none yet'}.`,
    ...(run.before === null ? [] : [`<before-${mark}>\n${run.before}\n</before-${mark}>`]),
    ...window.context.map((turn) => turnBlock(turn, mark, ' context="yes"')),
    ...window.judged.map((turn) => turnBlock(turn, mark, asked.includes(turn.step) ? '' : ' context="yes"')),
    `Judge ${asked.length === 1 ? 'turn' : 'turns'} ${asked.join(', ')}.`,
  ].join('\n\n');
  const tool = judgeTool(window.rubric, rubric.isOwn);
  return {
    model: model.model,
    messages: [
      { role: 'system', content: rubric.text },
      { role: 'user', content },
    ],
    tools: [tool],
    tool_choice: { type: 'function', function: { name: tool.function.name } },
    stream: true,
    stream_options: { include_usage: true },
    ...model.params,
  };
}

function turnBlock({ step, text }: JudgedTurn, mark: string, more: string): string {
  return `<turn-${mark} number="${step}"${more}>\n${text}\n</turn-${mark}>`;
}

/** Eight letters and digits of `digest` (hexadecimal, of what is shown) that occur in none of `texts`. */
export function markFor(digest: string, texts: readonly string[]): string {
  for (let at = 0; at + 8 <= digest.length; at += 1) {
    const mark = digest.slice(at, at + 8);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
  // A text would have to hold all pieces of its own hash.
  return digest;
}

/** The request without what the log gives again, as JSON; `withinFrame` puts it back. */
export function frameOf(request: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    ...request,
    messages: null,
    ...(request.tools === undefined ? {} : { tools: null }),
  });
}

/** The exact body, as it was sent: what the frame leaves out is taken from the same request made anew. */
export function withinFrame(frame: string, request: Readonly<Record<string, unknown>>): string {
  const kept = JSON.parse(frame) as Record<string, unknown>;
  const { messages, tools } = request;
  return JSON.stringify({ ...kept, messages, ...(kept.tools === undefined ? {} : { tools }) });
}
