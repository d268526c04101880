import type { MaskedMessage } from '@shared/context/mask';
import type { Tool } from '@shared/log/event-parts';
import fc from 'fast-check';
import type { TokenRow } from '../../dataset/tokens/conversation';
import { type LoadedTokenizer, loadTokenizer } from '../../dataset/tokens/tokenizer';
import { templateText, tinyTokenizer } from './tiny-tokenizer';

/** Pieces that templates and tokenizers stumble over. */
const pieces = [
  ...[
    'hello',
    ' world',
    '\n',
    '\n\n',
    ' ',
    '\t',
    '  x',
    'é',
    'e\u0301',
    'o\u0302\u0301',
    '日本',
    '👩‍💻',
    '\u212b',
  ],
  ...[
    '<think>',
    '</think>',
    '<|im_end|>',
    '<|im_start|>assistant\n',
    '<tool_call>',
    '</tool_response>',
    '[gMASK]',
  ],
  ...[
    '{"a": 1}',
    '"q"',
    "it's",
    'a\\b',
    '{{ x }}',
    '{% if %}',
    'None',
    '0',
    '123456',
    'ﬁ',
    '각',
    '\u1112\u1161\u11ab',
  ],
  ...[
    '\u00a0',
    '\ufeff',
    '\x1c',
    '\x85',
    '\u2028',
    '\r\n',
    '>\u0338',
    '\u200d',
    '\ufdd0',
    '\ufdd1m1:0\ufdd2',
  ],
];

export const nastyText = (most = 8) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'grapheme' })), {
      maxLength: most,
    })
    .map((parts) => parts.join(''));

const args = fc.oneof(
  nastyText().map((command) => ({ command })),
  fc.constant({}),
  fc.record({
    path: nastyText(3),
    lines: fc.nat(99),
    deep: fc.constant({ on: true, none: null, list: [1, 'two'] }),
  }),
);

export const someTools: readonly Tool[] = [
  {
    type: 'function',
    function: {
      name: 'run_command',
      description: 'Runs "it"\nnow: é.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
  {
    type: 'function',
    function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } },
  },
] as unknown as readonly Tool[];

interface Turn {
  content: string;
  reasoning: string;
  calls: { name: string; arguments: object }[];
  mask: 0 | 1;
  results: string[];
  asked: string;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  content: nastyText(),
  reasoning: fc.oneof(fc.constant(''), nastyText(4)),
  calls: fc.array(fc.record({ name: fc.constantFrom('run_command', 'read_file'), arguments: args }), {
    maxLength: 2,
  }),
  mask: fc.constantFrom<0 | 1>(0, 1),
  results: fc.array(nastyText(), { minLength: 2, maxLength: 2 }),
  asked: nastyText(4),
});

/** Conversations as rows hold them: head, turns with thoughts and parallel calls, their results, masks. */
export const tokenRows: fc.Arbitrary<TokenRow> = fc
  .record({
    system: fc.option(nastyText(), { nil: null }),
    user: nastyText(),
    turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
    tools: fc.boolean(),
  })
  .map(({ system, user, turns, tools }) => rowOf({ system, user, turns, tools: tools ? someTools : [] }));

export function rowOf(given: {
  system: string | null;
  user: string;
  turns: readonly Turn[];
  tools: readonly Tool[];
}): TokenRow {
  const { system, user, turns, tools } = given;
  const messages: MaskedMessage[] = [];
  const steps: number[] = [];
  const add = (step: number, message: MaskedMessage) => {
    messages.push(message);
    steps.push(step);
  };
  if (system !== null) add(0, { role: 'system', content: system });
  add(0, { role: 'user', content: user });
  let id = 0;
  for (const [index, { content, reasoning, calls, mask, results, asked }] of turns.entries()) {
    const step = index + 1;
    const toolCalls = calls.map(({ name, arguments: value }) => {
      id += 1;
      return {
        id: `c${id}`,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(value) },
      };
    });
    add(step, {
      role: 'assistant',
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      content,
      step_loss_mask: mask,
    });
    for (const [at, call] of toolCalls.entries())
      add(step, { role: 'tool', tool_call_id: call.id, content: results[at] ?? '' });
    if (toolCalls.length === 0 && index + 1 < turns.length) add(step, { role: 'user', content: asked });
  }
  return {
    view: {
      run: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      segment: 1,
      kind: 'react' as const,
      index: 0,
      title: 'A run',
      tokens: 0,
      trained: 0,
      masked: 0,
      split: 'train' as const,
      firstStep: 1,
      lastStep: turns.length,
    },
    of: 1,
    messages,
    tools,
    steps,
    own: turns.map(({ mask }, index) => ({
      step: index + 1,
      source: 'human',
      reason: mask === 1 ? null : 'AL',
    })),
  };
}

const bos: Readonly<Record<string, string>> = {
  'llama-3': '<|begin_of_text|>',
  'deepseek-v3': '<s>',
};

/** A template of `templates/` with the tokenizer of our own. DeepSeek's tokens would make slime take its distilled models' rule. */
export function loadedTemplate(
  name: string,
  json: unknown = tinyTokenizer(['<\uff5cAssistant\uff5c>']),
): LoadedTokenizer {
  const file = `${name}.jinja`;
  return loadTokenizer(
    {
      folder: `/models/${name}`,
      name,
      tokenizer: json,
      warnings: [],
      template: { source: templateText(name), file },
      variables: { bos_token: bos[name] ?? '<s>', eos_token: '<|im_end|>' },
    },
    name,
  );
}
