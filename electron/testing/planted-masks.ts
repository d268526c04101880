import type { PlantedRun } from './planted-steps';

const LLAMA =
  'cd /workspace/task/repositories/LLaMA-Factory && llamafactory-cli train /workspace/task/scripts/config.yaml';
const HF =
  'from transformers import AutoModelForCausalLM, AutoTokenizer\nmodel = AutoModelForCausalLM.from_pretrained(path)\nfor x in test:\n    out = model.generate(**x)\n';
const VLLM = 'from vllm import LLM\nllm = LLM(path)\nfor x in test:\n    out = llm.chat(x)\n';

const MOULD = `for row in rows:\n    row['cot'] = f"Let's think step by step. The question is {row['question']}. Therefore the answer is {row['answer']}."\n`;

/** Mistakes, each in several shapes, some of which no rule can see. */
export function plantedMasks(planted: PlantedRun): void {
  const { run } = planted;
  const { plain } = planted;
  const ok = plain.bind(planted);

  // First looks: good, but not early any more when they are repeated.
  for (const path of ['task', 'task/scripts', 'data'])
    planted.keep('keep-exploration', run.list(path), 'looks around');
  for (const path of ['task/scripts/inference.py', 'task/scripts/config.yaml', 'src/model.py'])
    planted.keep('keep-exploration', run.openFile(path), 'reads what is there');
  planted.keep('keep-exploration', run.command('nvidia-smi'), 'looks at the GPUs');
  planted.keep('keep-exploration', run.search('def main', 'src', ['src/model.py']), 'searches');
  ok(run.think('I will train first.'));

  // Blind edits.
  planted.bad('blind-edit', run.edit('src/data.py', 'a = 1\n'), 'never looked at');
  ok(run.edit('src/data.py', 'a = 2\n'), 'the edit before has shown it');
  planted.keep('keep-exploration', run.command('sed -n 1,40p src/data.py'), 'a look through the shell');
  ok(run.edit('src/data.py', 'a = 3\n'), 'looked through the shell just before');
  ok(run.command("sed -i 's/a = 3/a = 4/' /workspace/src/data.py"), 'the edit before has shown it');
  planted.bad(
    'blind-edit',
    run.command("sed -i 's/a = 4/a = 3/' /workspace/src/data.py"),
    'sed has shown nothing',
  );
  planted.keep('keep-exploration', run.command('git diff src/data.py'), 'a look through git, early');
  ok(run.edit('src/data.py', 'a = 5\n'), 'looked through git just before');
  ok(run.command("perl -pi -e 's/5/6/' src/data.py"), 'known from the edit');
  planted.bad('blind-edit', run.edit('src/data.py', 'a = 7\n'), 'perl has shown nothing');
  planted.keep('keep-exploration', run.command('cat src/model.py | head -50'), 'a look in a pipe, early');
  ok(run.edit('src/model.py', 'b = 1\n'), 'looked in a pipe');
  planted.bad(
    'blind-edit',
    run.commandWriting("python3 -c \"open('src/model.py','w').write('b = 2')\"", { 'src/model.py': 'b = 2' }),
    'a program changes it unseen: no rule reads programs',
  );

  // Failures.
  planted.bad('command-failed', run.command('python src/prepare.py --split dev', { exitCode: 1 }), 'fails');
  planted.bad(
    'command-failed',
    run.command('python src/prepare.py --split dev', { exitCode: 1 }),
    'the very same again',
  );
  planted.bad(
    'command-failed',
    run.command('python src/prepare.py --split dev', { exitCode: 1 }),
    'and again',
  );
  ok(run.command('python src/prepare.py --split dev'), 'works by luck');
  planted.bad(
    'command-failed',
    run.command('pip install flash-attn==99', { exitCode: 1 }),
    'no such version',
  );
  planted.bad('command-failed', run.command('ls /workspace/nothing', { exitCode: 2 }), 'not there');
  planted.bad('command-failed', run.background('python src/serve.py'), 'dies in the background');
  ok(run.output({ exitCode: 1 }), 'sees it');
  ok(run.command('lsof -i :8000 || true'));
  planted.bad('error-observation', run.failing('open_file', 'not_found'), 'the action itself fails');
  planted.bad('error-observation', run.failing('edit_file', 'bad_input'), 'bad lines');
  planted.bad(
    'error-observation',
    run.command('sleep 900', { error: { code: 'timeout', message: 'Killed.' } }),
    'killed',
  );
  planted.bad('null', run.nothing(), 'no call');
  planted.bad('null', run.nothing(), 'no call again');

  // A failure that is looked into, and works in the end.
  for (const [i, part] of ['load', 'tokenize', 'split', 'clean', 'merge'].entries()) {
    planted.rescued(
      'command-failed',
      'keep-debugging',
      run.command(`python src/${part}.py --n ${i}`, { exitCode: 1 }),
      'a probe',
    );
    planted.keep('keep-exploration', run.openFile(`src/${part}.py`), 'looks why');
    ok(run.edit(`src/${part}.py`, `fixed ${i}\n`), 'fixes it');
    ok(run.command(`python src/${part}.py --n ${i + 10}`), 'works');
  }

  // Given scripts that are ignored.
  const copy = 'import json\nprompts = json.load(open("test.json"))\n';
  planted.bad('provided-script-ignored', run.create('task/scripts/inference_new.py', copy), 'a near-copy');
  ok(run.think('Now I run it.'));
  planted.bad(
    'provided-script-ignored',
    run.command('cd task/scripts && python inference_new.py'),
    'runs it',
  );
  planted.bad(
    'provided-script-ignored',
    run.background('python3 -u /workspace/task/scripts/inference_new.py'),
    'again',
  );
  ok(run.output({ exitCode: 0 }));
  planted.bad(
    'provided-script-ignored',
    run.command('cp task/scripts/train.sh task/scripts/train_v2.sh'),
    'copies it',
  );
  planted.bad('provided-script-ignored', run.background('bash task/scripts/train_v2.sh'), 'runs the copy');
  planted.keep('keep-sleep-while-training', run.sleep(600), 'waits for training');
  ok(run.output({ exitCode: 0 }));
  planted.bad(
    'provided-script-ignored',
    run.create('make_answers.py', copy),
    'the same under another name: no rule sees it',
  );
  planted.bad('provided-script-ignored', run.command('python make_answers.py'), 'and its run');

  // Forbidden frameworks.
  planted.bad(
    'framework-forbidden',
    run.create('generate_hf.py', HF),
    'transformers where vLLM is asked for',
  );
  planted.bad('framework-forbidden', run.command('python generate_hf.py --limit 10'), 'runs it');
  planted.bad(
    'framework-forbidden',
    run.background('bash -c "python generate_hf.py"'),
    'runs it through a shell',
  );
  ok(run.output({ exitCode: 0 }));
  planted.bad('framework-forbidden', run.command(`python3 - <<'END'\n${HF}END`), 'inline');
  planted.keep('keep-exploration', run.openFile('generate_hf.py', 2), 'reads it');
  ok(run.edit('generate_hf.py', VLLM), 'mends it');
  ok(run.command('python generate_hf.py'), 'uses vLLM now');

  // Reasoning from a mould.
  planted.bad('template-thought', run.create('make_cot.py', MOULD), 'pastes question and answer');
  planted.bad('template-thought', run.command('python make_cot.py --out cot.jsonl'), 'runs it');

  // GPUs left idle.
  planted.bad('idle-gpus', run.background('CUDA_VISIBLE_DEVICES=0 python src/train.py'), 'one of eight');
  planted.keep('keep-sleep-while-training', run.sleep(300), 'waits');
  ok(run.output({ exitCode: 0 }));
  ok(run.command('export CUDA_VISIBLE_DEVICES=0,1', { session: 'two' }));
  planted.bad('idle-gpus', run.background(LLAMA, { session: 'two' }), 'two of eight, by an export');
  planted.keep('keep-sleep-while-training', run.sleep(600), 'waits');
  const read = run.imitating(run.output({ session: 'two', exitCode: 0 }));
  planted.bad('imitates-human', read, 'what was printed speaks as the user');
  planted.bad('idle-gpus', run.create('task/lora.yaml', 'stage: sft\nfinetuning_type: lora\n'), 'adapters');
  planted.bad('idle-gpus', run.background('llamafactory-cli train task/lora.yaml'), 'trains adapters');
  planted.keep('keep-sleep-while-training', run.sleep(600), 'waits');
  ok(run.output({ exitCode: 0 }));

  // Evaluations.
  ok(run.command('python task/scripts/inference.py --out data/outputs/predictions.json'));
  ok(run.evaluate(30));
  planted.keep(
    'keep-backup',
    run.command('cp data/outputs/predictions.json data/outputs/predictions_30.json'),
    'a backup',
  );
  planted.bad('eval-without-change', run.evaluate(30), 'only a backup in between');
  planted.keep('keep-exploration', run.command('tail -3 data/outputs/predictions.json'), 'a look');
  planted.bad('eval-without-change', run.evaluate(30), 'only a look in between');
  planted.bad('eval-without-change', run.evaluate(30), 'at once');
}
