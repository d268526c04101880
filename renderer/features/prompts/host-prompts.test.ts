import type { HostPromptView } from '@shared/contract/computers';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { useToasts } from '../../state/toasts';
import { answerPrompt, startHostPrompts, useHostPrompts } from './host-prompts';

const prompt = (id: string): HostPromptView => ({
  id,
  alias: 'gpu-03',
  via: null,
  target: 'g@h:22',
  kind: 'password',
  title: '',
  text: '',
  fields: [],
  attempt: 1,
  key: null,
  askedAt: 1,
});
const open = () => useHostPrompts.getState().prompts.map(({ id }) => id);

beforeEach(() => {
  useHostPrompts.setState({ prompts: [] });
  useToasts.setState({ toasts: [] });
});

describe('questions of hosts', () => {
  it('that waited before the window was there are read, later ones are heard', async () => {
    const bridge = new BridgeStand({ 'computers.prompts': () => [prompt('a')] });
    const stop = startHostPrompts();
    await settled();
    expect(open()).toEqual(['a']);
    bridge.send('prompts.changed', { prompts: [prompt('a'), prompt('b')] });
    expect(open()).toEqual(['a', 'b']);
    stop();
    bridge.send('prompts.changed', { prompts: [] });
    expect(open()).toEqual(['a', 'b']);
  });

  it('that were heard are not replaced by an older answer', async () => {
    let answer: (prompts: HostPromptView[]) => void = () => undefined;
    const bridge = new BridgeStand({
      'computers.prompts': () => new Promise<HostPromptView[]>((resolve) => (answer = resolve)),
    });
    const stop = startHostPrompts();
    await settled();
    bridge.send('prompts.changed', { prompts: [prompt('b')] });
    answer([prompt('a')]);
    await settled();
    expect(open()).toEqual(['b']);
    stop();
  });

  it('leave the screen when they are answered, and nothing of the answer stays', async () => {
    const bridge = new BridgeStand({ 'computers.answer': () => undefined });
    useHostPrompts.setState({ prompts: [prompt('a'), prompt('b')] });
    answerPrompt('a', { texts: ['hunter2'] });
    await settled();
    expect(open()).toEqual(['b']);
    expect(bridge.calls).toEqual([['computers.answer', { id: 'a', answer: { texts: ['hunter2'] } }]]);
    expect(JSON.stringify([useHostPrompts.getState(), useToasts.getState()])).not.toContain('hunter2');
  });

  it('leave when they were withdrawn, and stay when the answer was refused', async () => {
    const bridge = new BridgeStand({
      'computers.answer': () => {
        throw { code: 'not_found', message: 'Not asked any more.' };
      },
    });
    useHostPrompts.setState({ prompts: [prompt('a')] });
    answerPrompt('a', { texts: ['x'] });
    await settled();
    expect(open()).toEqual([]);
    bridge.answers['computers.answer'] = () => {
      throw { code: 'bad_input', message: 'Does not fit.' };
    };
    useHostPrompts.setState({ prompts: [prompt('a')] });
    answerPrompt('a', { trust: true });
    await settled();
    expect(open()).toEqual(['a']);
    expect(useToasts.getState().toasts).toHaveLength(2);
  });
});
