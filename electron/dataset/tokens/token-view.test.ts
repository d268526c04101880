import { WaymarkError } from '@shared/contract/errors';
import type { TokenView } from '@shared/contract/export-views';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { templateNames } from '../../testing/tokens/tiny-tokenizer';
import { loadedTemplate, rowOf, someTools, tokenRows } from '../../testing/tokens/token-rows';
import { type TokenOptions, type TokenRow, templateRow } from './conversation';
import { tokenView } from './token-view';

const runs = process.env.WAYMARK_FULL === '1' ? 1_000 : 60;
const loaded = Object.fromEntries(templateNames.map((name) => [name, loadedTemplate(name)]));
const model = (name: string) => loaded[name] ?? loadedTemplate(name);
const auto: TokenOptions = { rule: 'auto', argumentsForm: 'auto', format: 'axolotl' };

type Turn = Parameters<typeof rowOf>[0]['turns'][number];
const quiet: Turn = { content: 'Done.', reasoning: '', calls: [], mask: 1, results: [], asked: 'Next.' };
const call = (command: string) => ({ name: 'run_command', arguments: { command } });

function row(turns: Partial<Turn>[]): TokenRow {
  return rowOf({
    system: 'Be brief.',
    user: 'Begin.',
    tools: someTools,
    turns: turns.map((turn) => ({ ...quiet, ...turn, results: ['first', 'second'] })),
  });
}

/** Texts of the runs of tokens with this loss. */
function told(view: TokenView, loss: string): string[] {
  const texts: string[] = [];
  for (let at = 0; at < view.ids.length; at += 1) {
    if (view.losses[at] !== loss) continue;
    const text = view.text.slice(view.starts[at], view.starts[at + 1] ?? view.text.length);
    if (at > 0 && view.losses[at - 1] === loss) texts[texts.length - 1] += text;
    else texts.push(text);
  }
  return texts;
}

const lossOfAll = (view: TokenView) =>
  view.messages.flatMap(({ index, lost }) =>
    lost.map(({ part, name }) => [index, part, name].join(' ').trim()),
  );

describe('which arguments a template wants', () => {
  it.each([
    ['qwen2.5', 'object'],
    ['qwen3', 'either'],
    ['qwen3.5', 'object'],
    ['glm-4.5', 'object'],
    ['llama-3', 'neither'],
    ['deepseek-v3', 'string'],
    ['gpt-oss', 'object'],
    ['chatml-training', 'string'],
  ])('%s: %s', (name, form) => {
    expect(model(name).view).toMatchObject({ argumentsForm: form });
  });

  it('that wants neither says why', () => {
    expect(model('llama-3').view.warnings).toEqual([expect.stringContaining('they are left out')]);
  });
});

it('the family is told by the tokens of the template', () => {
  const families = Object.fromEntries(templateNames.map((name) => [name, model(name).view.family]));
  expect(families).toEqual({
    'qwen2.5': 'qwen2.5',
    qwen3: 'qwen3',
    'qwen3.5': 'qwen3.5',
    'glm-4.5': 'glm-4.5',
    'llama-3': 'llama-3',
    'deepseek-v3': 'deepseek-v3',
    'gpt-oss': 'gpt-oss',
    'chatml-training': 'chatml',
  });
});

describe('what a template leaves out', () => {
  const busy = row([
    { content: 'Let me look.', reasoning: 'Hm, first.', calls: [call('ls'), call('pwd')] },
    { content: 'All is well.', reasoning: 'So it is.' },
  ]);

  it.each<[string, string[]]>([
    ['qwen2.5', ['2 reasoning', '5 reasoning']],
    ['qwen3', []],
    ['qwen3.5', []],
    ['glm-4.5', []],
    ['llama-3', ['2 reasoning', '2 call run_command', '2 call run_command', '5 reasoning']],
    ['deepseek-v3', ['2 reasoning', '2 call run_command', '2 call run_command', '5 reasoning']],
    ['gpt-oss', ['2 content', '2 reasoning', '2 call run_command', '5 reasoning']],
  ])('%s', (name, lost) => {
    expect(lossOfAll(tokenView(busy, model(name), auto))).toEqual(lost);
  });

  it('holds a name, and the beginning of what is lost', () => {
    const long = row([{ content: '', calls: [call('x'.repeat(500))] }]);
    const [lost] = tokenView(long, model('llama-3'), auto).messages[2]?.lost ?? [];
    expect(lost).toMatchObject({ part: 'call', name: 'run_command' });
    expect(lost?.excerpt).toHaveLength(121);
  });
});

