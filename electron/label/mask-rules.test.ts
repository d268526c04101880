import { describe, expect, it, test } from 'vitest';
import { RuleRun, stepsOf, verdictsOf } from '../testing/rule-run';
import { ruleSetFor } from './rule-set';

const gpuSpec = {
  computers: [{ name: 'gpu', host: 'local', type: 'gpu', gpus: { count: 8, memory_gb: 80 } }],
};
/** How the reference system's agents train (a real node of depth 70). */
const TRAIN =
  'cd /workspace/task/repositories/LLaMA-Factory && llamafactory-cli train /workspace/task/scripts/config.yaml';
const INFER =
  'cd /workspace/task/repositories/LLaMA-Factory && python scripts/vllm_infer.py --model_name_or_path /workspace/data/checkpoints/saves --dataset test --save_name /workspace/data/outputs/predictions.json --batch_size 32';
const outputs = { evaluation: { inputs: ['data/outputs/predictions.json'] } };

describe('command-failed', () => {
  test.each([
    ['python train.py', 1, true],
    ['grep -q vllm requirements.txt', 1, false],
    ['grep -q vllm requirements.txt', 2, true],
    ['cd src && pip list | grep flash-attn', 1, false],
    ['make && grep -q ok build.log', 1, true],
    ['diff a.json b.json', 1, false],
    ['test -f /workspace/data/outputs/predictions.json', 1, false],
    ['python -c "import flash_attn"', 1, false],
    ['python -c "import flash_attn; flash_attn.run()"', 1, true],
    ['pytest -q tests', 1, false],
    ['pytest -q tests', 2, true],
    ['timeout 60 python serve.py', 124, false],
    ['python serve.py', 124, true],
    // From recorded observations of the reference system.
    ['ls /nope', 2, true],
    ['cat /workspace/none.txt', 1, true],
  ])('%s with exit code %i', (command, exitCode, expected) => {
    const run = new RuleRun();
    const step = run.command(command, { exitCode });
    expect(stepsOf(run, 'command-failed')).toEqual(expected ? [step] : []);
  });

  it('does not blame the agent for what it ended itself', () => {
    const run = new RuleRun();
    run.background('python train.py');
    run.kill();
    run.output({ exitCode: 143 });
    const again = run.background('python train.py');
    run.output({ exitCode: 1 });
    expect(stepsOf(run, 'command-failed')).toEqual([again]);
  });
});

describe('eval-without-change', () => {
  const between = (work: (run: RuleRun) => void, spec: Record<string, unknown> = outputs) => {
    const run = new RuleRun({ spec });
    run.evaluate(10);
    work(run);
    const second = run.evaluate(10);
    return stepsOf(run, 'eval-without-change').includes(second);
  };
  test.each<[string, (run: RuleRun) => void]>([
    ['nothing', () => undefined],
    ['looks', (run) => run.command('head -10 /workspace/data/outputs/predictions.json')],
    ['a thought and a list', (run) => [run.think(), run.list('data/outputs')]],
    ['a backup', (run) => run.command('cp data/outputs/predictions.json data/outputs/predictions_v1.json')],
    ['an evaluator that was away', (run) => run.evaluate(null)],
    ['a folder', (run) => run.command('mkdir -p /workspace/data/outputs')],
    ['a note elsewhere', (run) => run.create('notes.md', 'It went well.')],
    [
      'code that only prints',
      (run) =>
        run.command(
          'python3 -c "import json\nprint(len(json.load(open(\'data/outputs/predictions.json\'))))"',
        ),
    ],
  ])('fires after %s', (_, work) => {
    expect(between(work)).toBe(true);
  });
  test.each<[string, (run: RuleRun) => void]>([
    ['inference', (run) => [run.background(INFER), run.output({ exitCode: 0 })]],
    ['a program', (run) => run.command('python make_answers.py')],
    ['an edit of what is evaluated', (run) => run.edit('data/outputs/predictions.json', '[]')],
    [
      'putting a copy back',
      (run) => run.command('cp /workspace/b.json /workspace/data/outputs/predictions.json'),
    ],
    [
      'code that writes',
      (run) =>
        run.command("python3 -c \"import json\njson.dump([], open('data/outputs/predictions.json', 'w'))\""),
    ],
  ])('is silent after %s', (_, work) => {
    expect(between(work)).toBe(false);
  });
  it('is silent while a job may write', () => {
    const run = new RuleRun({ spec: outputs });
    run.background(INFER);
    run.evaluate(10);
    run.sleep(60);
    run.evaluate(12);
    expect(stepsOf(run, 'eval-without-change')).toEqual([]);
  });
  it('counts any file when the task does not say what is evaluated', () => {
    expect(between((run) => run.create('notes.md', 'x'), {})).toBe(false);
    expect(between((run) => run.openFile('notes.md'), {})).toBe(true);
  });
});

