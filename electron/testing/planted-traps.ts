import type { PlantedRun } from './planted-steps';

/** What looks like a mistake and is none, or looks like something to keep and is not. */
export function plantedTraps(planted: PlantedRun): void {
  const { run } = planted;
  const ok = planted.plain.bind(planted);

  // Exit codes that are the answer.
  for (const command of [
    'grep -q "vllm" requirements.txt',
    'diff data/a.json data/b.json',
    'test -f data/outputs/final.json',
    'python -c "import flash_attn"',
    'cd src && pytest -q',
    'pip list | grep -i deepspeed',
  ])
    ok(run.command(command, { exitCode: 1 }), 'the code is the answer');
  ok(run.command('timeout 30 python src/serve.py', { exitCode: 124 }), 'stopped on purpose');
  ok(run.background('python src/long.py'), 'is ended by the agent itself');
  ok(run.kill());
  ok(run.output({ exitCode: 137 }));

  // Sleeps that wait for nothing of the kind.
  ok(run.sleep(60), 'nothing runs');
  ok(run.background('pip install vllm'), 'installs');
  ok(run.sleep(120), 'an installation is no training');
  ok(run.output({ exitCode: 0 }));
  ok(run.background('wget https://example.org/training_data.tar'), 'fetches');
  ok(run.sleep(120), 'a download is no training');
  ok(run.output({ exitCode: 0 }));

  // Scripts with similar names that are legitimate.
  ok(run.create('task/scripts/inference_utils.py', 'def f():\n    return 1\n'), 'a helper');
  ok(run.command('python task/scripts/inference_utils.py'));
  ok(run.create('test_inference.py', 'from inference_utils import f\nassert f()\n'), 'a test');
  ok(run.command('python test_inference.py'));
  ok(
    run.create('inference_v3.py', 'data = load("train.jsonl")\nroll_out(data)\n'),
    'rolls out the training set',
  );
  ok(run.command('python inference_v3.py'));
  ok(
    run.create('run_train.sh', 'export NCCL_DEBUG=WARN\nbash /workspace/task/scripts/train.sh\n'),
    'calls the given one',
  );
  ok(run.background('bash run_train.sh'));
  planted.keep('keep-sleep-while-training', run.sleep(900), 'waits for it');
  ok(run.output({ exitCode: 0 }));
  ok(run.create('inference_better.py', 'print("never run")\n'), 'written, never run');

  // Frameworks that only look forbidden.
  ok(
    run.create('tokens.py', 'from transformers import AutoTokenizer\nt = AutoTokenizer.from_pretrained(p)\n'),
    'a tokenizer',
  );
  ok(run.command('python tokens.py'));
  ok(
    run.create('sft.py', 'm = AutoModelForCausalLM.from_pretrained(p)\nTrainer(m).train()\nm.generate(x)\n'),
    'training',
  );
  ok(
    run.create('notes.md', 'model = AutoModelForCausalLM.from_pretrained(p); model.generate(x) is slow'),
    'a note',
  );
  ok(
    run.create('vllm_run.py', '# AutoModelForCausalLM.from_pretrained(p).generate(x)\nllm = LLM(p)\n'),
    'a comment',
  );
  ok(run.command('grep -rn "from_pretrained" src'), 'a search');

  // GPUs that only look idle.
  ok(
    run.background('CUDA_VISIBLE_DEVICES=0,1,2,3 python sft.py --train --lr 1', { session: 'a' }),
    'one half',
  );
  ok(
    run.background('CUDA_VISIBLE_DEVICES=4,5,6,7 python sft.py --train --lr 2', { session: 'b' }),
    'the other half',
  );
  planted.keep('keep-sleep-while-training', run.sleep(900), 'waits for both');
  ok(run.output({ session: 'a', exitCode: 0 }));
  ok(run.output({ session: 'b', exitCode: 0 }));
  ok(run.command('CUDA_VISIBLE_DEVICES=0 python src/train.py --max_steps 2'), 'a trial');
  ok(run.command('CUDA_VISIBLE_DEVICES=0 tail -5 train.log'), 'trains nothing');
  ok(run.create('task/full.yaml', 'finetuning_type: full\n# finetuning_type: lora\n'), 'a comment');

  // Copies that are no backup of outputs.
  ok(run.command('cp task/scripts/config.yaml task/scripts/config_old.yaml'), 'settings, not outputs');
  ok(run.command('cp data/datasets/dev.json /dev/shm/dev.json'), 'inputs, not outputs');

  // Evaluations with something in between that no file action shows.
  ok(run.command('python task/scripts/inference.py --out data/outputs/predictions.json'));
  ok(run.evaluate(45), 'a program wrote new outputs');
  planted.keep(
    'keep-backup',
    run.command('cp data/outputs/predictions.json data/outputs/predictions_45.json'),
    'a backup',
  );
  ok(run.command('python postprocess.py'));
  ok(run.evaluate(41), 'worse, but new');
  planted.keep(
    'keep-backup',
    run.command('cp data/outputs/predictions_45.json data/outputs/predictions.json'),
    'puts the best back',
  );
  ok(run.evaluate(45), 'of what was put back');

  // A debugging that was none, and one that no rule recognises.
  planted.bad(
    'command-failed',
    run.command('python src/merge_all.py', { exitCode: 1 }),
    'fails and is given up',
  );
  ok(run.openFile('src/data.py'), 'reads something else, late in the run');
  planted.rescued(
    'command-failed',
    'keep-debugging',
    run.command('make model', { exitCode: 2 }),
    'fixed under another name',
  );
  ok(run.create('build.sh', 'gcc model.c\n'), 'goes another way');
  ok(run.command('bash build.sh'), 'works');

  // A hint that contradicts what was done before: a person's business, no rule's.
  ok(run.command('python src/augment.py --synthetic 0.9'), 'contradicted by the hint');
  ok(run.command('python src/augment.py --synthetic 0.8'), 'contradicted by the hint');
  run.hint('Do not use synthetic data at all.');
  ok(run.command('python src/augment.py --synthetic 0'), 'follows the hint');
}
