import { writeFile } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { HostComputer } from '../computer/hosts';
import type { CommandOutcome } from '../computer/port';
import type { EvaluatingMachine, EvaluatorOrder } from './evaluating-machine';
import { quoted, runScript } from './host-script';
import { listPackage } from './package-files';
import type { ProcessOutcome } from './run-process';
import { isUploaded, upload } from './upload';

export interface HostEvaluatorOptions {
  host: HostComputer;
  run: string;
  /** Does a piece of work; comes back from broken links by doing it again. */
  attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Every evaluation has a folder and a session of its own, so that none finds another's. */
const sessionOf = ({ folder }: EvaluatorOrder) => `evaluation-${basename(folder)}`;
const terminal = { rows: 40, cols: 160 };
/** Of what it printed, as much as on the driver's machine: the beginning and the end. */
const keepBytes = 64 * 1024;
const maxResultBytes = 1024 * 1024;

/**
 * Evaluates on a host: evaluator and inputs are copied there, the command runs in a session that outlives the link,
 * and the result is fetched. What was copied is removed again; the evaluator never lies where an action could look.
 */
export class HostEvaluator implements EvaluatingMachine {
  constructor(private readonly options: HostEvaluatorOptions) {}

  async missing(programs: readonly string[], signal: AbortSignal): Promise<string[]> {
    const { host, attempt } = this.options;
    const lines = programs.map(
      (name) => `command -v ${quoted(name)} >/dev/null 2>&1 || echo ${quoted(name)}`,
    );
    const output = await attempt(() => runScript(host, [...lines, 'true'].join('\n')), signal);
    return output.split('\n').filter((name) => programs.includes(name));
  }

  async run(order: EvaluatorOrder): Promise<ProcessOutcome> {
    const { host, run, attempt } = this.options;
    const started = performance.now();
    const { homeDir } = await attempt(() => host.probe(), order.signal);
    const folder = posix.join(homeDir, 'waymark/evaluations', run, basename(order.folder));
    try {
      const place = {
        evaluator: posix.join(folder, 'evaluator'),
        inputs: posix.join(folder, 'inputs'),
        home: posix.join(folder, 'home'),
      };
      await this.#copy(order.evaluator, place.evaluator, order.signal);
      await this.#copy(order.inputs, place.inputs, order.signal);
      await this.#copyList(order, folder);
      const outcome = await attempt(() => this.#command(order, folder, place), order.signal);
      const ended = await attempt(() => this.#ended(order, folder, outcome), order.signal);
      return { ...ended, durationMs: Math.round(performance.now() - started) };
    } finally {
      await this.#leave(folder, order);
    }
  }

  async #copy(source: string, target: string, signal: AbortSignal): Promise<void> {
    const { host, attempt } = this.options;
    const { entries } = await listPackage(source);
    const order = { host, source, entries, target, signal };
    await attempt(async () => {
      if (!(await isUploaded(order))) await upload(order);
    }, signal);
  }

  async #copyList({ changedList, signal }: EvaluatorOrder, folder: string): Promise<void> {
    const { host, attempt } = this.options;
    const name = basename(changedList);
    const source = changedList.slice(0, -name.length - 1);
    const entries = (await listPackage(source)).entries.filter(({ path }) => path === name);
    await attempt(() => upload({ host, source, entries, target: folder, signal }), signal);
  }

  /** Runs it, or waits for it where it was started before the link broke. */
  async #command(
    order: EvaluatorOrder,
    folder: string,
    place: { evaluator: string; inputs: string; home: string },
  ): Promise<CommandOutcome> {
    const { sessions, files } = this.options.host;
    const session = sessionOf(order);
    await files.makeDirectory(place.home);
    const info =
      (await sessions.find(session)) ??
      (await sessions.create({ name: session, cwd: place.inputs, env: {}, ...terminal }));
    if (info.commandSeq === 0) {
      const variables = {
        HOME: place.home,
        TMPDIR: place.home,
        WAYMARK_EVALUATOR: place.evaluator,
        WAYMARK_INPUTS: place.inputs,
        WAYMARK_RESULT: posix.join(folder, 'result.json'),
        WAYMARK_PROTECTED_CHANGED: posix.join(folder, basename(order.changedList)),
      };
      const set = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
      const [out, err] = ['stdout', 'stderr'].map((name) => quoted(posix.join(folder, name)));
      const line = `env ${set.join(' ')} sh -c ${quoted(order.command)} > ${out} 2> ${err} < /dev/null`;
      await sessions.run(session, line);
    }
    const outcome = await sessions.waitCommand(session, 1, {
      timeoutMs: order.timeoutMs,
      signal: order.signal,
    });
    if (outcome.timedOut) await sessions.signal(session, 'KILL');
    return outcome;
  }

  async #ended(
    order: EvaluatorOrder,
    folder: string,
    { timedOut, exitCode }: CommandOutcome,
  ): Promise<Omit<ProcessOutcome, 'durationMs'>> {
    const { files } = this.options.host;
    const printed = await this.#ends(posix.join(folder, 'stdout'));
    const complained = await this.#ends(posix.join(folder, 'stderr'));
    const result = posix.join(folder, 'result.json');
    if ((await files.stat(result))?.kind === 'file') {
      const { bytes } = await files.read(result, { maxBytes: maxResultBytes });
      await writeFile(order.result, bytes);
    }
    const lines = printed.split('\n').filter((text) => text.trim() !== '');
    return {
      ended: timedOut ? 'timeout' : exitCode === null ? 'signal' : 'exit',
      exitCode,
      signal: exitCode === null ? 'the end of its session' : null,
      output: printed + complained,
      lastLine: lines.at(-1)?.trim() ?? '',
    };
  }

  /** Beginning and end of a text file that may be long. */
  async #ends(path: string): Promise<string> {
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
  async #leave(folder: string, order: EvaluatorOrder): Promise<void> {
    const { host, attempt } = this.options;
    const { signal } = order;
    const session = sessionOf(order);
    const clean = async () => {
      if (await host.sessions.find(session)) await host.sessions.close(session);
      await runScript(host, `rm -rf ${quoted(folder)}`);
    };
    try {
      await (signal.aborted ? clean() : attempt(clean, signal));
    } catch (error) {
      // The evaluation is what counts: leavings lie where no action reaches, and `clean` ends the session.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
    }
  }
}
