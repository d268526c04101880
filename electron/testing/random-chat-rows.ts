import type { MaskedMessage } from '@shared/context/mask';
import fc from 'fast-check';
import type { DatasetRow } from '../dataset/rows';
import type { NastyRows } from './nasty-rows';

/** What templates, loaders and tokenizers stumble over. */
const snippet = fc.constantFrom(
  ...[
    '',
    ' ',
    '\n',
    '\n\n',
    'a',
    'Thought',
    '你好',
    '😀',
    '\ud83d',
    '\udc00',
    '\u0000',
    '\u2028',
    '\ufdd0',
    '"',
    '\\',
  ],
  ...[
    '<tool_call>',
    '</tool_call>',
    '<tool_call>{"name": "x", "arguments": {}}</tool_call>',
    '<think>',
    '</think>',
  ],
  ...[
    '<think>\nno\n</think>\n\n',
    '<image>',
    '<video>',
    '{{idx}}',
    '{{content}}',
    '<|im_end|>',
    '<|im_start|>assistant\n',
  ],
  ...[
    '</tool_response>',
    '[[dummy_message]]',
    'Action:\n{"name": "x", "arguments": {}}',
    'Thought:\n',
    '<real_user>',
  ],
);
const text = fc.array(snippet, { maxLength: 4 }).map((pieces) => pieces.join(''));

const argumentText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 4, arbitrary: text.map((value) => `{ "command" :\n${JSON.stringify(value)} , "n": -1.50e+2 }`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '{"a": 12345678901234567890}',
        '{"a": 1e999}',
        `{"a": ${'9'.repeat(5_000)}}`,
        '{"a":1,"a":2}',
        '{"2":1,"1":2}',
      ],
      ...[
        '{"b": "\\ud83d", "\\ud83d": 1}',
        '{"__proto__": {"x": 1}}',
        '[1]',
        '3',
        '',
        'null',
        '{',
        '{"a": NaN}',
        "{'a': 1}",
      ],
      `{"a": ${'['.repeat(1_500)}${']'.repeat(1_500)}}`,
    ),
  },
);

const stepMessages = fc.record({
  content: text,
  reasoning: fc.option(text, { nil: undefined, freq: 3 }),
  calls: fc.array(argumentText, { maxLength: 3 }),
  results: fc.array(text, { minLength: 3, maxLength: 3 }),
  /** Missing results, and none of them. */
  unanswered: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  said: fc.option(text, { nil: undefined, freq: 2 }),
  trains: fc.boolean(),
});

export interface RandomChat {
  system: string | undefined;
  asked: string | undefined;
  steps: {
    content: string;
    reasoning: string | undefined;
    calls: string[];
    results: string[];
    unanswered: number;
    said: string | undefined;
    trains: boolean;
  }[];
}

export const randomChat: fc.Arbitrary<RandomChat> = fc.record({
  system: fc.option(text, { nil: undefined, freq: 5 }),
  asked: fc.option(text, { nil: undefined, freq: 20 }),
  steps: fc.array(stepMessages, { minLength: 1, maxLength: 5 }),
});

/** A row of the nasty set with other messages; `at` gives it a segment of its own, which no other continues. */
export function rowOf({ system, asked, steps }: RandomChat, { rows }: NastyRows, at: number): DatasetRow {
  const [base] = rows;
  const planned = base?.plan.steps[0];
  if (base === undefined || planned === undefined) throw new Error('The nasty set holds no row');
  const messages: MaskedMessage[] = [];
  if (system !== undefined) messages.push({ role: 'system', content: system });
  if (asked !== undefined) messages.push({ role: 'user', content: asked });
  for (const [index, { content, reasoning, calls, results, unanswered, said, trains }] of steps.entries()) {
    const made = calls.map((call, nth) => ({
      id: `c${index}-${nth}`,
      type: 'function' as const,
      function: { name: nth === 0 ? 'run_command' : 'think', arguments: call },
    }));
    messages.push({
      role: 'assistant',
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(made.length === 0 ? {} : { tool_calls: made }),
      content,
      step_loss_mask: trains ? 1 : 0,
    });
    for (const [nth, { id }] of made.slice(unanswered).entries()) {
      messages.push({ role: 'tool', tool_call_id: id, content: results[nth] ?? '' });
    }
    if (said !== undefined) messages.push({ role: 'user', content: said });
  }
  const own = steps.map((_, index) => ({ ...planned, step: index + 1, id: `step ${index + 1}` }));
  return {
    ...base,
    messages,
    plan: {
      ...base.plan,
      segment: { ...base.plan.segment, segment: 2 * at + 1, carried: [] },
      steps: own,
      masks: new Map(steps.map(({ trains }, index) => [index + 1, trains ? 1 : 0])),
      carried: new Map(),
    },
  };
}

/** A plan whose rows these are. */
export function planOf({ plan }: NastyRows, rows: readonly DatasetRow[]): NastyRows['plan'] {
  const [variant] = plan.variants;
  if (variant === undefined) throw new Error('The plan holds no variant');
  return { ...plan, variants: [{ ...variant, rows: rows.map((row) => row.plan) }] };
}