describe('finish-below-best', () => {
  it('takes the final evaluation as certain', () => {
    const run = new RuleRun({ spec: outputs });
    const best = run.evaluate(60);
    run.command('python again.py');
    const last = run.evaluate(40);
    run.command('python more.py');
    const finish = run.finish(41);
    expect(
      verdictsOf(run.script.events).filter(({ verdict }) => verdict.rule === 'finish-below-best'),
    ).toEqual([{ step: finish, verdict: expect.objectContaining({ steps: [best, last], hard: false }) }]);
  });
  it('is silent when the best was put back, or is the last', () => {
    const run = new RuleRun({ spec: outputs });
    run.evaluate(60);
    run.command('python again.py');
    run.evaluate(40);
    run.command('cp data/best.json data/outputs/predictions.json');
    run.finish(60);
    expect(stepsOf(run, 'finish-below-best')).toEqual([]);
    const other = new RuleRun();
    other.evaluate(10);
    other.command('python again.py');
    other.evaluate(12);
    other.finish();
    expect(stepsOf(other, 'finish-below-best')).toEqual([]);
  });
  it('compares what was reached, not what the task hint cost since', () => {
    const run = new RuleRun({ spec: outputs });
    run.evaluate(60);
    run.evaluate(50, { penalty: 10 });
    run.finish(50, { penalty: 10 });
    expect(stepsOf(run, 'finish-below-best')).toEqual([]);
    const worse = new RuleRun({ spec: outputs });
    worse.evaluate(60);
    const finish = worse.finish(45, { penalty: 10 });
    const [said] = verdictsOf(worse.script.events).filter(
      ({ verdict }) => verdict.rule === 'finish-below-best',
    );
    expect(said).toMatchObject({
      step: finish,
      verdict: {
        why: 'Finished with a final score of 55; step 1 had reached 60, without the penalty for the task hint.',
      },
    });
  });
  it('without a final evaluation speaks only of a state that was scored', () => {
    const run = new RuleRun({ spec: outputs });
    run.evaluate(60);
    run.command('python again.py');
    run.evaluate(40);
    const finish = run.finish();
    expect(stepsOf(run, 'finish-below-best')).toEqual([finish]);
    const changed = new RuleRun({ spec: outputs });
    changed.evaluate(60);
    changed.command('python again.py');
    changed.evaluate(40);
    changed.command('python third.py');
    changed.finish();
    expect(stepsOf(changed, 'finish-below-best')).toEqual([]);
  });
});

