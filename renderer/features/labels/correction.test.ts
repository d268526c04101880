import type { StepDetail } from '@shared/contract/views';
import { commandTool as tool } from '@shared/log/event-fixtures';
import { describe, expect, it } from 'vitest';
import { argumentProblems, blocksSaving, draftOf } from './correction';

describe('the arguments of a correction', () => {
  it('are refused when they are no JSON object, with the line', () => {
    const broken = argumentProblems('{\n  "command": "ls",\n  oops\n}', tool);
    expect(broken).toMatchObject([{ kind: 'json', line: 3 }]);
    expect(blocksSaving(broken)).toBe(true);
    expect(argumentProblems('', tool)).toMatchObject([{ kind: 'json', line: 1 }]);
    for (const text of ['[1]', '3', 'null', '"ls"']) {
      expect(argumentProblems(text, tool)).toEqual([{ kind: 'shape' }]);
    }
  });

  it('are told, and not refused, when the action asks for something else', () => {
    const problems = argumentProblems('{"timeout": 1.5, "shell": "sh"}', tool);
    expect(problems).toEqual([
      { kind: 'missing', names: ['command'] },
      { kind: 'unknown', names: ['shell'] },
      { kind: 'type', name: 'timeout', wanted: 'integer' },
    ]);
    expect(blocksSaving(problems)).toBe(false);
    expect(argumentProblems('{"command": "ls", "timeout": 3}', tool)).toEqual([]);
    expect(argumentProblems('{"anything": 1}', undefined)).toEqual([]);
  });
});

describe('a correction begins', () => {
  const call = { name: 'run_command', rawArguments: '{"command":"ls"}' };
  const detail = (change: object) =>
    ({ text: 'Look', observations: [call], labels: { corrections: [] }, ...change }) as unknown as StepDetail;

  it('with what the model did, its JSON spread', () => {
    expect(draftOf(detail({}), 'me')).toEqual({
      text: 'Look',
      call: { name: 'run_command', arguments: '{\n  "command": "ls"\n}' },
      note: '',
    });
  });

  it("with one's own, not with another person's", () => {
    const own = { text: 'Own', call: { name: 'eval', arguments: '{}' }, note: '' };
    const corrections = [
      { author: { uuid: 'other' }, correction: { ...own, text: 'Other' } },
      { author: { uuid: 'me' }, correction: own },
    ];
    expect(draftOf(detail({ labels: { corrections } }), 'me')).toEqual(own);
  });

  it('with the words of an answer that was no call, or no JSON', () => {
    expect(draftOf(detail({ observations: [] }), 'me').call).toEqual({ name: '', arguments: '{}' });
    const broken = { ...call, rawArguments: '{"command": ' };
    expect(draftOf(detail({ observations: [broken] }), 'me').call.arguments).toBe('{"command": ');
  });
});
