import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { evaluateLeft, withLine } from '../testing/evaluation-stand';
import { sandboxMissing } from '../testing/sandbox-missing';
import type { EvaluationOutcome } from './evaluate';

/** Not below a folder for temporary files: a sandbox has those for itself. */
const below = resolve(import.meta.dirname, '../../node_modules/.cache');
let workspace: string;
let evaluation: string;

beforeEach(async () => {
  await mkdir(below, { recursive: true });
  workspace = await realpath(await mkdtemp(join(below, 'waymark-evaluation-run-')));
  evaluation = join(workspace, 'runs/one/evaluations/001');
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

/** Scores the lines of `data/outputs/answer.txt`, slowly enough for whoever wants to be in its way. */
const count = `sleep 0.3
printf '{"score": %d, "message": "counted"}' "$(wc -l < data/outputs/answer.txt)" > "$WAYMARK_RESULT"
sleep 0.3
`;

/** The task has the agent's script run by itself; `script` is that script. */
function submitted(
  script: string,
  evaluator = count,
  yaml: (text: string) => string = (text) => text,
): Promise<EvaluationOutcome> {
  return evaluateLeft(workspace, {
    yaml: (text) => yaml(withLine('run: bash data/outputs/train.sh')(text)),
    files: { 'evaluation/evaluate.sh': evaluator },
    left: { 'data/outputs/train.sh': script },
  });
}

/** Writes a best score to wherever the evaluator's result may be, before and after, as long as it lives. */
const forge = (then: string) => `echo one > data/outputs/answer.txt
cat > /tmp/forge.sh <<'END'
for round in $(seq 400); do
  for place in PLACE/result "$(dirname "$WAYMARK_INPUTS")/result"; do
    mkdir -p "$place"; printf '{"score": 8, "message": "forged"}' > "$place/result.json"
  done
  echo forged > data/outputs/answer.txt; seq 8 >> data/outputs/answer.txt
  sleep 0.01
done
END
${then}`;

describe.skipIf(sandboxMissing)(
  `what an agent wrote and evaluation.run starts${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    it('is scored by what it made', async () => {
      const outcome = await submitted('seq 4 > data/outputs/answer.txt; echo printed by the agent');
      expect(outcome).toMatchObject({ outcome: 'scored', raw: 4, score: 40, message: 'counted' });
      expect(outcome.log).not.toContain('printed by the agent');
      expect(await readFile(join(outcome.folder, 'run.log'), 'utf8')).toContain('printed by the agent');
      expect((await readdir(outcome.folder)).sort()).toEqual([
        ...['evaluator.log', 'inputs', 'outcome.json', 'protected-changed.txt', 'result', 'run.log'],
      ]);
    });

    it.each([
      ['in the background', 'bash /tmp/forge.sh &'],
      ['away from its terminal and its parent', 'setsid -f bash /tmp/forge.sh >/dev/null 2>&1 </dev/null'],
      ['without an environment', 'env -i WAYMARK_INPUTS=$PWD setsid -f bash /tmp/forge.sh >/dev/null 2>&1'],
    ])('forges no score by a process that it leaves %s', async (_, then) => {
      const script = forge(then).replaceAll('PLACE', evaluation);
      expect(await submitted(script)).toMatchObject({ outcome: 'scored', raw: 1, message: 'counted' });
    });

    it('sees neither the evaluator nor its result, log and folders', async () => {
      const answers = await realpath(await mkdtemp(join(below, 'waymark-answers-')));
      onTestFinished(() => rm(answers, { recursive: true }));
      await writeFile(join(answers, 'rows'), 'answers');
      const outcome = await submitted(
        `echo one > data/outputs/answer.txt
env | grep -o 'WAYMARK_[A-Z]*' | sort
ls -A ${evaluation}; cat ${workspace}/tasks/small/evaluation/key; ls ${workspace}/tasks ${answers}; true`,
        count,
        withLine(`folders: [${answers}]`),
      );
      expect(outcome.outcome).toBe('scored');
      const said = await readFile(join(outcome.folder, 'run.log'), 'utf8');
      expect(said).toMatch(/^WAYMARK_INPUTS$/m);
      expect(said.match(/WAYMARK_\w+/g)).toHaveLength(1);
      expect(said).toMatch(/^inputs$/m);
      expect(said).not.toMatch(/^(?:package|result|small|rows|protected.*)$/m);
      expect(said).not.toContain('the key');
    });

    it('leaves nothing at home or in /tmp that the evaluator would run', async () => {
      const trap = 'echo trapped >&2; printf \'{"score": 8}\' > "$WAYMARK_RESULT"; exit 0';
      const outcome = await submitted(
        `echo one > data/outputs/answer.txt
for f in ~/.profile ~/.bashrc ~/.bash_profile /tmp/helper.sh; do echo '${trap}' > $f; done`,
        `for f in ~/.profile ~/.bashrc /tmp/helper.sh; do [ ! -e $f ] || . $f; done\n${count}`,
      );
      expect(outcome).toMatchObject({ outcome: 'scored', raw: 1 });
      expect(outcome.log).not.toContain('trapped');
    });

    it('gives files that the evaluator only reads', async () => {
      const outcome = await submitted(
        'echo one > data/outputs/answer.txt',
        `(echo two >> data/outputs/answer.txt) 2>/dev/null; (: > planted) 2>/dev/null\n${count}`,
      );
      expect(outcome).toMatchObject({ outcome: 'scored', raw: 1 });
      expect(await readdir(join(outcome.folder, 'inputs'))).toEqual(['data']);
    });

    it.each([
      [
        'a link to the evaluator',
        () => `ln -s ${evaluation}/package/evaluation/key data/outputs/answer.txt`,
        'a link',
      ],
      ['a link to nothing', () => 'ln -s nothing data/outputs/answer.txt', 'a link'],
      ['a link for a folder', () => `ln -s ${evaluation} data/outputs/more`, 'a link'],
      ['a FIFO', () => 'mkfifo data/outputs/answer.txt', 'a FIFO'],
      [
        'a socket',
        () => `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "data/outputs/s", Listen => 1)'`,
        'a socket',
      ],
    ])('cannot leave %s to the evaluator', async (_, script, kind) => {
      const outcome = await submitted(script(), 'cat data/outputs/*; echo \'{"score": 8}\'');
      expect(outcome).toMatchObject({ outcome: 'unavailable', attempt: null, log: '' });
      expect(outcome.message).toMatch(new RegExp(`left data/outputs/\\S+, which is ${kind}`));
    });

    it('tells the agent why it failed, and no evaluator is started', async () => {
      const outcome = await submitted('echo no such column >&2; exit 3');
      expect(outcome).toMatchObject({ outcome: 'unavailable', attempt: null, log: '' });
      expect(outcome.message).toMatch(/evaluation\.run .* exit code 3[\s\S]*no such column/);
    });

    it('has its time limit in common with the evaluator', async () => {
      const outcome = await submitted('sleep 60', count, (text) => text.replace('20s', '500ms'));
      expect(outcome).toMatchObject({ outcome: 'unavailable', message: expect.stringContaining('500ms') });
    });
  },
);