describe('provided-script-ignored', () => {
  const spec = {
    description: 'Generate predictions using `/workspace/task/scripts/inference.py`, then evaluate.',
  };
  const code = 'from transformers import AutoTokenizer\nfor x in test: predict(x)\n';
  it('ties the creation, the edits and the runs of a near-copy together', () => {
    const run = new RuleRun({ spec });
    const created = run.create('task/scripts/inference_new.py', code);
    run.openFile('task/scripts/inference_new.py');
    const edited = run.edit('task/scripts/inference_new.py', `${code}# more\n`);
    const ran = run.command('cd /workspace/task/scripts && python inference_new.py --batch 8');
    const again = run.background('CUDA_VISIBLE_DEVICES=0,1 python3 /workspace/task/scripts/inference_new.py');
    expect(stepsOf(run, 'provided-script-ignored')).toEqual([created, edited, ran, again]);
    const first = verdictsOf(run.script.events).find(({ step }) => step === created);
    expect(first?.verdict.steps).toEqual([edited, ran]);
  });
  test.each<[string, (run: RuleRun) => void]>([
    ['is never run', (run) => run.create('inference_new.py', code)],
    [
      'is a helper',
      (run) => [run.create('inference_utils.py', code), run.command('python inference_utils.py')],
    ],
    ['is a test', (run) => [run.create('test_inference.py', code), run.command('python test_inference.py')]],
    [
      'rolls out the training set',
      (run) => [
        run.create('inference_new.py', `${code}data = load('train.jsonl')\n`),
        run.command('python inference_new.py'),
      ],
    ],
    [
      'calls the given one',
      (run) => [
        run.create('run_inference.py', "subprocess.run(['python', 'task/scripts/inference.py'])\n"),
        run.command('python run_inference.py'),
      ],
    ],
    [
      'imports the given one',
      (run) => [
        run.create('inference_fast.py', 'from inference import main\nmain()\n'),
        run.command('python inference_fast.py'),
      ],
    ],
    [
      'is the given one',
      (run) => [run.edit('task/scripts/inference.py', code), run.command('python task/scripts/inference.py')],
    ],
  ])('is silent when the new script %s', (_, work) => {
    const run = new RuleRun({ spec }).has('task/scripts/inference.py', 'print(1)');
    work(run);
    expect(stepsOf(run, 'provided-script-ignored')).toEqual([]);
  });
  it('knows scripts that the agent came across, and copies made in the shell', () => {
    const run = new RuleRun();
    run.openFile('/workspace/task/scripts/run_eval.sh');
    const copied = run.command('cp /workspace/task/scripts/run_eval.sh /workspace/task/scripts/mine.sh');
    const ran = run.command('bash /workspace/task/scripts/mine.sh');
    expect(stepsOf(run, 'provided-script-ignored')).toEqual([copied, ran]);
    expect(stepsOf(run, 'provided-script-ignored', { parameters: { seen: false } })).toEqual([]);
  });
});

describe('framework-forbidden', () => {
  const spec = { rules: { forbidden_frameworks: ['transformers:generation', 'deepspeed'] } };
  const bad =
    'from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained(model_path)\nout = model.generate(**x)\n';
  it('masks what writes it and what runs it', () => {
    const run = new RuleRun({ spec });
    const created = run.create('generate.py', bad);
    const ran = run.command('cd /workspace && python generate.py');
    const shell = run.commandWriting('cat > b.py <<E\nx\nE', { 'b.py': bad });
    const ranToo = run.background('bash -c "python b.py"');
    const inline = run.command(`python - <<'E'\n${bad}E`);
    const installed = run.command('pip install deepspeed==0.14');
    expect(stepsOf(run, 'framework-forbidden')).toEqual([created, ran, shell, ranToo, inline, installed]);
    const verdict = verdictsOf(run.script.events).find(({ step }) => step === ran)?.verdict;
    expect(verdict?.steps).toEqual([created]);
  });
  test.each([
    [
      'a tokenizer only',
      'from transformers import AutoTokenizer\nt = AutoTokenizer.from_pretrained(p)\nllm = LLM(p)\nllm.generate(x)\n',
    ],
    ['training', 'm = AutoModelForCausalLM.from_pretrained(p)\nTrainer(model=m).train()\nm.generate(x)\n'],
    ['a comment', '# model = AutoModelForCausalLM.from_pretrained(p)\n# model.generate(x)\nllm = LLM(p)\n'],
    ['a comment about the other', 'import vllm  # not deepspeed\n'],
  ])('is silent about %s', (_, code) => {
    const run = new RuleRun({ spec });
    run.create('a.py', code);
    run.command('python a.py');
    expect(stepsOf(run, 'framework-forbidden')).toEqual([]);
  });
  it('forgets a file that no longer uses it, and says nothing when nothing is forbidden', () => {
    const run = new RuleRun({ spec });
    const created = run.create('a.py', bad);
    run.edit('a.py', 'llm = LLM(model_path)\n');
    run.command('python a.py');
    run.command('pip install deepspeed-mii');
    expect(stepsOf(run, 'framework-forbidden')).toEqual([created]);
    const free = new RuleRun();
    free.create('a.py', bad);
    expect(stepsOf(free, 'framework-forbidden')).toEqual([]);
  });
});

