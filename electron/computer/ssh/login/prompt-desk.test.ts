import { describe, expect, it } from 'vitest';
import type { SshQuestion } from '../transport';
import { PromptDesk } from './prompt-desk';

const never = new AbortController().signal;
const password = (alias: string, attempt = 1): SshQuestion => ({
  kind: 'password',
  alias,
  target: `grace@${alias}.example:22`,
  attempt,
});
const unknownKey: SshQuestion = {
  kind: 'unknown_host_key',
  alias: 'gpu-03',
  via: 'bastion',
  target: 'grace@10.0.0.3:2222',
  keyType: 'ssh-ed25519',
  sha256: 'SHA256:abc',
  file: '/home/grace/.ssh/known_hosts',
};
const alarm = {
  kind: 'changed',
  alias: 'gpu-04',
  target: 'grace@10.0.0.4:22',
  keyType: 'ssh-ed25519',
  expected: { type: 'ssh-rsa', sha256: 'SHA256:old' },
  presentedSha256: 'SHA256:new',
  file: '/home/grace/.ssh/known_hosts',
  line: 41,
} as const;

function desk() {
  const made = new PromptDesk(() => 1_000);
  const told: string[][] = [];
  made.subscribe((prompts) => told.push(prompts.map(({ alias }) => alias)));
  const first = () => made.open()[0]?.id ?? '';
  return { desk: made, told, first };
}

describe('questions of several hosts', () => {
  it('queue in the order they came and are answered by id', async () => {
    const { desk: prompts, told } = desk();
    const one = prompts.ask(password('gpu-03'), never);
    const two = prompts.ask(password('gpu-04'), never);
    expect(prompts.open().map(({ alias }) => alias)).toEqual(['gpu-03', 'gpu-04']);
    const second = prompts.open()[1]?.id ?? '';
    prompts.answer(second, { texts: ['second'] });
    expect(await two).toEqual({ texts: ['second'] });
    expect(prompts.open().map(({ alias }) => alias)).toEqual(['gpu-03']);
    prompts.answer(prompts.open()[0]?.id ?? '', { texts: ['first'] });
    expect(await one).toEqual({ texts: ['first'] });
    expect(told).toEqual([['gpu-03'], ['gpu-03', 'gpu-04'], ['gpu-03'], []]);
  });

  it('are labelled with host, way and account', () => {
    const { desk: prompts } = desk();
    void prompts.ask(unknownKey, never);
    expect(prompts.open()).toMatchObject([
      {
        kind: 'unknown_host_key',
        alias: 'gpu-03',
        via: 'bastion',
        target: 'grace@10.0.0.3:2222',
        askedAt: 1_000,
        key: {
          type: 'ssh-ed25519',
          sha256: 'SHA256:abc',
          expected: null,
          file: '/home/grace/.ssh/known_hosts',
        },
      },
    ]);
  });

  it('tell which attempt it is, and which key a passphrase is for', () => {
    const { desk: prompts } = desk();
    void prompts.ask(password('gpu-03', 2), never);
    void prompts.ask(
      { kind: 'passphrase', alias: 'gpu-03', target: 'g@h:22', keyFile: '/k/id', attempt: 1 },
      never,
    );
    expect(prompts.open()).toMatchObject([{ attempt: 2 }, { attempt: 1, text: '/k/id' }]);
  });

  it('can be declined', async () => {
    const { desk: prompts, first } = desk();
    const asked = prompts.ask(unknownKey, never);
    prompts.answer(first(), null);
    expect(await asked).toBeNull();
    expect(prompts.open()).toEqual([]);
  });

  it('leave when their host gives up, wherever they stand', async () => {
    const { desk: prompts } = desk();
    const host = new AbortController();
    const gone = prompts.ask(password('gpu-03'), host.signal);
    const stays = prompts.ask(password('gpu-04'), never);
    const id = prompts.open()[0]?.id ?? '';
    host.abort(new Error('the link is gone'));
    await expect(gone).rejects.toThrow('the link is gone');
    expect(prompts.open().map(({ alias }) => alias)).toEqual(['gpu-04']);
    expect(() => prompts.answer(id, { texts: ['late'] })).toThrow(/no longer open/);
    prompts.answer(prompts.open()[0]?.id ?? '', { texts: ['in time'] });
    expect(await stays).toEqual({ texts: ['in time'] });
  });

  it('are not asked at all once their host has given up', async () => {
    const { desk: prompts, told } = desk();
    const late = prompts.ask(password('gpu-03'), AbortSignal.abort(new Error('over')));
    await expect(late).rejects.toThrow('over');
    expect(told).toEqual([]);
  });

  it('are all declined at the end, and later ones at once', async () => {
    const { desk: prompts } = desk();
    const open = prompts.ask(password('gpu-03'), never);
    prompts.dispose();
    expect(await open).toBeNull();
    expect(await prompts.ask(password('gpu-03'), never)).toBeNull();
  });
});

