import { describe, expect, it } from 'vitest';
import { evaluated } from '../../log/event-fixtures';
import { attentionKinds } from '../attention/attention';
import { AttentionScript } from '../attention/attention-fixtures';
import { detectors } from './detector-set';
import { timeLeft } from './time-left';

const gpuSpec = {
  computers: [
    { name: 'gpu-1', gpus: { count: 8, memory_gb: 80 } },
    { name: 'cpu-1', gpus: null },
  ],
  rules: { training_commands: ['\\btrain'], gpu_taken_mb: 10_000, forgotten_after_steps: 50 },
};
const limits = { maxSteps: 1_000_000, maxWorkingMs: 10 * 3_600_000, maxEvals: 3 };
const run = () => new AttentionScript({ spec: gpuSpec, limits });
const tqdm = ' 12%|█▎ | 120/1000 [10:03<1:13:42, 5.02s/it]';
const kill = {
  name: 'kill_session_processes',
  data: { computer: 'gpu-1', session: 't', ended: 2, state: 'idle' },
};

it('every detector is a kind of the inbox, has a version, a sentence and a source', () => {
  for (const { id, version, text, citation } of detectors) {
    expect(attentionKinds).toContain(id);
    expect(version).toBeGreaterThan(0);
    expect(text.length, id).toBeGreaterThan(20);
    expect(citation, id).toMatch(/§|appendix/);
  }
  expect(detectors.map(({ id }) => id)).toEqual([...detectors.map(({ id }) => id)].sort());
});

describe('impatience', () => {
  it('names training that was killed although it would have been done in time', () => {
    const script = run().start('python train.py', 't').look('t', tqdm).pass(600_000).step(kill);
    const [found] = script.items('impatience');
    expect(found).toMatchObject({ step: 3, steps: [1, 3], open: false });
    expect(found?.facts).toMatchObject({ how: 'killed', session: 't', neededMs: 4_422_000 - 600_000 });
  });

  it.each([
    ['close_session', { computer: 'gpu-1', session: 't', state: 'busy' }],
    ['close_all_sessions', { computers: ['gpu-1'], closed: 1 }],
    ['input_in_session', { computer: 'gpu-1', session: 't', input: '\u0003', state: 'idle' }],
    [
      'run_command',
      { computer: 'gpu-1', session: 'x', command: 'pkill -f train.py', async: false, exitCode: 0 },
    ],
  ])('also by %s', (name, data) => {
    const script = run().start('torchrun --nproc 8 train.py', 't').look('t', tqdm).step({ name, data });
    expect(script.items('impatience')).toHaveLength(1);
  });

  it.each([
    ['it would not be done in time', (s: AttentionScript) => s.look('t', 'eta: 30:00:00').step(kill)],
    ['it says nothing of its end', (s: AttentionScript) => s.look('t', 'loss 0.2').step(kill)],
    ['it was done', (s: AttentionScript) => s.look('t', tqdm).look('t', 'saved', 'idle').step(kill)],
    [
      'nothing ran any more',
      (s: AttentionScript) => s.look('t', tqdm).step({ ...kill, data: { ...kill.data, ended: 0 } }),
    ],
    [
      'another session was meant',
      (s: AttentionScript) => s.look('t', tqdm).step({ ...kill, data: { ...kill.data, session: 'u' } }),
    ],
    [
      'kill -0 only asks',
      (s: AttentionScript) =>
        s
          .look('t', tqdm)
          .step({ name: 'run_command', data: { computer: 'gpu-1', session: 'x', command: 'kill -0 12' } }),
    ],
  ])('is silent when %s', (_, rest) => {
    const script = run().start('python train.py', 't');
    rest(script);
    expect(script.items('impatience')).toEqual([]);
  });

  it('is silent about what is no training', () => {
    const script = run().start('tail -f train.log', 't').look('t', tqdm).step(kill);
    expect(script.items('impatience')).toEqual([]);
  });

  it('names three short sleeps in a row after training began, looks between them or not', () => {
    const script = run().start('python train.py', 't').sleep(60).look('t', 'x').sleep(119).look('t', 'y');
    expect(script.items('impatience')).toEqual([]);
    script.sleep(30);
    expect(script.items('impatience')).toMatchObject([
      { steps: [2, 4, 6], facts: { how: 'sleeps', count: 3 } },
    ]);
    script.sleep(30);
    expect(script.items('impatience')).toMatchObject([{ steps: [2, 4, 6, 7], facts: { count: 4 } }]);
  });

  it.each([
    ['before training', () => run().sleep(30).sleep(30).sleep(30)],
    [
      'one of 120 s between',
      () => run().start('python train.py', 't').sleep(30).sleep(30).sleep(120).sleep(30),
    ],
    ['work between', () => run().start('python train.py', 't').sleep(30).sleep(30).steps(1).sleep(30)],
  ])('is silent about short sleeps: %s', (_, make) => {
    expect(make().items('impatience')).toEqual([]);
  });
});

