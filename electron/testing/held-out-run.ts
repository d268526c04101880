import { bound } from './driven-runs';
import { JudgedRun } from './judged-run';
import { RuleRun } from './rule-run';

const spec = {
  description: 'Clean the reviews, train a classifier, write out/predictions.csv.',
  evaluation: { inputs: ['out/predictions.csv'] },
  computers: [{ name: 'gpu', host: 'local', type: 'gpu', gpus: { count: 2, memory_gb: 24 } }],
};

/**
 * Data cleaning, training into logs, evaluations and git: 60 steps, each judged before a rule was asked. Not for tuning: a rule
 * that is wrong here is mended for its whole class, and the steps stay as they are.
 */
export function heldOutRun(): JudgedRun {
  const run = new RuleRun({ spec }).has('config.json', '{"seed": 1}\n').has('README.md', 'Reviews.\n');
  const judged = new JudgedRun(run);
  cleaning(judged);
  training(judged);
  improving(judged);
  ending(judged);
  if (run.step !== 60) throw new RangeError(`The run has ${run.step} steps.`);
  return judged;
}

function cleaning(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, keep } = bound(judged);
  fine(run.list('.'));
  fine(run.openFile('README.md'));
  fine(run.command('head -20 data/reviews.csv'));
  fine(run.command('wc -l data/*.csv && md5sum data/*.csv'));
  fine(run.create('clean.py', 'import csv\n'));
  keep(run.command('python clean.py data/reviews.csv data/clean.csv', { exitCode: 1 }));
  fine(run.command('sed -n "1,60p" clean.py'));
  fine(run.edit('clean.py', 'import csv, sys\n'));
  fine(run.command('python clean.py data/reviews.csv data/clean.csv 2>&1 | tee logs/clean.log'));
  fine(run.command('python clean.py --strict data/reviews.csv data/clean.csv 2>&1 | tee logs/clean.log'));
  fine(run.command("awk -F, 'NF!=4' data/clean.csv | wc -l"));
  fine(run.command("awk -F, 'NF==4' data/clean.csv > data/c4.csv && mv data/c4.csv data/clean.csv"));
  fine(run.command('sort -u data/clean.csv -o data/clean.csv'));
  fine(run.command('git init && git add -A && git commit -m "Clean data"'));
}

function training(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, keep, bad } = bound(judged);
  const train = 'lr = 1e-3\nepochs = 3\n';
  fine(run.commandWriting(`cat > train.py <<'END'\n${train}END`, { 'train.py': train }));
  fine(run.command('git diff --stat'));
  fine(run.background('python train.py --epochs 3 2>&1 | tee logs/train.log'));
  keep(run.sleep(300));
  fine(run.output({ exitCode: 0 }));
  fine(run.command('tail -5 logs/train.log'));
  fine(run.commandWriting("sed -i 's/1e-3/3e-4/' train.py", { 'train.py': 'lr = 3e-4\nepochs = 3\n' }));
  bad(
    run.commandWriting("sed -i 's/epochs = 3/epochs = 10/' train.py", {
      'train.py': 'lr = 3e-4\nepochs = 10\n',
    }),
  );
  fine(run.command('git diff train.py'));
  fine(run.background('python train.py 2>&1 | tee logs/train.log'));
  keep(run.sleep(900));
  fine(run.output());
  keep(run.sleep(900));
  fine(run.output({ exitCode: 0 }));
  bad(run.command('python predcit.py --out out/predictions.csv', { exitCode: 2 }));
  fine(run.create('predict.py', 'import csv\n'));
  fine(run.command('python predict.py --out out/predictions.csv'));
}

function improving(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, keep, bad } = bound(judged);
  fine(run.evaluate(41));
  keep(run.command('cp out/predictions.csv backups/predictions_41.csv'));
  bad(run.evaluate(41));
  fine(run.command('echo 41 > backups/score.txt'));
  fine(
    run.together(
      () => run.openFile('train.py'),
      () => run.openFile('predict.py'),
    ),
  );
  fine(run.edit('train.py', 'lr = 1e-4\nepochs = 10\n'));
  fine(run.edit('train.py', 'lr = 1e-4\nepochs = 20\n'));
  bad(run.background('CUDA_VISIBLE_DEVICES=0 python train.py 2>&1 | tee logs/train2.log'));
  keep(run.sleep(600));
  fine(run.output({ exitCode: 0 }));
  fine(run.command('python predict.py --out out/predictions.csv'));
  fine(run.evaluate(55));
  keep(
    run.together(
      () => run.command('cp out/predictions.csv backups/predictions_55.csv'),
      () => run.command('echo 55 >> backups/score.txt'),
    ),
  );
  fine(run.command('git commit -qam "lr" && git log --oneline | grep -c epochs', { exitCode: 1 }));
}

function ending(judged: JudgedRun): void {
  const { run } = judged;
  const { fine, keep, bad } = bound(judged);
  fine(run.command('diff backups/predictions_41.csv out/predictions.csv > /dev/null; echo $?'));
  fine(run.command('cmp backups/predictions_41.csv out/predictions.csv', { exitCode: 1 }));
  bad(run.commandWriting('cat > config.json <<E\n{}\nE', { 'config.json': '{}\n' }));
  fine(run.commandWriting('git checkout -- config.json', { 'config.json': '{"seed": 1}\n' }));
  bad(run.failing('edit_file', 'bad_input'));
  fine(run.evaluate(null));
  fine(run.command('python predict.py --temperature 0.7 --out out/predictions.csv'));
  fine(run.evaluate(50));
  keep(run.command('cp backups/predictions_55.csv out/predictions.csv'));
  bad(run.nothing());
  bad(run.command('python train.py --resume', { exitCode: 1 }));
  bad(run.command('python train.py --resume', { exitCode: 1 }));
  fine(run.think());
  fine(run.command("grep -rn 'TODO' src", { exitCode: 1 }));
  fine(run.finish(55));
}
