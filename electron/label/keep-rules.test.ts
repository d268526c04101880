import { describe, expect, it, test } from 'vitest';
import { RuleRun, stepsOf, verdictsOf } from '../testing/rule-run';

const TRAIN =
  'cd /workspace/task/repositories/LLaMA-Factory && llamafactory-cli train /workspace/task/scripts/config.yaml';

describe('keep-sleep-while-training', () => {
  it('keeps sleeps while own training or inference runs, and no others', () => {
    const run = new RuleRun();
    run.sleep(10);
    const training = run.background(TRAIN);
    const first = run.sleep(300);
    run.output();
    const second = run.sleep(600);
    run.output({ exitCode: 0 });
    run.sleep(60);
    run.background('python scripts/vllm_infer.py --dataset test');
    const third = run.sleep(300);
    run.output({ running: false });
    run.sleep(30);
    expect(stepsOf(run, 'keep-sleep-while-training')).toEqual([first, second, third]);
    const found = verdictsOf(run.script.events).find(({ step }) => step === first)?.verdict;
    expect(found).toMatchObject({ steps: [training], effect: 'keep' });
  });
  it('keeps no third sleep under 120 s in a row: that is impatience', () => {
    const run = new RuleRun();
    run.background(TRAIN);
    const kept = [run.sleep(60), run.sleep(119)];
    run.output();
    run.sleep(60);
    kept.push(run.sleep(120), run.sleep(60));
    expect(stepsOf(run, 'keep-sleep-while-training')).toEqual(kept);
  });

  test.each([
    'pip install vllm',
    'git clone https://example.org/train.git',
    'wget https://example.org/training_data.jsonl',
    'tail -f train.log',
    'bash task/scripts/hfd.sh some/training_set --dataset',
    'ray start --head --port=6379',
  ])('a sleep while `%s` runs is nothing of the kind', (command) => {
    const run = new RuleRun();
    run.background(command);
    run.sleep(120);
    expect(stepsOf(run, 'keep-sleep-while-training')).toEqual([]);
  });
  it('ends with the job that is killed or whose session takes another command', () => {
    const run = new RuleRun();
    run.background('python train.py');
    run.kill();
    run.sleep(10);
    run.background('python train.py');
    run.command('ls');
    run.sleep(10);
    expect(stepsOf(run, 'keep-sleep-while-training')).toEqual([]);
  });
});

describe('keep-debugging', () => {
  it('keeps the failing probe that looks and a change turned into a success', () => {
    const run = new RuleRun();
    const failed = run.command('cd src && python train.py --epochs 1', { exitCode: 1 });
    const looked = run.openFile('src/train.py', 40);
    const changed = run.edit('src/train.py', 'fixed');
    const worked = run.command('cd src && python train.py --epochs 3');
    expect(stepsOf(run, 'keep-debugging')).toEqual([failed]);
    const found = verdictsOf(run.script.events).find(
      ({ verdict }) => verdict.rule === 'keep-debugging',
    )?.verdict;
    expect(found?.steps).toEqual([looked, changed, worked]);
  });
  it('keeps each of several attempts that was looked into', () => {
    const run = new RuleRun();
    const one = run.command('python -m pkg.run --a', { exitCode: 1 });
    run.command('pip show torch');
    const two = run.command('python -m pkg.run --b', { exitCode: 1 });
    run.search('pkg.run', 'src');
    run.command('python -m pkg.run --c');
    expect(stepsOf(run, 'keep-debugging')).toEqual([one, two]);
  });
  it('keeps one that ran beside the steps', () => {
    const run = new RuleRun();
    const failed = run.background('python train.py');
    run.output({ exitCode: 1 });
    run.edit('train.py', 'x');
    run.background('python train.py');
    run.output({ exitCode: 0 });
    expect(stepsOf(run, 'keep-debugging')).toEqual([failed]);
  });
  test.each<[string, (run: RuleRun) => void]>([
    [
      'the very same is tried until it works',
      (run) => [
        run.command('python a.py', { exitCode: 1 }),
        run.command('python a.py', { exitCode: 1 }),
        run.command('python a.py'),
      ],
    ],
    ['it never works', (run) => [run.command('python a.py', { exitCode: 1 }), run.openFile('a.py')]],
    [
      'something else works',
      (run) => [
        run.command('python a.py', { exitCode: 1 }),
        run.openFile('a.py'),
        run.command('python b.py'),
      ],
    ],
    [
      'only thoughts and sleeps lie between',
      (run) => [
        run.command('python a.py', { exitCode: 1 }),
        run.think(),
        run.sleep(10),
        run.command('python a.py'),
      ],
    ],
    [
      'it comes too late',
      (run) => {
        run.command('python a.py', { exitCode: 1 });
        for (let i = 0; i < 25; i += 1) run.openFile(`f${i}.py`);
        run.command('python a.py');
      },
    ],
  ])('is silent when %s', (_, work) => {
    const run = new RuleRun();
    work(run);
    expect(stepsOf(run, 'keep-debugging')).toEqual([]);
  });
  it('cannot lift a hard mask', () => {
    const run = new RuleRun();
    run.command('python a.py', { error: { code: 'timeout', message: 'It took too long.' } });
    run.openFile('a.py');
    run.command('python a.py');
    expect(stepsOf(run, 'keep-debugging')).toEqual([]);
    expect(stepsOf(run, 'error-observation')).toEqual([1]);
  });
});