describe('property: what every template makes of every conversation', () => {
  test.each(templateNames)('%s', { timeout: 300_000 }, (name) => {
    fc.assert(
      fc.property(tokenRows, (given) => {
        const view = viewOrRefusal(given, model(name), auto);
        if (view === null) return;
        whole(view);
        placed(view, given);
        masked(view, given);
      }),
      { numRuns: runs },
    );
  });
});

/** Null: the template refuses such a conversation. */
function viewOrRefusal(
  given: TokenRow,
  under: ReturnType<typeof model>,
  options: TokenOptions,
): TokenView | null {
  try {
    return tokenView(given, under, options);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(WaymarkError);
    expect((thrown as WaymarkError).code).toBe('refused');
    return null;
  }
}

/** Tokens cover the text without a gap, and the counts are theirs. */
function whole(view: TokenView): void {
  expect(view.starts[0] ?? 0).toBe(0);
  expect(view.starts.every((start, at) => start >= (view.starts[at - 1] ?? 0))).toBe(true);
  expect([view.ids.length, view.losses.length]).toEqual([view.starts.length, view.starts.length]);
  const count = (letter: string) => [...view.losses].filter((loss) => loss === letter).length;
  expect([view.trainedTokens, view.maskedTokens]).toEqual([count('t'), count('m')]);
  expect(view.messages.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0)).toBe(view.trainedTokens);
}

/** The text is what the template prints without any mark, and messages follow each other in it. */
function placed(view: TokenView, given: TokenRow): void {
  let last = 0;
  for (const { from, to, role, index } of view.messages) {
    expect(from).toBeGreaterThanOrEqual(last);
    expect(to).toBeGreaterThanOrEqual(from);
    if (role === 'assistant') expect(view.text.slice(from, to).trim(), `message ${index}`).not.toBe('');
    last = from;
  }
  expect(view.messages).toHaveLength(given.messages.length);
}

/** Tokens get loss exactly in messages whose mask is off. */
function masked(view: TokenView, given: TokenRow): void {
  for (const { index, from, to, trainedTokens, loss } of view.messages) {
    const message = given.messages[index];
    const trains = message !== undefined && 'step_loss_mask' in message && message.step_loss_mask === 1;
    expect(loss === 'trained', `message ${index}`).toBe(trains);
    if (trains && to > from) expect(trainedTokens, `message ${index}`).toBeGreaterThan(0);
    else expect(trainedTokens, `message ${index}`).toBe(0);
  }
  for (const [at, loss] of [...view.losses].entries()) {
    if (loss !== 't') continue;
    const end = view.starts[at + 1] ?? view.text.length;
    const holder = view.messages.find(
      ({ from, to }) => (view.starts[at] ?? 0) < to && end > from && to > from,
    );
    expect(holder?.role).toBe('assistant');
  }
}

it('the text is what the template prints, without a trace of marks', () => {
  fc.assert(
    fc.property(tokenRows, fc.constantFrom(...templateNames), (given, name) => {
      const view = viewOrRefusal(given, model(name), auto);
      if (view === null) return;
      const { messages, tools } = templateRow(given, view.argumentsForm, auto.format);
      const { template, variables } = model(name);
      const plain = template.render({ messages, tools, addGenerationPrompt: false, variables });
      expect(plain).toEqual({ ok: true, text: view.text });
    }),
    { numRuns: runs },
  );
});

describe('the rule "turn"', () => {
  const given = row([
    { content: 'Look.', calls: [call('ls')] },
    { content: 'No.', mask: 0, calls: [call('rm')] },
    { content: 'Done.' },
  ]);

  it('trains what follows the generation prompt, to the end of the message', () => {
    const view = tokenView(given, model('qwen2.5'), auto);
    expect(told(view, 't')).toEqual([
      'Look.\n<tool_call>\n{"name": "run_command", "arguments": {"command": "ls"}}\n</tool_call><|im_end|>\n',
      'Done.<|im_end|>\n',
    ]);
    expect(told(view, 'm').join('')).toContain('No.\n<tool_call>');
    expect(view.messages[4]).toMatchObject({
      loss: 'masked',
      source: 'human',
      reason: 'AL',
      step: 2,
      trainedTokens: 0,
    });
    expect(view.rule).toBe('turn');
  });

  it('names messages that begin with other text than the model is asked with', () => {
    const { warnings } = tokenView(row([{}]), model('qwen3.5'), auto);
    expect(warnings.filter((warning) => warning.includes('prompt at sampling differs'))).toEqual([]);
    const deepseek = tokenView(
      row([
        { content: '', calls: [call('a')] },
        { content: '', calls: [call('b')] },
      ]),
      model('deepseek-v3'),
      auto,
    );
    expect(deepseek.warnings).toEqual([
      expect.stringContaining('prompt at sampling differs from what is trained in message 5'),
    ]);
  });

  it('does not count on a header that messages only seem to have', () => {
    const fooled = row([{ content: '<|im_start|>assistant\nNot a header.' }]);
    expect(told(tokenView(fooled, model('qwen2.5'), auto), 't')).toEqual([
      '<|im_start|>assistant\nNot a header.<|im_end|>\n',
    ]);
  });
});

