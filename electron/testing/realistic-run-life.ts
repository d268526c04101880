import { evaluated } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import { LOCAL, ResearchHands, WORKSPACE } from './realistic-run-hands';
import type { CallArgs, RunPen } from './realistic-run-pen';
import type { RunTexts } from './realistic-run-texts';

const GPU = 'gpu-1';
const CPU = 'cpu-1';

/**
 * What a research agent does, in habits of a few steps each: look and edit, run and debug, train and wait, search, evaluate,
 * plan; with the mistakes that rules look for. Each call of `live` writes one habit.
 */
export class ResearchLife {
  private best = 0;
  private score = 0;
  private evaluations = 0;
  private training = 0;

  private readonly hands: ResearchHands;

  constructor(
    private readonly pen: RunPen,
    private readonly texts: RunTexts,
    median: number,
  ) {
    this.hands = new ResearchHands(pen, texts, median);
  }

  /** Opens the sessions on other computers and creates the first files. */
  begin(): void {
    for (const [computer, session] of [
      [GPU, 'train'],
      [CPU, 'data'],
    ] as const) {
      const uid = this.texts.chance.ulid(this.pen.at);
      this.pen.add({ kind: 'session.opened', body: { computer, session, uid, rows: 40, cols: 120 } });
    }
    this.plan();
    for (const name of ['train.py', 'data/clean.py', 'README.md']) this.hands.create(`${WORKSPACE}/${name}`);
  }

  live(): void {
    const habit = this.weighted([
      [16, () => this.lookAndEdit()],
      [9, () => this.shellWork()],
      [6, () => this.debug()],
      [5, () => this.train()],
      [5, () => this.search()],
      [4, () => this.plan()],
      [2, () => this.hands.create(this.hands.newPath())],
      [2, () => this.blindEdit()],
      [2, () => this.mistake()],
      [1.5, () => this.several()],
      [1, () => this.evaluate()],
      [1, () => this.sessions()],
      [0.8, () => this.nullAnswer()],
      [0.6, () => this.framework()],
      [0.5, () => this.cleanUp()],
    ]);
    habit();
  }

