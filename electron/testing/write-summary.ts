import type { EventBody, NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import type { RunWriter } from './run-writer';

export interface SummaryToWrite {
  /** The segment that ends. */
  segment: number;
  steps: { from: number; to: number };
  carried: { from: number; to: number } | null;
  /** The summary as it stands in the next context. */
  text: string;
  /** The arguments of the model's call. */
  parts?: Record<string, unknown>;
  /** The last summarised observation. */
  observation?: string;
  missing?: EventBody<'summary.ended'>['missing'];
  tokensBefore?: number;
  tokensAfter?: number;
}

const head: EventBody<'segment.started'>['head'] = [
  { role: 'system', content: 'You are an agent.' },
  { role: 'user', content: 'Do the task.' },
];

/** A summary turn and the segment it opens, as the loop records them. */
export async function writeSummary(writer: RunWriter, summary: SummaryToWrite): Promise<void> {
  const { tokensBefore = 98_000, tokensAfter = 41_000, missing = [] } = summary;
  const step = writer.step + 1;
  const request = { model: 'scripted', stream: true };
  await writer.record([
    {
      kind: 'summary.started',
      body: {
        step,
        segment: summary.segment,
        entries: summary.steps.to - summary.steps.from + 1 + (summary.segment > 1 ? 1 : 0),
        pair: summary.segment > 1,
        steps: summary.steps,
        carried: summary.carried,
        tokens: tokensBefore,
        limit: 100_000,
        why: 'limit',
        hints: [],
        head,
        closing: 'Summarise.',
        tools: [],
        request,
      },
    },
  ]);
  await writer.request();
  const events: NewEvent[] = [
    {
      kind: 'model.answered',
      body: {
        step,
        stepId: ulid(),
        kind: 'summary',
        text: '',
        reasoning: '',
        calls: [{ id: `call_${step}`, name: 'keep_state', arguments: JSON.stringify(summary.parts ?? {}) }],
        invalid: [null],
        finishReason: 'tool_calls',
        model: 'scripted',
        usage: { inputTokens: tokensBefore, outputTokens: 3_800, cachedTokens: 0, reasoningTokens: 0 },
        cost: 0.02,
        durationMs: 41_000,
      },
    },
    { kind: 'summary.ended', body: { step, tokensBefore, tokensAfter, missing } },
    {
      kind: 'segment.started',
      body: {
        segment: summary.segment + 1,
        head: [
          ...head,
          { role: 'assistant', content: summary.text },
          { role: 'user', content: summary.observation ?? 'ok' },
        ],
        tools: [],
        request,
        summary: step,
        carried: summary.carried,
      },
    },
  ];
  await writer.close(step, events);
}
