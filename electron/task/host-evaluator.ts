import { writeFile } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import { shellQuote } from '../base/shell-quote';
import type { HostComputer } from '../computer/hosts';
import type { CommandOutcome } from '../computer/port';
import type { EvaluatingMachine } from './evaluating-machine';
import type { EvaluatorOrder, MachineOrder, SubmissionOrder } from './evaluator-sandbox';
import { listPackage } from './package-files';
import type { ProcessOutcome } from './run-process';
import { isUploaded, runScript, upload } from './upload';

export interface HostEvaluatorOptions {
  host: HostComputer;
  run: string;
  /** Does a piece of work; comes back from broken links by doing it again. */
  attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

type PlaceOrder = Pick<MachineOrder, 'folder' | 'signal'>;
/** Every evaluation has a folder and sessions of its own, so that none finds another's. */
const sessionOf = ({ folder }: PlaceOrder) => `evaluation-${basename(folder)}`;
const submissionOf = (order: PlaceOrder) => `${sessionOf(order)}-run`;
const terminal = { rows: 40, cols: 160 };
/** Of what it printed, as much as on the driver's machine: the beginning and the end. */
const keepBytes = 64 * 1024;
const maxResultBytes = 1024 * 1024;
/** From one look at what was written to the next, ms; one file alone is stopped by the kernel. */
const lookMs = 2_000;

/** One command in a session of its own. */
interface SessionLine {
  /** Of the evaluation, on the host. */
  folder: string;
  session: string;
  cwd: string;
  /** Goes before the names of the files that keep what it prints. */
  output: string;
}

/**
 * Evaluates on a host: evaluator and inputs are copied there, the command runs in a session that outlives the link,
 * and the result is fetched. What was copied is removed again; the evaluator never lies where an action could look.
 */
export class HostEvaluator implements EvaluatingMachine {
  constructor(private readonly options: HostEvaluatorOptions) {}

  async missing(programs: readonly string[], signal: AbortSignal): Promise<string[]> {
    const { host, attempt } = this.options;
    const lines = programs.map(
      (name) => `command -v ${shellQuote(name)} >/dev/null 2>&1 || echo ${shellQuote(name)}`,
    );
    const output = await attempt(() => runScript(host, [...lines, 'true'].join('\n')), signal);
    return output.split('\n').filter((name) => programs.includes(name));
  }

  async runSubmission(order: SubmissionOrder): Promise<ProcessOutcome> {
    const started = performance.now();
    const folder = await this.folder(order);
    const there = { inputs: posix.join(folder, 'inputs'), home: posix.join(folder, 'run-home') };
    await this.copy(order.inputs, there.inputs, order.signal);
    const line = { folder, session: submissionOf(order), cwd: there.inputs, output: 'run.' };
    const variables = { HOME: there.home, TMPDIR: there.home, WAYMARK_INPUTS: there.inputs };
    const ended = await this.inSession(order, line, variables);
    const odd = await this.script(
      `cd ${shellQuote(there.inputs)} && find . ! -type f ! -type d | head -n 1; rm -rf ${shellQuote(there.home)}; chmod -R a-w ${shellQuote(there.inputs)}`,
      order.signal,
    );
    if (odd.trim() !== '')
      throw new Error(`evaluation.run left ${odd.trim()}, which is neither a regular file nor a folder`);
    return { ...ended, durationMs: Math.round(performance.now() - started) };
  }