describe.skipIf(sandboxMissing)(
  `an evaluator that runs what the agent wrote${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    const evaluated = (script: string, evaluator: string) =>
      evaluateLeft(workspace, {
        files: { 'evaluation/evaluate.sh': evaluator },
        left: { 'data/outputs/train.sh': script },
      });

    it.each([
      ['a link', 'ln -s "$PWD/data/outputs/best" "$WAYMARK_RESULT"', /is a link/],
      ['a second name of another file', 'ln "$WAYMARK_RESULT" "$WAYMARK_RESULT.too"', /has another name/],
      ['a FIFO', 'rm -f "$WAYMARK_RESULT"; mkfifo "$WAYMARK_RESULT"', /not a regular file/],
      ['a folder', 'rm -f "$WAYMARK_RESULT"; mkdir "$WAYMARK_RESULT"', /not a regular file/],
    ])('gets no score from %s in place of its result', async (_, make, why) => {
      const outcome = await evaluated(
        make,
        `[ ${make.startsWith('ln -s') ? 0 : 1} = 0 ] || echo '{"score": 8}' > "$WAYMARK_RESULT"
echo '{"score": 8}' > data/outputs/best; bash data/outputs/train.sh; echo '{"score": 1}'`,
      );
      expect(outcome).toMatchObject({ outcome: 'unavailable', attempt: null, score: null });
      expect(outcome.message).toMatch(why);
    });
  },
);