describe('what a program says it still needs', () => {
  it.each([
    [tqdm, 4_422_000],
    ['epoch 1 ETA: 02:13', 133_000],
    ['{"loss": 1} remaining time: 1:02:03', 3_723_000],
    ['eta 2 days, 3:00:00', 183_600_000],
    ['ETA 1.5 hours', 5_400_000],
    [`${tqdm}\r 13%|█▎ | 130/1000 [10:53<1:00:00, 5.02s/it]`, 3_600_000],
    ['loss 0.5 at 12:03:44', null],
    ['beta: 0:99', null],
  ])('%s', (text, ms) => {
    expect(timeLeft(text)).toBe(ms);
  });
});

describe('contention', () => {
  it('names a job on GPUs that another session of the run uses', () => {
    const script = run()
      .start('CUDA_VISIBLE_DEVICES=0 python infer.py', 'a')
      .steps(55)
      .start('torchrun train.py', 'b');
    expect(script.items('contention')).toMatchObject([
      { step: 57, steps: [1, 57], facts: { how: 'own', session: 'b', other: 'a', computer: 'gpu-1' } },
    ]);
  });

  it('names a job on a GPU that is taken, by the watch or by what the agent saw itself', () => {
    const gpus = [
      { index: 0, utilization: 0, memoryUsedMb: 400 },
      { index: 1, utilization: 90, memoryUsedMb: 42_000 },
    ];
    const watched = run().add('gpu.changed', { computer: 'gpu-1', state: 'busy', since: 1, gpus });
    watched
      .start('CUDA_VISIBLE_DEVICES=0 python infer.py', 'a')
      .start('CUDA_VISIBLE_DEVICES=1 python infer.py', 'b');
    expect(watched.items('contention')).toMatchObject([
      { steps: [2], facts: { how: 'taken', gpu: 1, usedMb: 42_000 } },
    ]);
    const seen = run().step({
      name: 'run_command',
      text: '| 30%  40C |  55000MiB / 81559MiB | 99% |',
      data: { computer: 'gpu-1', session: 'x', command: 'nvidia-smi', async: false, exitCode: 0 },
    });
    seen.start('python train.py', 'a');
    expect(seen.items('contention')).toMatchObject([{ facts: { how: 'taken', gpu: 0, usedMb: 55_000 } }]);
  });

  it.each([
    [
      'other GPUs',
      () =>
        run()
          .start('CUDA_VISIBLE_DEVICES=0,1 python a.py', 'a')
          .start('CUDA_VISIBLE_DEVICES=2 python b.py', 'b'),
    ],
    [
      'a job that has ended',
      () => run().start('python train.py', 'a').look('a', 'done', 'idle').start('python train.py', 'b'),
    ],
    ['no job', () => run().start('python train.py', 'a').start('ls train', 'b')],
    [
      'too little memory',
      () =>
        run()
          .add('gpu.changed', {
            computer: 'gpu-1',
            state: 'idle',
            since: 1,
            gpus: [{ index: 0, utilization: 0, memoryUsedMb: 9_999 }],
          })
          .start('python train.py', 'a'),
    ],
    [
      'a figure of long ago',
      () =>
        run()
          .add('gpu.changed', {
            computer: 'gpu-1',
            state: 'busy',
            since: 1,
            gpus: [{ index: 0, utilization: 99, memoryUsedMb: 60_000 }],
          })
          .steps(30)
          .start('python train.py', 'a'),
    ],
  ])('is silent: %s', (_, make) => {
    expect(make().items('contention')).toEqual([]);
  });

  it('is silent on a computer without GPUs', () => {
    const script = new AttentionScript({ spec: { ...gpuSpec, computers: [{ name: 'gpu-1', gpus: null }] } });
    expect(script.start('python train.py', 'a').start('python train.py', 'b').items('contention')).toEqual(
      [],
    );
  });
});