describe('idle-gpus', () => {
  const launch = (work: (run: RuleRun) => number, spec: Record<string, unknown> = gpuSpec) => {
    const run = new RuleRun({ spec });
    const step = work(run);
    for (let i = 0; i < 6; i += 1) run.sleep(300);
    return { step, found: stepsOf(run, 'idle-gpus') };
  };
  test.each<[string, (run: RuleRun) => number]>([
    ['a variable', (run) => run.background('CUDA_VISIBLE_DEVICES=0 python train.py')],
    [
      'an export before',
      (run) => [run.command('export CUDA_VISIBLE_DEVICES=0,1'), run.background(TRAIN)][1] ?? 0,
    ],
    [
      'a script',
      (run) =>
        [
          run.create('train.sh', 'export CUDA_VISIBLE_DEVICES=0\npython x.py\n'),
          run.background('bash train.sh'),
        ][1] ?? 0,
    ],
    ['a process count', (run) => run.background('torchrun --nproc_per_node=2 train.py')],
  ])('finds %s', (_, work) => {
    const { step, found } = launch(work);
    expect(found).toEqual([step]);
  });
  test.each<[string, (run: RuleRun) => unknown]>([
    ['all of them', (run) => run.background('CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 python train.py')],
    ['nothing said', (run) => run.background(TRAIN)],
    ['inference', (run) => run.background(`CUDA_VISIBLE_DEVICES=0 ${INFER.split('&& ')[1]}`)],
    ['a trial', (run) => run.background('CUDA_VISIBLE_DEVICES=0 python train.py --max_steps 2')],
    ['a look at the log', (run) => run.command('CUDA_VISIBLE_DEVICES=0 tail -f train.log')],
    [
      'two halves at once',
      (run) => [
        run.background('CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py --lr 1e-5', { session: 'a' }),
        run.background('CUDA_VISIBLE_DEVICES=4,5,6,7 python train.py --lr 2e-5', { session: 'b' }),
      ],
    ],
    [
      'what others leave',
      (run) => [
        run.gpus([0, 0, 0, 0, 70_000, 70_000, 70_000, 70_000]),
        run.background('CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py'),
      ],
    ],
    [
      'a computer of unknown size',
      (run) => run.background('CUDA_VISIBLE_DEVICES=0 python train.py', { computer: 'other' }),
    ],
  ])('is silent about %s', (_, work) => {
    expect(launch((run) => [work(run), 0].length).found).toEqual([]);
  });
  it('ties adapters to what set them up, where all weights could be trained', () => {
    const spec = { ...gpuSpec, rules: { full_training: true } };
    const config = 'stage: sft\nfinetuning_type: lora\n';
    const work = (run: RuleRun) => {
      const made = run.create('task/scripts/config.yaml', config);
      return [made, run.background(TRAIN)];
    };
    const run = new RuleRun({ spec });
    expect(work(run)).toEqual(stepsOf(run, 'idle-gpus'));
    const free = new RuleRun({ spec: gpuSpec });
    work(free);
    expect(stepsOf(free, 'idle-gpus')).toEqual([]);
    const full = new RuleRun({ spec });
    full.create('task/scripts/config.yaml', 'finetuning_type: full\n# finetuning_type: lora\n');
    full.background(TRAIN);
    expect(stepsOf(full, 'idle-gpus')).toEqual([]);
  });
});

describe('action-at-full-score', () => {
  it('masks what changes, trains or evaluates once the full score is reached', () => {
    const run = new RuleRun({ spec: outputs });
    run.command('python before.py');
    run.evaluate(100);
    const changed = run.edit('train.py', 'lr = 2');
    const trained = run.background(TRAIN);
    run.command('cp data/outputs/predictions.json data/outputs/best.json');
    run.openFile('train.py');
    run.command('ls -la /workspace/data/outputs/');
    run.sleep(60);
    const again = run.evaluate(90);
    run.command('cp data/outputs/best.json data/outputs/predictions.json');
    run.finish(100);
    expect(stepsOf(run, 'action-at-full-score')).toEqual([changed, trained, again]);
  });
  it('says nothing below it', () => {
    const run = new RuleRun();
    run.evaluate(99);
    run.edit('train.py', 'lr = 2');
    expect(stepsOf(run, 'action-at-full-score')).toEqual([]);
    expect(stepsOf(run, 'action-at-full-score', { parameters: { full_score: 95 } })).toHaveLength(1);
    const { rules } = ruleSetFor({ evaluation: { max_score: 95 } }, { rules: {} });
    expect(rules.find(({ rule }) => rule.id === 'action-at-full-score')?.parameters).toMatchObject({
      full_score: 95,
    });
  });
});

