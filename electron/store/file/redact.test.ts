import type { RunEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { redactBody } from './redact';

const event = (kind: string, body: Record<string, unknown>) =>
  ({ run: ulid(), seq: 1, at: 0, kind, body }) as unknown as RunEvent;

test('hints that the summary in a branch reflects keep their ids and lose their words', () => {
  const hint = { id: 'hint-PAYFC0', text: 'Keep one copy of each paragraph.' };
  const body = { segment: 1, head: [], tools: [], request: {}, reflected: [hint] };
  expect(JSON.parse(redactBody(event('segment.started', body)))).toMatchObject({
    reflected: [{ id: hint.id, text: '' }],
  });
});

test('notices that followed an action keep their rule, which the row of the step shows, and lose their words', () => {
  const notice = { rule: 'edit_unseen', level: 'warn', message: 'No part of secret.py was shown to you.' };
  const body = {
    step: 1,
    call: 0,
    callId: 'call',
    name: 'edit_file',
    ok: true,
    text: 'done',
    error: null,
    offsets: {},
    durationMs: 1,
    closedBy: 'run',
    imitatesHuman: false,
    data: { path: 'secret.py', told: 'words', notices: [notice] },
  };
  const { data } = JSON.parse(redactBody(event('action.observed', body)));
  expect(data).toEqual({ path: 'secret.py', notices: [{ ...notice, message: '' }] });
});