  async run(order: EvaluatorOrder): Promise<ProcessOutcome> {
    const started = performance.now();
    const folder = await this.folder(order);
    try {
      const there = {
        evaluator: posix.join(folder, 'evaluator'),
        inputs: posix.join(folder, 'inputs'),
        home: posix.join(folder, 'home'),
        result: posix.join(folder, 'result.json'),
      };
      await this.refuseResult(there.result, order.signal);
      await this.copy(order.evaluator, there.evaluator, order.signal);
      if (!order.submitted) await this.copy(order.inputs, there.inputs, order.signal);
      await this.copyList(order, folder);
      const variables = {
        HOME: there.home,
        TMPDIR: there.home,
        WAYMARK_EVALUATOR: there.evaluator,
        WAYMARK_INPUTS: there.inputs,
        WAYMARK_RESULT: there.result,
        WAYMARK_PROTECTED_CHANGED: posix.join(folder, basename(order.changedList)),
      };
      const line = { folder, session: sessionOf(order), cwd: there.inputs, output: '' };
      const ended = await this.inSession(order, line, variables);
      await this.options.attempt(() => this.fetchResult(there.result, order), order.signal);
      return { ...ended, durationMs: Math.round(performance.now() - started) };
    } finally {
      await this.leaveAt(folder, order);
    }
  }

  async leave(order: PlaceOrder): Promise<void> {
    await this.leaveAt(await this.folder(order), order);
  }

  private async folder({ folder, signal }: PlaceOrder): Promise<string> {
    const { host, run, attempt } = this.options;
    const { homeDir } = await attempt(() => host.probe(), signal);
    return posix.join(homeDir, 'waymark/evaluations', run, basename(folder));
  }

  private script(script: string, signal: AbortSignal): Promise<string> {
    const { host, attempt } = this.options;
    return attempt(() => runScript(host, script), signal);
  }

  /** What is there before the evaluator starts is not its own. */
  private async refuseResult(result: string, signal: AbortSignal): Promise<void> {
    const there = `if [ -e ${shellQuote(result)} ] || [ -L ${shellQuote(result)} ]; then echo there; fi`;
    if ((await this.script(there, signal)).trim() === '') return;
    throw new Error('a result existed before the evaluator was started, so something else created it');
  }

  private async copy(source: string, target: string, signal: AbortSignal): Promise<void> {
    const { host, attempt } = this.options;
    const { entries } = await listPackage(source);
    const order = { host, source, entries, target, signal };
    await attempt(async () => {
      if (!(await isUploaded(order))) await upload(order);
    }, signal);
  }

  private async copyList({ changedList, signal }: EvaluatorOrder, folder: string): Promise<void> {
    const { host, attempt } = this.options;
    const name = basename(changedList);
    const source = changedList.slice(0, -name.length - 1);
    const entries = (await listPackage(source)).entries.filter(({ path }) => path === name);
    await attempt(() => upload({ host, source, entries, target: folder, signal }), signal);
  }

  /** Runs the order's command in a session of its own, which is closed, with all that it started, before this resolves. */
  private async inSession(
    order: MachineOrder,
    line: SessionLine,
    variables: Readonly<Record<string, string>>,
  ): Promise<Omit<ProcessOutcome, 'durationMs'>> {
    const { attempt } = this.options;
    const until = performance.now() + order.timeoutMs;
    const outcome = await attempt(() => this.command(order, line, variables, until), order.signal);
    return attempt(() => this.ended(line, outcome), order.signal);
  }