describe('carried steps and the head', () => {
  it('are told apart from masked ones', () => {
    const base = row([{ content: 'Old.', mask: 0 }, { content: 'New.' }]);
    const carried = { ...base, own: base.own.filter(({ step }) => step === 2) };
    const view = tokenView(carried, model('qwen2.5'), auto);
    expect(view.messages[2]).toMatchObject({ loss: 'carried', trainedTokens: 0 });
    expect(told(view, 'c')).toEqual(['Old.<|im_end|>\n']);
    expect(view.maskedTokens).toBe(0);
    const head = { ...base, steps: base.steps.map((step) => (step === 1 ? 0 : step)) };
    expect(tokenView(head, model('qwen2.5'), auto).messages[2]?.loss).toBe('context');
  });
});

describe("the rule of the template's generation blocks", () => {
  const trl: TokenOptions = { rule: 'auto', argumentsForm: 'auto', format: 'trl' };
  const given = row([{ content: 'One.' }, { content: 'Two.', mask: 0 }, { content: 'Three.' }]);

  it('trains what they hold', () => {
    const view = tokenView(given, model('chatml-training'), trl);
    expect(view.rule).toBe('generation');
    expect(told(view, 't')).toEqual(['One.<|im_end|>', 'Three.<|im_end|>']);
    expect(told(view, 'm')).toEqual(['Two.<|im_end|>\n']);
    expect(view.warnings).toEqual([]);
  });

  it('names masked messages that a template trains all the same', () => {
    const ignoring = { ...model('chatml-training') };
    const source = ignoring.template.source.replace(
      'and (message.train is not defined or message.train)',
      '',
    );
    const other = {
      ...ignoring,
      template: Object.getPrototypeOf(ignoring.template).constructor.parse(source, 't'),
    };
    const view = tokenView(given, other, trl);
    expect(told(view, 't')).toHaveLength(3);
    expect(view.warnings).toEqual([expect.stringContaining('trains message 5 although a mask is on')]);
  });

  it('is refused where there are none', () => {
    expect(() => tokenView(given, model('qwen3'), { ...trl, rule: 'generation' })).toThrow(
      /no {% generation %} block/,
    );
    expect(tokenView(given, model('qwen3'), trl).warnings).toEqual([
      expect.stringContaining('TRL puts its own template'),
    ]);
  });
});

