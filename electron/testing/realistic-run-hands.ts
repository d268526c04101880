import type { NewEvent } from '@shared/log/events';
import { type CallArgs, type RunPen, sha256Of, type WrittenCall } from './realistic-run-pen';
import type { RunTexts } from './realistic-run-texts';

export interface WorkFile {
  path: string;
  lines: string[];
}

export const WORKSPACE = '/data/task';
export const LOCAL = 'local';

/** Single actions of a research agent, with files that really change. `median`: of an output's length, UTF-16 units. */
export class ResearchHands {
  private readonly files: WorkFile[] = [];
  private commands = 0;

  constructor(
    private readonly pen: RunPen,
    private readonly texts: RunTexts,
    private readonly median: number,
  ) {}
  think(text = this.texts.thought(600)): void {
    const call = { name: 'think', args: { thought: text }, text: 'Noted.', data: { thought: text } };
    this.pen.answer('', [call], 'think');
  }

  shellEdit(file: WorkFile): void {
    const at = this.texts.chance.whole(file.lines.length);
    const before = file.lines.join('\n');
    file.lines[at] = `${this.texts.word()} = ${this.texts.chance.whole(1000)}`;
    this.run(`sed -i '${at + 1}s/.*/${file.lines[at]}/' ${file.path}`, {
      output: '',
      events: this.changed(file, before, 'shell'),
    });
  }

  sleep(seconds: number): void {
    const data = { sleepMs: seconds * 1000, askedMs: seconds * 1000, woken: false };
    const text = `Slept ${seconds} s.`;
    this.pen.answer(this.texts.thought(150), [
      { name: 'sleep', args: { sleep_time: seconds }, text, data, durationMs: seconds * 1000 },
    ]);
    this.pen.at += seconds * 1000;
  }

  readSession(place: { computer: string; session: string }): void {
    const name = this.texts.chance.pick(['get_session_output', 'get_session_recent_output']);
    const args = { session_id: place.session, computer_ip: place.computer };
    const state = this.texts.chance.is(0.7) ? 'busy' : 'idle';
    this.pen.answer(this.texts.thought(200), [
      { name, args, text: this.texts.log(this.length()), data: { ...place, state } },
    ]);
  }

  create(path: string, body = this.content(path)): void {
    const file = { path, lines: body.split('\n') };
    this.files.push(file);
    this.written('create_file', { filename: path, content: body }, file, null, {
      created: true,
      startLine: 1,
      endLine: file.lines.length,
    });
  }

  run(
    command: string,
    options: {
      output?: string;
      exitCode?: number;
      computer?: string;
      session?: string;
      background?: boolean;
      events?: WrittenCall['events'];
    },
  ): void {
    const { chance } = this.texts;
    const { computer = LOCAL, session = 'main', background = false } = options;
    this.commands += 1;
    const fails = options.exitCode === undefined && options.output === undefined && chance.is(0.06);
    const exitCode = options.exitCode ?? (fails ? chance.pick([1, 1, 2, 127, 137]) : 0);
    const output =
      options.output ??
      (fails ? this.texts.traceback(`${WORKSPACE}/train.py`) : this.texts.log(this.length()));
    const data = {
      computer,
      session,
      sessionId: `${computer}-${session}`,
      command,
      async: background,
      commandSeq: this.commands,
      ...(background ? { state: 'busy' } : { exitCode, commandMs: 1_200 }),
    };
    const text = background
      ? `Started in session ${session} on ${computer}. It keeps running.`
      : `Exit code ${exitCode}.\n${output}`;
    if (computer === LOCAL && !background) this.pen.print(output.slice(0, 200));
    const args = { command, session_id: session, computer_ip: computer, wait_for_completion: !background };
    const guards = chance.is(0.01)
      ? [{ rule: 'think_first', level: 'warn' as const, message: 'Think first.' }]
      : [];
    const call = {
      name: 'run_command',
      args,
      text,
      data,
      guards,
      events: options.events ?? (() => []),
      durationMs: chance.between(80, 60_000),
    };
    this.pen.answer(this.texts.thought(this.median / 8), [call]);
  }

  open(file: WorkFile): void {
    this.pen.answer(this.texts.thought(200), [this.opening(file)]);
  }

  opening(file: WorkFile): WrittenCall {
    const first = this.texts.chance.is(0.7)
      ? 0
      : this.texts.chance.whole(Math.max(1, file.lines.length - 100));
    const shown = file.lines.slice(first, first + 100);
    const text = shown.map((line, index) => `${first + index + 1}: ${line}`).join('\n');
    const data = {
      path: file.path,
      startLine: first + 1,
      endLine: first + shown.length,
      totalLines: file.lines.length,
    };
    return { name: 'open_file', args: { path: file.path, line_number: first + 1 }, text, data };
  }

  edit(file: WorkFile, warned = false): void {
    const { chance } = this.texts;
    const before = file.lines.join('\n');
    const start = chance.whole(file.lines.length) + 1;
    const end = Math.min(file.lines.length, start + chance.whole(12));
    const content = this.texts.python(chance.length(250, 2_000)).trimEnd();
    file.lines.splice(start - 1, end - start + 1, ...content.split('\n'));
    if (file.lines.length > 260) file.lines.length = 180;
    const args = { path: file.path, start, end, content };
    const more = { startLine: start, endLine: end, removedLines: end - start + 1 };
    this.written('edit_file', args, file, before, more, warned);
  }

  private written(
    name: string,
    args: CallArgs,
    file: WorkFile,
    before: string | null,
    more: Record<string, unknown>,
    warned = false,
  ): void {
    const event = this.changed(file, before, 'action');
    const data = { path: file.path, totalLines: file.lines.length, ...more };
    const guards = warned ? [{ rule: 'edit_unseen', level: 'warn' as const, message: 'Look first.' }] : [];
    const text = `Wrote ${file.path}; it has ${file.lines.length} lines now.\n${file.lines.slice(0, 12).join('\n')}`;
    this.pen.answer(this.texts.thought(250), [{ name, args, text, data, guards, events: event }]);
  }

  private changed(
    file: WorkFile,
    before: string | null,
    by: 'action' | 'shell',
  ): (step: number) => NewEvent[] {
    const text = file.lines.join('\n');
    this.pen.bytes += Buffer.byteLength(text);
    const body = {
      call: 0,
      computer: LOCAL,
      path: file.path,
      before: before === null ? null : sha256Of(before),
      after: sha256Of(text),
      size: Buffer.byteLength(text),
      beforeText: before,
      text,
      by,
    };
    return (step) => [{ kind: 'file.changed', body: { step, ...body } }];
  }

  anyFile(): WorkFile {
    // Work stays with a few files at a time.
    const recent = this.files.slice(-12);
    return this.texts.chance.pick(this.texts.chance.is(0.8) ? recent : this.files);
  }

  newPath(ending = this.texts.chance.pick(['.py', '.py', '.py', '.md', '.json', '.sh'])): string {
    const { chance } = this.texts;
    return `${WORKSPACE}/${this.texts.word()}/${this.texts.word()}_${this.texts.word()}${chance.whole(100)}${ending}`;
  }

  length(): number {
    return this.texts.chance.length(this.median, 40_000);
  }

  private content(path: string): string {
    if (path.endsWith('.json')) return this.texts.json(this.length());
    return path.endsWith('.md') ? this.texts.prose(this.length()) : this.texts.python(this.length() * 1.3);
  }
}