describe('forgotten session', () => {
  it('names a busy session that was not looked at for 50 steps, until it is', () => {
    const script = run().start('python serve.py', 's').steps(49);
    expect(script.items('forgotten_session')).toEqual([]);
    script.steps(1);
    expect(script.items('forgotten_session')).toMatchObject([
      { open: true, step: 1, steps: [1], facts: { session: 's', count: 50 } },
    ]);
    script.look('s', 'serving');
    expect(script.items('forgotten_session')).toMatchObject([{ open: false }]);
  });

  it.each([
    ['one that was idle', () => run().start('x', 's').look('s', '$', 'idle').steps(60)],
    [
      'one that was closed',
      () =>
        run()
          .start('x', 's')
          .add('session.ended', { computer: 'gpu-1', session: 's', uid: 'u', exitCode: 0, endOffset: 1 })
          .steps(60),
    ],
    [
      'one that the agent listed',
      () =>
        run()
          .start('x', 's')
          .steps(40)
          .step({ name: 'list_sessions', data: { computers: ['gpu-1'] } })
          .steps(40),
    ],
    [
      'one of the same name elsewhere',
      () =>
        run()
          .step({ name: 'get_session_output', data: { computer: 'cpu-1', session: 's', state: 'idle' } })
          .steps(60),
    ],
  ])('is silent about %s', (_, make) => {
    expect(make().items('forgotten_session')).toEqual([]);
  });

  it('counts as many steps as the task says', () => {
    const rules = { ...gpuSpec.rules, forgotten_after_steps: 3 };
    const script = new AttentionScript({ spec: { ...gpuSpec, rules } }).start('x', 's').steps(3);
    expect(script.items('forgotten_session')).toHaveLength(1);
  });
});

describe('template thought', () => {
  const thought = (n: number) => `Step ${n}: I will now look at the next file, number ${n * 7}, and go on.`;
  const other = (n: number) =>
    `A thought of its own, ${'abcdefghijklmnop'.slice(0, n + 1)}, about what the file says.`;
  const open = { name: 'open_file' };

  it('names thoughts that are the same but for their numbers, until they change', () => {
    const script = run();
    for (let n = 1; n <= 4; n += 1) script.step(open, thought(n)).step(open, other(n));
    expect(script.items('template_thought')).toEqual([]);
    script.step(open, thought(5));
    expect(script.items('template_thought')).toMatchObject([
      { open: true, steps: [1, 3, 5, 7, 9], facts: { where: 'thought', count: 5 } },
    ]);
    for (let n = 5; n <= 9; n += 1) script.step(open, other(n));
    expect(script.items('template_thought')).toMatchObject([{ open: false }]);
  });

  it('is silent about short thoughts and about ones that differ', () => {
    const script = run();
    for (let n = 0; n < 10; n += 1) script.step(open, 'Let me look.').step(open, other(n));
    expect(script.items('template_thought')).toEqual([]);
  });

  const written = (text: string | null) =>
    run().add('file.changed', {
      step: 3,
      call: 0,
      computer: 'gpu-1',
      path: '/w/synth.py',
      before: null,
      after: null,
      size: 1,
      beforeText: null,
      text,
      by: 'action',
    });

  it('names code that pastes question and answer into a fixed rationale', () => {
    const code = `cot = f"""Let's think step by step. The question is {row['question']}. Therefore the answer is {row['answer']}."""`;
    expect(written(code).items('template_thought')).toMatchObject([
      { step: 3, open: false, facts: { where: 'file', path: '/w/synth.py' } },
    ]);
  });

  it.each([
    ['a prompt for a model', 'prompt = f"Question: {question}\\nThink step by step."'],
    ['a row without reasoning', 'row = f"{question} {answer}"'],
    ['no text', null],
  ])('is silent about %s', (_, text) => {
    expect(written(text).items('template_thought')).toEqual([]);
  });
});