describe("slime's rules", () => {
  const slime: TokenOptions = { rule: 'auto', argumentsForm: 'auto', format: 'slime' };
  const given = row([
    { content: 'Look.', reasoning: 'Hm.', calls: [call('ls')] },
    { content: 'No.', mask: 0 },
    { content: 'Done.' },
  ]);

  it.each([
    ['qwen2.5', 'slime-qwen'],
    ['qwen3', 'slime-qwen3'],
    ['qwen3.5', 'slime-qwen3_5'],
    ['chatml-training', 'slime-qwen'],
    ['llama-3', 'turn'],
  ])('%s is trained by %s', (name, rule) => {
    expect(tokenView(given, model(name), slime).rule).toBe(rule);
  });

  it('qwen renders each message alone, so that thoughts are lost under Qwen3', () => {
    const view = tokenView(given, model('qwen3'), { ...slime, rule: 'slime-qwen' });
    expect(lossOfAll(view)).toEqual(['2 reasoning']);
    expect(told(view, 't')[1]).toBe('Done.<|im_end|>\n');
  });

  it('qwen3 trains an empty thought on each turn without one, and says so', () => {
    const view = tokenView(given, model('qwen3'), slime);
    expect(told(view, 't')).toEqual([
      expect.stringMatching(/^<think>\nHm.\n<\/think>\n\nLook.\n<tool_call>/),
      '<think>\n\n</think>\n\nDone.<|im_end|>\n',
    ]);
    expect(view.warnings).toEqual([expect.stringContaining('empty <think> block in message 7')]);
  });

  it('qwen3_5 trains from behind <think> on, and names text that misleads it', () => {
    const view = tokenView(row([{ content: 'Look.', reasoning: 'Hm.' }]), model('qwen3.5'), slime);
    expect(told(view, 't')).toEqual(['Hm.\n</think>\n\nLook.<|im_end|>\n']);
    const misled = row([{ content: 'Look.' }]);
    const [, user] = misled.messages;
    if (user !== undefined) Object.assign(user, { content: 'Say <|im_start|>assistant\nHi<|im_end|>' });
    expect(tokenView(misled, model('qwen3.5'), slime).warnings).toContainEqual(
      expect.stringContaining('slime takes other text for message 3'),
    );
  });

  it('distill_qwen takes the first and the last message', () => {
    const view = tokenView(given, model('qwen3'), { ...slime, rule: 'slime-distill_qwen' });
    expect(told(view, 't')).toEqual(['Done.']);
    expect(view.warnings).toContainEqual(expect.stringContaining('between them are left out'));
  });

  it('stop where slime would, with the reason', () => {
    expect(() => tokenView(given, model('llama-3'), { ...slime, rule: 'slime-qwen3_5' })).toThrow(
      /does not find message 3/,
    );
    const short = {
      ...model('llama-3'),
      template: Object.getPrototypeOf(model('llama-3').template).constructor.parse('x', 't'),
    };
    expect(() => tokenView(given, short, { ...slime, rule: 'slime-qwen' })).toThrow(/stands 0 times/);
  });

  test.each([
    ['qwen2.5', 'slime-qwen'],
    ['qwen3', 'slime-qwen3'],
    ['qwen3.5', 'slime-qwen3_5'],
  ] as const)(
    'property: under %s, %s trains exactly the messages whose mask is off',
    { timeout: 300_000 },
    (name, rule) => {
      fc.assert(
        fc.property(tokenRows, (any) => {
          const view = viewOrRefusal(any, model(name), { ...slime, rule });
          if (view === null) return;
          whole(view);
          // Text that looks like slime's own header or end of a turn moves what it trains; that is slime's, and it is warned of.
          if (/im_start|im_end/.test(JSON.stringify(any.messages))) return;
          masked(view, any);
        }),
        { numRuns: runs },
      );
    },
  );
});

describe('a row that cannot be shown', () => {
  it('is refused with what the template said', () => {
    const orphan = row([{ content: 'a' }]);
    const messages = [
      ...orphan.messages.slice(0, 2),
      { role: 'tool' as const, tool_call_id: 'c', content: 'x' },
    ];
    expect(() => tokenView({ ...orphan, messages }, model('gpt-oss'), auto)).toThrow(
      'The template of gpt-oss refuses this row: A tool message follows no call. A trainer stops here too; choose another template, or leave the row out.',
    );
  });

  it("in the wrong form of arguments is refused with Python's reason", () => {
    const calls = row([{ content: '', calls: [call('ls')] }]);
    expect(() => tokenView(calls, model('glm-4.5'), { ...auto, argumentsForm: 'string' })).toThrow(
      /'call.arguments.items' is no method there/,
    );
    expect(() => tokenView(calls, model('deepseek-v3'), { ...auto, argumentsForm: 'object' })).toThrow(
      /can only concatenate str \(not "dict"\)/,
    );
  });

  it('with images names the message, where the template takes texts only', () => {
    const pictured = row([{ content: 'Look.' }]);
    const url = 'data:image/png;base64,AA==';
    const [, user] = pictured.messages;
    if (user !== undefined)
      Object.assign(user, {
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'This.' },
        ],
      });
    expect(() => tokenView(pictured, model('qwen2.5'), auto)).toThrow(/not "list".* Message 2 holds images/);
    expect(tokenView(pictured, model('glm-4.5'), auto).messages[1]?.lost).toEqual([]);
  });

  it('in a form that the template does not want is shown with a warning', () => {
    const calls = row([{ content: '', calls: [call('ls')] }]);
    const view = tokenView(calls, model('qwen2.5'), { ...auto, argumentsForm: 'string' });
    expect(view.text).toContain('\\"command\\"');
    expect(view.warnings).toEqual(['The template wants arguments as an object, but the row holds text.']);
  });
});

it('half surrogates are replaced as in the file', () => {
  const cut = row([{ content: 'a\ud83d' }]);
  expect(told(tokenView(cut, model('qwen2.5'), auto), 't')).toEqual(['a\ufffd<|im_end|>\n']);
});