  /** Runs it, or waits for it where it was started before the link broke. */
  private async command(
    order: MachineOrder,
    { folder, session, cwd, output }: SessionLine,
    variables: Readonly<Record<string, string>>,
    until: number,
  ): Promise<CommandOutcome & { tooMuch: boolean }> {
    const { sessions, files } = this.options.host;
    await files.makeDirectory(variables.HOME ?? folder);
    const info =
      (await sessions.find(session)) ?? (await sessions.create({ name: session, cwd, env: {}, ...terminal }));
    if (info.commandSeq === 0) {
      const set = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`);
      const [out, err] = ['stdout', 'stderr'].map((name) => shellQuote(posix.join(folder, output + name)));
      const blocks = Math.ceil(order.limit.most / 512);
      const limited = shellQuote(`ulimit -f ${blocks} 2>/dev/null; exec sh -c "$1"`);
      await sessions.run(
        session,
        `env ${set.join(' ')} sh -c ${limited} sh ${shellQuote(order.command)} > ${out} 2> ${err} < /dev/null`,
      );
    }
    for (;;) {
      const left = until - performance.now();
      const timeoutMs = Math.max(1, Math.min(lookMs, left));
      const outcome = await sessions.waitCommand(session, 1, { timeoutMs, signal: order.signal });
      const tooMuch = await this.tooMuch(folder, order);
      if (!outcome.timedOut && !tooMuch) return { ...outcome, tooMuch };
      if (left > lookMs && !tooMuch) continue;
      await sessions.signal(session, 'KILL');
      return { ...outcome, tooMuch };
    }
  }

  /** What lies in the folder there is what was sent and what was written. */
  private async tooMuch(folder: string, { limit }: MachineOrder): Promise<boolean> {
    const used = await runScript(this.options.host, `du -sk ${shellQuote(folder)} 2>/dev/null | cut -f1`);
    return Number(used.trim()) * 1024 >= limit.most + limit.sent();
  }

  private async ended(
    { folder, session, output }: SessionLine,
    { timedOut, exitCode, tooMuch }: CommandOutcome & { tooMuch: boolean },
  ): Promise<Omit<ProcessOutcome, 'durationMs'>> {
    const { sessions } = this.options.host;
    // Whatever it left running is gone before anything that it wrote is read.
    if (await sessions.find(session)) await sessions.close(session);
    const printed = await this.ends(posix.join(folder, `${output}stdout`));
    const complained = await this.ends(posix.join(folder, `${output}stderr`));
    const lines = printed.split('\n').filter((text) => text.trim() !== '');
    return {
      ended: tooMuch ? 'too_much' : timedOut ? 'timeout' : exitCode === null ? 'signal' : 'exit',
      exitCode,
      signal: exitCode === null ? 'the end of its session' : null,
      output: printed + complained,
      lastLine: lines.at(-1)?.trim() ?? '',
    };
  }

  /** @throws Error when there is something else than a regular file of that name */
  private async fetchResult(result: string, order: EvaluatorOrder): Promise<void> {
    const { host } = this.options;
    const at = shellQuote(result);
    const look = `if [ -L ${at} ]; then echo a link; elif [ -f ${at} ]; then echo file; elif [ -e ${at} ]; then echo not a regular file; fi`;
    const kind = (await runScript(host, look)).trim();
    if (kind === '') return;
    if (kind !== 'file') throw new Error(`its result (WAYMARK_RESULT) is ${kind}`);
    const { bytes } = await host.files.read(result, { maxBytes: maxResultBytes });
    await writeFile(order.result, bytes);
  }

  /** Beginning and end of a text file that may be long. */
  private async ends(path: string): Promise<string> {
    const { files } = this.options.host;
    const size = (await files.stat(path))?.size ?? 0;
    if (size === 0) return '';
    const text = async (from: number, to: number) =>
      Buffer.from((await files.readRange(path, from, to - from)).bytes).toString('utf8');
    if (size <= 2 * keepBytes) return text(0, size);
    const left = size - 2 * keepBytes;
    return `${await text(0, keepBytes)}\n... ${left} bytes left out ...\n${await text(size - keepBytes, size)}`;
  }

  /** Whatever came of it, the keys do not stay there; after a cancel only as far as the link allows at once. */
  private async leaveAt(folder: string, order: PlaceOrder): Promise<void> {
    const { host, attempt } = this.options;
    const { signal } = order;
    const clean = async () => {
      for (const session of [submissionOf(order), sessionOf(order)])
        if (await host.sessions.find(session)) await host.sessions.close(session);
      await runScript(host, `chmod -R u+w ${shellQuote(folder)} 2>/dev/null; rm -rf ${shellQuote(folder)}`);
    };
    try {
      await (signal.aborted ? clean() : attempt(clean, signal));
    } catch (error) {
      // The evaluation is what counts: leavings lie where no action reaches, and `clean` ends the session.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
    }
  }
}
