import { bound } from '../driven-runs';
import { JudgedRun } from '../judged-run';
import { RuleRun } from '../rule-run';

const spec = {
  description: 'Design a reward, train with GRPO on all GPUs, answer the test questions.',
  evaluation: { inputs: ['outputs/answers.jsonl'] },
  computers: [{ name: 'gpu', host: 'local', type: 'gpu', gpus: { count: 8, memory_gb: 80 } }],
};

const REWARD = 'def reward(answer, truth):\n    return float(answer == truth)\n';
const CONFIG = 'batch_size: 64\nlr: 1.0e-6\n';

/** Designs a reward, trains on eight GPUs, grows impatient and stops below the best score: 41 steps. */
export function rewardRun(): JudgedRun {
  const run = new RuleRun({ spec, run: '01KS0VTS1DER00000000000001' })
    .has('README.md', 'Reward design.\n')
    .has('reward.py', REWARD)
    .has('configs/grpo.yaml', CONFIG);
  const judged = new JudgedRun(run);
  exploring(judged);
  training(judged);
  impatient(judged);
  return judged;
}

function exploring(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep } = bound(judged);
  keep(run.list('.'));
  keep(run.openFile('README.md'));
  keep(run.command('cat train_grpo.py'));
  keep(run.openFile('reward.py'));
  keep(run.command('nvidia-smi'));
  fine(run.think('The rule that compares strings is too strict for numbers.'));
  bad(run.edit('configs/grpo.yaml', `${CONFIG}epochs: 2\n`));
  fine(run.edit('reward.py', `${REWARD}\n\ndef close(a, b):\n    return abs(float(a) - float(b)) < 1e-6\n`));
  keep(run.command('python -m pytest tests/test_reward.py -q', { exitCode: 1 }));
  keep(run.openFile('tests/test_reward.py'));
  keep(run.edit('reward.py', `${REWARD}\n\ndef close(a, b):\n    return abs(float(a) - float(b)) < 1e-4\n`));
  keep(run.command('python -m pytest tests/test_reward.py -q'));
}

function training(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep } = bound(judged);
  const train =
    'torchrun --nproc_per_node=8 train_grpo.py --config configs/grpo.yaml 2>&1 | tee logs/grpo.log';
  bad(run.background('CUDA_VISIBLE_DEVICES=0 python train_grpo.py --config configs/grpo.yaml'));
  fine(run.kill());
  keep(run.background(train, { session: 'train' }));
  keep(run.sleep(1200));
  fine(run.output({ session: 'train' }));
  keep(run.sleep(3600));
  fine(run.output({ session: 'train', exitCode: 1 }));
  keep(run.command('tail -50 logs/grpo.log'));
  keep(run.command('cat configs/grpo.yaml'));
  keep(
    run.commandWriting("sed -i 's/batch_size: 64/batch_size: 32/' configs/grpo.yaml", {
      'configs/grpo.yaml': 'batch_size: 32\nlr: 1.0e-6\nepochs: 2\n',
    }),
  );
  keep(run.background(train, { session: 'train' }));
  keep(run.sleep(7200));
  keep(run.sleep(7200));
  fine(run.output({ session: 'train', exitCode: 0 }));
  fine(run.command('python inference.py --model ckpt/last --out outputs/answers.jsonl'));
  fine(run.evaluate(38));
  keep(run.command('cp outputs/answers.jsonl backups/answers_38.jsonl'));
  bad(run.evaluate(38));
}

function impatient(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, bad, keep, unseen } = bound(judged);
  fine(run.command('cat reward.py'));
  fine(run.edit('reward.py', `${REWARD}# length penalty\n`));
  fine(
    run.background(
      'accelerate launch --num_processes 8 train_grpo.py --config configs/grpo.yaml > logs/grpo2.log 2>&1',
      { session: 'train' },
    ),
  );
  keep(run.sleep(60));
  keep(run.sleep(60));
  unseen(run.sleep(60));
  unseen(run.kill('train'));
  bad(run.command('python infernce.py --model ckpt/step_200 --out outputs/answers.jsonl', { exitCode: 2 }));
  fine(run.command('python inference.py --model ckpt/step_200 --out outputs/answers.jsonl'));
  fine(run.evaluate(31));
  bad(run.finish(31));
}