describe('repeated action', () => {
  const same = {
    name: 'run_command',
    args: { command: 'make' },
    text: 'Exit code 0 after 12 ms in session a.\nok',
  };

  it('names the third time in a row, thinking and waiting passed over, until something else is done', () => {
    const script = run()
      .step(same)
      .step({ ...same, text: same.text.replace('12 ms', '1.5 s') });
    script.step({ name: 'think', args: { thought: 'Hm.' } }).sleep(10);
    expect(script.items('repeated_action')).toEqual([]);
    script.step(same);
    expect(script.items('repeated_action')).toMatchObject([
      { open: true, step: 5, steps: [1, 2, 5], facts: { action: 'run_command', count: 3 } },
    ]);
    script.step(same).steps(1);
    expect(script.items('repeated_action')).toMatchObject([{ open: false, facts: { count: 4 } }]);
  });

  it.each([
    ['another observation', { ...same, text: 'Exit code 1 after 12 ms in session a.\nloss 0.3' }],
    ['other arguments', { ...same, args: { command: 'make all' } }],
    ['another action', { ...same, name: 'open_file' }],
  ])('is silent with %s between', (_, between) => {
    const script = run().step(same).step(same).step(between).step(same);
    expect(script.items('repeated_action')).toEqual([]);
  });

  it('is silent about an output that goes on', () => {
    const script = run();
    for (let n = 0; n < 5; n += 1) script.look('t', `loss 0.${n}`);
    expect(script.items('repeated_action')).toEqual([]);
  });
});

describe('early finish', () => {
  const finish = { name: 'finish', data: { ends: 'finish' } };
  const score = (script: AttentionScript, points: number, attempt: number) =>
    script.add('evaluation.ended', evaluated(1, points, { attempt }));

  it('names a finish with tries and time left', () => {
    const script = score(run().steps(1), 31, 1).pass(3_600_000).step(finish);
    expect(script.items('early_finish')).toMatchObject([
      { step: 2, open: false, facts: { best: 31, tries: 2, leftMs: 9 * 3_600_000 } },
    ]);
  });

  it.each([
    [1, 32_400_000, 1],
    [1, 32_400_001, 0],
    [60, 32_400_000, 1],
    [60, 32_400_001, 0],
  ])('looks at the working time, not at the steps: after %i steps and %i of 36,000,000 ms', (steps, ms, found) => {
    const script = score(run().steps(steps), 31, 1).pass(ms).step(finish);
    expect(script.items('early_finish')).toHaveLength(found);
  });

  it("takes the task's own full score", () => {
    const capped = () => new AttentionScript({ spec: { ...gpuSpec, evaluation: { max_score: 60 } }, limits });
    expect(score(capped().steps(1), 59, 1).step(finish).items('early_finish')).toHaveLength(1);
    expect(score(capped().steps(1), 60, 1).step(finish).items('early_finish')).toEqual([]);
  });

  it.each([
    ['100 points', () => score(run().steps(1), 100, 1).step(finish)],
    ['no try left', () => score(run().steps(1), 31, 3).step(finish)],
    [
      'no time left',
      () =>
        run()
          .steps(1)
          .pass(9.5 * 3_600_000)
          .step(finish),
    ],
    ['the evaluations are used up', () => run().step({ name: 'eval', data: { ends: 'evals_spent' } })],
  ])('is silent: %s', (_, make) => {
    expect(make().items('early_finish')).toEqual([]);
  });
});
