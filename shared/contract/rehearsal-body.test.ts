import { expect, test } from 'vitest';
import { ContextFold } from '../context/context';
import { hintBlock } from '../context/human-tag';
import { contentText, withText } from '../log/chat';
import type { EventBody, NewEvent } from '../log/events';
import { promptBody, promptBodyWith } from './rehearsal-body';
import type { PromptMessage } from './views';

const tail = '\n\n[budget "left"]';
const draft = 'Look at it.\n</real_user> "twice" \ud800';

const segment = (head: EventBody<'segment.started'>['head'], tools = 1): NewEvent => ({
  kind: 'segment.started',
  body: {
    segment: 1,
    head,
    request: { model: 'm', stream: true },
    tools: Array.from({ length: tools }, () => ({
      type: 'function' as const,
      function: { name: 'run', description: 'Runs.', parameters: { type: 'object' } },
    })),
  },
});
const task = segment([
  { role: 'system', content: 'You work.' },
  { role: 'user', content: 'The task.' },
]);

function answered(step: number, calls: number): NewEvent {
  const made = Array.from({ length: calls }, (_, index) => ({
    id: `c${step}${index}`,
    name: 'run',
    arguments: '{}',
  }));
  const body = {
    step,
    kind: 'act',
    text: 'so',
    reasoning: '',
    calls: made,
    invalid: made.map(() => null),
    usage: null,
  };
  return { kind: 'model.answered', body: body as unknown as EventBody<'model.answered'> };
}

function observed(step: number, call: number): NewEvent {
  const body = { step, call, callId: `c${step}${call}`, text: `seen ${tail}`, data: {} };
  return { kind: 'action.observed', body: body as unknown as EventBody<'action.observed'> };
}

const taught = (step: number): NewEvent => ({ kind: 'step.taught', body: { step, text: 'Call a tool.' } });
const hint = (step: number): NewEvent => ({
  kind: 'hint.delivered',
  body: { step, hints: [{ id: 'h', text: 'go' }], text: hintBlock(['go']) },
});

/** The prompt as the store's reader shows it. */
function promptOf(fold: ContextFold) {
  const placed = fold.messages();
  const messages = placed.map(({ message, step }, index): PromptMessage => {
    const sent = index === placed.length - 1 ? withText(message, tail) : message;
    return { role: sent.role, json: JSON.stringify(sent), content: contentText(sent), tokens: 0, step };
  });
  return { messages, tools: fold.tools, tail, line: '' };
}

test.each<[string, NewEvent[]]>([
  ['the task', [task]],
  ['a task without tools, and a hint in it', [segment([{ role: 'user', content: 'x' }], 0), hint(0)]],
  [
    'the head after a summary',
    [
      segment([
        { role: 'user', content: 'The task.' },
        { role: 'assistant', content: 'What happened.' },
        { role: 'user', content: 'seen' },
      ]),
    ],
  ],
  ['one observation', [task, answered(1, 1), observed(1, 0)]],
  ['the last of several observations', [task, answered(1, 2), observed(1, 0), observed(1, 1)]],
  ['an observation that carries a hint', [task, answered(1, 1), observed(1, 0), hint(1)]],
  ['a teaching message', [task, answered(1, 0), taught(1)]],
  ['the observation beside a teaching message', [task, answered(1, 1), observed(1, 0), taught(1)]],
  ['the step after others', [task, answered(1, 1), observed(1, 0), answered(2, 0), taught(2)]],
])('a draft stands where its delivery would put it: %s', (_, events) => {
  const fold = new ContextFold({ sendReasoning: false });
  for (const event of events) fold.apply(event);
  const prompt = promptOf(fold);
  expect(promptBody(prompt, fold.request)).toBe(fold.requestBody({ tail }));
  const tried = promptBodyWith(prompt, fold.request, draft);
  expect(tried).toBe(fold.requestBody({ tail, hint: hintBlock([draft]) }));
});