  private weighted(habits: readonly [number, () => void][]): () => void {
    let left = this.texts.chance.random() * habits.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, habit] of habits) {
      left -= weight;
      if (left < 0) return habit;
    }
    return () => this.plan();
  }

  private plan(): void {
    this.hands.think(this.texts.prose(900));
  }

  private lookAndEdit(): void {
    const file = this.hands.anyFile();
    this.hands.open(file);
    if (this.texts.chance.is(0.25)) this.hands.think();
    this.hands.edit(file);
    // The second of two edits in a row is what the strict rule masks.
    if (this.texts.chance.is(0.2)) this.hands.edit(file);
    if (this.texts.chance.is(0.6))
      this.hands.run(`python ${file.path} --steps ${this.texts.chance.whole(500)}`, {});
  }

  private shellWork(): void {
    const file = this.hands.anyFile();
    const { chance } = this.texts;
    this.hands.run(
      chance.pick([
        `cat ${file.path}`,
        `sed -n '1,80p' ${file.path}`,
        `head -n 60 ${file.path}`,
        `git diff ${file.path}`,
      ]),
      {
        output: file.lines.slice(0, 80).join('\n'),
      },
    );
    if (chance.is(0.5)) this.hands.shellEdit(file);
    if (chance.is(0.3)) this.hands.edit(file);
    if (chance.is(0.5))
      this.hands.run(`wc -l ${WORKSPACE}/data/*.jsonl && nvidia-smi`, { computer: GPU, session: 'train' });
    if (chance.is(0.4))
      this.hands.run('python data/clean.py --workers 8', { computer: CPU, session: 'data' });
    if (chance.is(0.3))
      this.hands.run(`cp -r ${WORKSPACE}/outputs ${WORKSPACE}/backup_${chance.whole(100)}`, {});
  }

  /** Fails, is looked into and mended: what a keep rule for systematic debugging is about. */
  private debug(): void {
    const file = this.hands.anyFile();
    const fail = { output: this.texts.traceback(file.path), exitCode: 1 };
    this.hands.run(`python ${file.path}`, fail);
    if (this.texts.chance.is(0.6)) this.hands.open(file);
    if (this.texts.chance.is(0.3)) this.hands.think();
    this.hands.edit(file);
    this.hands.run(`python ${file.path}`, this.texts.chance.is(0.3) ? fail : {});
  }

  private train(): void {
    const { chance } = this.texts;
    this.training += 1;
    const devices = chance.is(0.2) ? 'CUDA_VISIBLE_DEVICES=0 ' : '';
    const how = chance.is(0.3) ? ' --use_lora --lora_rank 8' : '';
    const place = { computer: GPU, session: 'train' };
    this.hands.run(`${devices}torchrun --nproc_per_node 8 train.py${how} --run ${this.training}`, {
      ...place,
      background: true,
    });
    const waits = chance.between(1, 4);
    for (let wait = 0; wait < waits; wait += 1) {
      this.hands.sleep(chance.pick([30, 60, 60, 90, 300, 900]));
      if (chance.is(0.7)) this.hands.readSession(place);
    }
    if (chance.is(0.15)) {
      const data = { ...place, sessionId: 's1', killed: true };
      const args = { session_id: place.session, computer_ip: place.computer };
      this.pen.answer(this.texts.thought(200), [
        { name: 'kill_session_processes', args, text: 'Ended what ran in session train.', data },
      ]);
    } else this.hands.readSession(place);
  }

  private search(): void {
    const { chance } = this.texts;
    const term = `${this.texts.word()}_${this.texts.word()}`;
    const hits = chance.is(0.2) ? 0 : chance.between(1, 40);
    const text = hits === 0 ? `No file contains "${term}".` : this.texts.python(Math.min(3_000, hits * 90));
    if (chance.is(0.4)) {
      const query = this.texts.chance.is(0.2)
        ? this.texts.chinese(20).slice(0, 12)
        : `${term} ${this.texts.word()}`;
      const data = { query, hits };
      this.pen.answer(this.texts.thought(300), [
        { name: 'web_search', args: { query }, text: this.texts.prose(2_000), data },
      ]);
      return;
    }
    const args = { search_term: term, dir_path: WORKSPACE };
    const data = { query: term, where: WORKSPACE, hits, files: Math.ceil(hits / 3) };
    this.pen.answer(this.texts.thought(250), [{ name: 'search_dir', args, text, data }]);
  }

  /** An edit of a file that nobody looked at since something else changed it. */
  private blindEdit(): void {
    const file = this.hands.anyFile();
    this.hands.shellEdit(file);
    this.hands.sleep(5);
    this.hands.edit(file, true);
  }

  private mistake(): void {
    const { chance } = this.texts;
    const path = `${WORKSPACE}/${this.texts.word()}.py`;
    const error = chance.pick([
      { code: 'not_found', message: `There is no file ${path}.` },
      { code: 'refused', message: 'Lines outside the file.' },
      { code: 'timeout', message: 'The command took too long.' },
      { code: 'session_busy', message: 'Session main is busy.' },
    ]);
    const name =
      error.code === 'not_found' ? 'open_file' : error.code === 'refused' ? 'edit_file' : 'run_command';
    const args: CallArgs =
      name === 'run_command' ? { command: `python ${path}`, session_id: 'main' } : { path };
    const data =
      name === 'run_command' ? { computer: LOCAL, session: 'main', command: `python ${path}` } : { path };
    this.pen.answer(this.texts.thought(200), [{ name, args, text: error.message, error, data }]);
  }

  private several(): void {
    const calls = Array.from({ length: this.texts.chance.between(2, 3) }, () =>
      this.hands.opening(this.hands.anyFile()),
    );
    this.pen.answer(this.texts.thought(300), calls);
  }

  private evaluate(): void {
    const { chance } = this.texts;
    this.evaluations += 1;
    this.score = Math.min(
      95,
      Math.max(0, this.best + (chance.is(0.4) ? -chance.between(0, 15) : chance.random() * 2)),
    );
    this.score = Math.round(this.score * 10) / 10;
    this.best = Math.max(this.best, this.score);
    const available = chance.is(0.93);
    const { score } = this;
    const event = (step: number): NewEvent => ({
      kind: 'evaluation.ended',
      body: evaluated(step, available ? score : null, {
        attempt: available ? this.evaluations : null,
        raw: available ? score / 100 : null,
        metrics: { accuracy: score / 100 },
        message: available ? `Score ${score}` : 'The evaluator timed out.',
        durationMs: 42_000,
      }),
    });
    const text = available
      ? `Score ${score} of 100.\n${this.texts.json(500)}`
      : 'The evaluation could not be done.';
    this.pen.answer(this.texts.thought(300), [
      {
        name: 'eval',
        args: {},
        text,
        ok: true,
        data: { triesLeft: 3 },
        events: (step) => [event(step)],
        durationMs: 42_000,
      },
    ]);
    // Nothing has changed since: a second evaluation is wasted.
    if (chance.is(0.15)) this.evaluate();
  }

  private sessions(): void {
    const text = `main  idle  ${LOCAL}\ntrain  busy  ${GPU}\ndata  idle  ${CPU}`;
    this.pen.answer(this.texts.thought(120), [{ name: 'list_sessions', args: {}, text, data: {} }]);
  }

  private nullAnswer(): void {
    const raw = this.texts.chance.is(0.5) ? { name: 'run_command', arguments: '{"command": "ls' } : null;
    this.pen.teach(this.texts.thought(400), raw);
  }

  /** Direct generation where the task asks for a server: in a file, and in the command that runs it. */
  private framework(): void {
    const path = this.hands.newPath('.py');
    const code = `from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained("m")\nprint(model.generate(**inputs))\n${this.texts.python(800)}`;
    this.hands.create(path, code);
    this.hands.run(`python ${path} --max_new_tokens 512`, { computer: GPU, session: 'train' });
  }

  private cleanUp(): void {
    this.hands.run(`rm -rf ${WORKSPACE}/outputs/old_${this.texts.chance.whole(50)} && ls -la ${WORKSPACE}`, {
      output: this.texts.chart(),
    });
  }
}