describe('keep-backup', () => {
  it('keeps copies of outputs after an evaluation, and putting them back', () => {
    const run = new RuleRun();
    run.command('cp /workspace/data/outputs/predictions.json /workspace/data/outputs/too_early.json');
    const scored = run.evaluate(5.28);
    run.command('python3 -c "print(1)"');
    // As in a real node of the reference system.
    const kept = run.command(
      'cp /workspace/data/outputs/predictions.json /workspace/data/outputs/predictions_v1.json',
    );
    const back = run.command(
      'cp /workspace/data/outputs/predictions_v1.json /workspace/data/outputs/predictions.json',
    );
    expect(stepsOf(run, 'keep-backup')).toEqual([kept, back]);
    expect(verdictsOf(run.script.events).find(({ step }) => step === kept)?.verdict.steps).toEqual([scored]);
  });
  test.each([
    'cp task/scripts/inference.py task/scripts/inference_new.py',
    'cp data/datasets/dev.json /dev/shm/dev.json',
    'cp data/outputs/predictions.json /tmp/p.json && python postprocess.py',
    'ls data/outputs',
  ])('`%s` is no backup', (command) => {
    const run = new RuleRun();
    run.evaluate(10);
    run.command(command);
    expect(stepsOf(run, 'keep-backup')).toEqual([]);
  });
  it('keeps no copy that failed', () => {
    const run = new RuleRun();
    run.evaluate(10);
    run.command('cp data/outputs/predictions.json /nowhere/p.json', { exitCode: 1 });
    expect(stepsOf(run, 'keep-backup')).toEqual([]);
  });
});

describe('keep-exploration', () => {
  it('keeps looks at new places, early ones also when they are repeated later in between', () => {
    const run = new RuleRun();
    const listed = run.list('task');
    const read = run.openFile('task/a.py');
    const shell = run.command('cat task/b.py && ls -la data');
    run.openFile('task/c.py');
    run.edit('task/c.py', 'x');
    run.command('cat a > b');
    run.command('cat nope', { exitCode: 2 });
    run.think();
    const found = stepsOf(run, 'keep-exploration');
    expect(found).toEqual([listed, read, shell, shell + 1]);
  });
  it('later keeps only new places', () => {
    const run = new RuleRun();
    for (let i = 0; i < 20; i += 1) run.edit(`f${i}.py`, 'x');
    const fresh = run.openFile('new.py');
    run.openFile('new.py');
    const further = run.openFile('new.py', 101);
    run.nothing();
    expect(stepsOf(run, 'keep-exploration')).toEqual([fresh, further]);
  });
  it('is off until somebody turns it on', () => {
    const run = new RuleRun();
    run.list('task');
    run.nothing();
    expect(verdictsOf(run.script.events, { rules: {} }).map(({ verdict }) => verdict.rule)).toEqual(['null']);
  });
});