describe('answers', () => {
  it('must fit their question, and a refusal does not repeat what was typed', async () => {
    const { desk: prompts, first } = desk();
    const asked = prompts.ask(password('gpu-03'), never);
    for (const answer of [{ texts: ['hunter2', 'x'] }, { texts: [] }, { trust: true as const }]) {
      expect(() => prompts.answer(first(), answer)).toThrow(/does not fit the question of gpu-03/);
      expect(() => prompts.answer(first(), answer)).not.toThrow(/hunter2/);
    }
    prompts.answer(first(), { texts: ['hunter2'] });
    expect(await asked).toEqual({ texts: ['hunter2'] });
  });

  it('never trust a key by a text, nor a changed key at all', () => {
    const { desk: prompts, first } = desk();
    void prompts.ask(unknownKey, never);
    expect(() => prompts.answer(first(), { texts: ['yes'] })).toThrow(/does not fit/);
    prompts.answer(first(), null);
    prompts.alarm(alarm);
    expect(() => prompts.answer(first(), { trust: true })).toThrow(/does not fit/);
    expect(prompts.open()).toHaveLength(1);
  });

  it('are nowhere in what listeners get', async () => {
    const heard: string[] = [];
    const { desk: prompts, first } = desk();
    prompts.subscribe((list) => heard.push(JSON.stringify(list)));
    const asked = prompts.ask(password('gpu-03'), never);
    prompts.answer(first(), { texts: ['hunter2'] });
    await asked;
    expect(heard).toHaveLength(2);
    expect(heard.join()).not.toContain('hunter2');
    expect(JSON.stringify(prompts)).not.toContain('hunter2');
  });
});

describe('an alarm', () => {
  it('stays until it is acknowledged, and is raised once per key', () => {
    const { desk: prompts, first } = desk();
    prompts.alarm(alarm);
    prompts.alarm(alarm);
    expect(prompts.open()).toMatchObject([
      {
        kind: 'host_key_alarm',
        alias: 'gpu-04',
        key: { sha256: 'SHA256:new', expected: { type: 'ssh-rsa', sha256: 'SHA256:old' }, line: 41 },
      },
    ]);
    prompts.alarm({ ...alarm, presentedSha256: 'SHA256:third' });
    prompts.alarm({ ...alarm, kind: 'revoked' });
    expect(prompts.open().map(({ key }) => key?.revoked)).toEqual([false, false, true]);
    prompts.answer(first(), null);
    expect(prompts.open()).toHaveLength(2);
    prompts.alarm(alarm);
    expect(prompts.open()).toHaveLength(3);
  });
});

describe('text from a host', () => {
  const round = (name: string, instructions: string, fields: { prompt: string; echo: boolean }[]) => ({
    kind: 'keyboard' as const,
    alias: 'gpu-03',
    target: 'g@h:22',
    name,
    instructions,
    fields,
    round: 2,
  });

  it('comes without control characters, hidden or turned text', () => {
    const { desk: prompts } = desk();
    void prompts.ask(
      round('\u001b[31mTwo\u0007 factors\u202e', 'Line one\r\nLine\u200b two\u009b2J\u{e0041}', [
        { prompt: 'Code\n:\u0000 ', echo: true },
      ]),
      never,
    );
    expect(prompts.open()[0]).toMatchObject({
      title: '[31mTwo factors',
      text: 'Line one\nLine two2J',
      fields: [{ prompt: 'Code :', echo: true }],
      attempt: 2,
    });
  });

  it('is bounded, without cutting a character in two', () => {
    const { desk: prompts } = desk();
    void prompts.ask(
      round('😀'.repeat(5_000), 'x'.repeat(1_000_000), [{ prompt: 'p'.repeat(9_999), echo: false }]),
      never,
    );
    const view = prompts.open()[0];
    expect(view?.title.length).toBeLessThanOrEqual(400);
    expect(view?.title).toMatch(/^(😀)+…$/u);
    expect(view?.text).toHaveLength(4_000);
    expect(view?.fields[0]?.prompt).toHaveLength(400);
  });

  it('with more fields than a login has is declined', async () => {
    const { desk: prompts, told } = desk();
    const fields = Array.from({ length: 17 }, () => ({ prompt: 'x', echo: true }));
    expect(await prompts.ask(round('', '', fields), never)).toBeNull();
    expect(told).toEqual([]);
  });

  it('may hold no field at all: then it is read and confirmed', async () => {
    const { desk: prompts, first } = desk();
    const asked = prompts.ask(round('', 'Approve the request on your phone.', []), never);
    prompts.answer(first(), { texts: [] });
    expect(await asked).toEqual({ texts: [] });
  });
});