describe('imitates-human', () => {
  it('masks a step whose answer or output holds the tag of a hint, and no other', () => {
    const run = new RuleRun();
    run.command('cat page.html');
    const step = run.imitating(run.command('curl -s localhost/page'));
    run.command('ls');
    expect(stepsOf(run, 'imitates-human')).toEqual([step]);
  });
});

describe('blind-edit and what the agent knows without a look', () => {
  it('spares a file of its own here-document and a copy of what it had seen, not a copy of what it had not', () => {
    const run = new RuleRun().has('seen.py', 'a = 1\n').has('unseen.py', 'b = 1\n');
    run.commandWriting("cat > made.py <<'END'\nc = 1\nEND", { 'made.py': 'c = 1\n' });
    run.edit('made.py', 'c = 2\n');
    run.openFile('seen.py');
    run.commandWriting('cp seen.py copy.py', { 'copy.py': 'a = 1\n' });
    run.edit('copy.py', 'a = 2\n');
    run.commandWriting('cp unseen.py other.py', { 'other.py': 'b = 1\n' });
    const blind = run.edit('other.py', 'b = 2\n');
    expect(stepsOf(run, 'blind-edit')).toEqual([blind]);
  });
});

describe('blind-edit and commands that recorded no change', () => {
  const spec = { code_folders: ['src'], computers: [{ name: 'gpu' }, { name: 'other' }] };
  const sed =
    (path: string, options = {}) =>
    (run: RuleRun) =>
      run.command(`sed -i 's/none/y/' ${path}`, options);

  test.each<[string, (run: RuleRun) => number, boolean]>([
    ['in a code folder', sed('/workspace/src/a.py'), false],
    ['with git', (run) => run.command('git checkout -- /workspace/src/a.py'), false],
    ['with sed and an error', sed('/workspace/src/none.py', { exitCode: 2 }), false],
    [
      'that changed something',
      (run) => run.commandWriting('sed -i s/x/y/ src/a.py', { 'src/a.py': 'y' }),
      true,
    ],
    ['elsewhere', sed('/workspace/data/a.json'), true],
    ['in a hidden folder', sed('/workspace/src/.cache/a.py'), true],
    ['in code of others', sed('/workspace/src/node_modules/a.js'), true],
    ['on a computer that may have files of its own', sed('/workspace/src/a.py', { computer: 'other' }), true],
    ['beside the steps', (run) => run.background("sed -i 's/none/y/' /workspace/src/a.py"), true],
  ])('%s', (_, work, blind) => {
    const run = new RuleRun({ spec }).has('src/a.py', 'x');
    const step = work(run);
    expect(stepsOf(run, 'blind-edit')).toEqual(blind ? [step] : []);
  });

  it('knows which computers see the files, and when not all of them were compared', () => {
    const run = new RuleRun({ spec });
    const computers = ['gpu', 'other'].map((name) => ({ name, sees: true, message: '' }));
    run.script.add('workspace.probed', { root: '/workspace', shared: true, computers });
    sed('/workspace/src/a.py', { computer: 'other' })(run);
    expect(stepsOf(run, 'blind-edit')).toEqual([]);
    const partial = sed('/workspace/src/a.py')(run);
    const observed = run.script.events.at(-1);
    if (observed?.kind === 'action.observed') observed.body.data.codeScanPartial = true;
    expect(stepsOf(run, 'blind-edit')).toEqual([partial]);
    const looked = sed('/workspace/src/b.py')(run);
    const last = run.script.events.at(-1);
    if (last?.kind === 'action.observed') last.body.closedBy = 'look';
    expect(stepsOf(run, 'blind-edit')).toEqual([partial, looked]);
  });

  it('is not known of a run that another program drove', () => {
    const run = new RuleRun();
    const step = sed('/workspace/src/a.py')(run);
    expect(stepsOf(run, 'blind-edit')).toEqual([step]);
  });
});
