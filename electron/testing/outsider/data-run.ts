import { bound } from '../driven-runs';
import { JudgedRun } from '../judged-run';
import { RuleRun } from '../rule-run';

const spec = {
  description: 'Filter the questions, sample chains of thought, fine-tune, answer the test questions.',
  evaluation: { inputs: ['submission/*.jsonl'] },
  computers: [{ name: 'gpu', host: 'local', type: 'gpu', gpus: { count: 4, memory_gb: 80 } }],
};

/** Filters data, samples chains of thought, fine-tunes and restores its best answers before it finishes: 43 steps. */
export function dataRun(): JudgedRun {
  const run = new RuleRun({ spec, run: '01KS0VTS1DER00000000000002' })
    .has('README.md', 'Data.\n')
    .has('configs/sft.json', '{"epochs": 3}\n');
  const judged = new JudgedRun(run);
  filtering(judged);
  sampling(judged);
  tuning(judged);
  choosing(judged);
  return judged;
}

function filtering(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep } = bound(judged);
  const filter = 'import sys\nkept = [line for line in open(sys.argv[2])]\n';
  keep(run.list('.'));
  keep(run.openFile('README.md'));
  keep(run.command('head -c 2000 data/raw.jsonl'));
  fine(run.create('filter.py', filter));
  bad(run.command('pyhton filter.py --in data/raw.jsonl --out data/kept.jsonl', { exitCode: 127 }));
  fine(run.command('python filter.py --in data/raw.jsonl --out data/kept.jsonl'));
  fine(run.command("grep -c 'boxed' data/kept.jsonl", { exitCode: 1 }));
  fine(run.edit('filter.py', filter.replace('open(', 'sorted(open(')));
  fine(run.command('python filter.py --in data/raw.jsonl --out data/kept.jsonl'));
  bad(run.command('ls data/keptt', { exitCode: 2 }));
  bad(run.nothing());
}

function sampling(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, keep, unseen } = bound(judged);
  const slow =
    'from transformers import AutoModelForCausalLM\nm = AutoModelForCausalLM.from_pretrained("base")\n';
  unseen(run.create('gen_cot.py', `${slow}print(m.generate(**batch))\n`));
  unseen(run.command('python gen_cot.py --n 10'));
  fine(run.create('gen_vllm.py', 'from vllm import LLM\nllm = LLM("base", tensor_parallel_size=2)\n'));
  fine(
    run.background('CUDA_VISIBLE_DEVICES=0,1 python gen_vllm.py --n 5000 --out data/cot.jsonl', {
      session: 'gen',
    }),
  );
  keep(run.sleep(900));
  fine(run.output({ session: 'gen' }));
  keep(run.command('sleep 600'));
  fine(run.output({ session: 'gen', exitCode: 0 }));
}

function tuning(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep } = bound(judged);
  const config = (lr: string) => ({ 'configs/sft.json': `{"lr": ${lr}}\n` });
  bad(run.commandWriting(`echo '{"lr": 2e-5}' > configs/sft.json`, config('2e-5')));
  fine(run.command('cat configs/sft.json'));
  fine(run.commandWriting("sed -i 's/2e-5/1e-5/' configs/sft.json", config('1e-5')));
  bad(run.commandWriting("sed -i 's/1e-5/5e-6/' configs/sft.json", config('5e-6')));
  fine(run.background('bash scripts/train.sh 2>&1 | tee logs/sft.log', { session: 'sft' }));
  bad(run.failing('run_command', 'session_busy'));
  keep(run.sleep(3000));
  fine(run.output({ session: 'sft', exitCode: 0 }));
  fine(run.command('python scripts/inference.py --model ckpt --out submission/answers.jsonl'));
  keep(run.command('python scripts/check_format.py submission/answers.jsonl', { exitCode: 1 }));
  keep(run.command("sed -n '1,80p' scripts/check_format.py"));
  keep(run.create('postprocess.py', 'import json\n'));
  keep(run.command('python postprocess.py submission/answers.jsonl'));
  keep(run.command('python scripts/check_format.py submission/answers.jsonl'));
}

function choosing(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep, unseen } = bound(judged);
  fine(run.evaluate(62));
  keep(run.command('mkdir -p best && cp submission/answers.jsonl best/answers_62.jsonl'));
  fine(run.create('notes.md', '62 with 5e-6.\n'));
  bad(run.evaluate(62));
  unseen(run.sleep(1800));
  fine(run.command('cp data/kept.jsonl data/kept_copy.jsonl'));
  fine(
    run.command('python scripts/inference.py --temperature 1.0 --model ckpt --out submission/answers.jsonl'),
  );
  fine(run.evaluate(55));
  keep(run.command('cp best/answers_62.jsonl submission/answers.jsonl'));
  fine(run.finish(62));
}
