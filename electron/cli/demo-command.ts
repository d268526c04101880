import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { exportDataset } from '../dataset/export-dataset';
import { demoHint } from '../demo/demo';
import { startDemoRun } from '../demo/start-demo-run';
import { removeAt } from '../files/remove';
import { openWorkbench } from '../open-workbench';
import { SettingsFile } from '../settings-file';
import { makeFolder } from '../store/file/make-folder';
import type { Workbench } from '../workbench';
import type { Arguments } from './arguments';
import { type CommandResult, counted, headlessLog, type Terminal } from './output';

const undecided = 'train';
/** The hint is queued once the agent has come this far. */
const hintAfterStep = 3;

/**
 * The whole line once, without a display: the demo task twice on real local sessions (without and with the
 * hint), rules, one label by hand, export with a named waiver, verify. Settings stay inside the output folder.
 */
export async function demoCommand(
  args: Arguments,
  resourcesDir: string,
  terminal: Terminal,
): Promise<CommandResult> {
  const out = args.values.out ? resolve(args.values.out) : await mkdtemp(join(tmpdir(), 'waymark-demo-'));
  makeFolder(out);
  const say = (line: string) => terminal.err(line);
  const settings = await SettingsFile.open(join(out, 'settings'));
  const author = { ...settings.current.annotator, name: 'demo' };
  const folder = join(out, 'workspace');
  const bench = await openWorkbench(folder, {
    settings,
    data: dirname(settings.path),
    findKey: () => null,
    resourcesDir,
    log: headlessLog(terminal),
    demoPaceMs: 0,
  });
  try {
    say('Run 1 of 2: without a hint');
    const plain = await startDemoRun(bench, { author, resourcesDir });
    await bench.engine.waitRun(plain);
    say('Run 2 of 2: with a hint, queued while the agent works');
    const guided = await startDemoRun(bench, { author, resourcesDir });
    await stepReached(bench, guided, hintAfterStep);
    await bench.engine.hint(guided, author, demoHint, 'strategy');
    await bench.engine.waitRun(guided);
    const { steps } = await bench.store.reader.run(guided);
    await bench.store.writer.annotate(
      author,
      { run: guided, from: steps, to: steps },
      { op: 'label', value: 'train', reason: null },
    );
    say('Exporting and verifying');
    return await report(bench, { out, folder, plain, guided });
  } finally {
    // Sessions outlive the application; nobody comes back for those of the demo.
    const { folders } = await bench.engine.cleanSessions(new Set());
    for (const each of folders) await removeAt(each, { kind: 'folder' });
    await bench.close();
  }
}

/** Resolves when the run's log holds an answer to that step. */
function stepReached(bench: Workbench, run: string, step: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = bench.store.subscribe((notice) => {
      if (notice.kind !== 'run' || notice.run !== run || notice.steps < step) return;
      stop();
      resolve();
    });
  });
}

async function report(
  bench: Workbench,
  { out, folder, plain, guided }: { out: string; folder: string; plain: string; guided: string },
): Promise<CommandResult> {
  const { reader } = bench.store;
  const dataset = await exportDataset(reader, {
    format: 'slime',
    out: join(out, 'dataset'),
    runs: [guided],
    undecided,
    preset: 'default',
    signal: new AbortController().signal,
  });
  const verified = await reader.verify();
  const [without, withHint] = [await reader.run(plain), await reader.run(guided)];
  const hints = (await reader.hints(guided)).hints;
  const json = {
    workspace: folder,
    dataset: join(out, 'dataset'),
    runs: { withoutHint: plain, withHint: guided },
    scores: { withoutHint: without.scores.final, withHint: withHint.scores.final },
    hints: hints.map(({ id, state, step }) => ({ id, state, step })),
    labels: withHint.labels,
    export: dataset,
    verify: verified,
  };
  return {
    json,
    lines: [
      `Workspace  ${folder}`,
      `Without    run ${plain}: ${counted(without.steps, 'step')}, final score ${points(without.scores.final)}`,
      `With hint  run ${guided}: ${counted(withHint.steps, 'step')}, final score ${points(withHint.scores.final)}`,
      ...hints.map(
        (hint) =>
          `Hint       ${hint.state}${hint.step === null ? '' : ` after step ${hint.step}`}: ${hint.text}`,
      ),
      `Labels     train ${withHint.labels.train}, mask ${withHint.labels.mask}, undecided ${withHint.labels.undecided} (waived: --undecided ${undecided})`,
      `Dataset    ${join(out, 'dataset')}: ${counted(dataset.rows, 'row')}, ${counted(dataset.trained, 'step')} trained, ${dataset.masked} masked`,
      verified.ok
        ? 'Verified   every chain, text, prompt and session log'
        : 'Verified   PROBLEMS FOUND, see: verify',
    ],
    ...(verified.ok ? {} : { exitCode: 1 as const }),
  };
}

function points(score: number | null): string {
  return score === null ? '–' : score.toFixed(1);
}
