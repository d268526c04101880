import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Author } from '@shared/log/annotations';
import { ModelText } from '@shared/terminal/model-text';
import { app, type BrowserWindow } from 'electron';
import { startDemoRun } from '../demo/start-demo-run';
import type { Workbench } from '../workbench';
import type { FileLog } from './log';

const deadlineMs = 120_000;
/** The whole smoke run, from the opening of its workspace to the end of the process. */
const wholeMs = 180_000;
const stepMs = 50;

export interface SmokeInput {
  window: BrowserWindow;
  workbench: Workbench;
  /** Who starts the demo. */
  author: Author;
  resourcesDir: string;
  out: string;
  runtime: Record<string, string>;
  /** Milliseconds since the process started, by name. */
  timings: Record<string, number>;
  watch: SmokeWatch;
}

/**
 * What a smoke run is at, and its limit: whatever it waits for in vain, `smoke.json`, the log and standard error say what that was,
 * and the application ends. Nothing on a machine that nobody looks at may stand still without a word.
 */
export class SmokeWatch {
  private stage = 'the workspace to open';

  constructor(out: string, timings: Record<string, number>, log: Pick<FileLog, 'error'>) {
    setTimeout(() => {
      mkdirSync(out, { recursive: true });
      const facts = { ok: false, waitedFor: this.stage, timings };
      writeFileSync(join(out, 'smoke.json'), `${JSON.stringify(facts, null, 2)}\n`);
      const words = `The smoke run has waited for ${this.stage}, and gives up after ${wholeMs / 1000} s.`;
      log.error(words);
      process.stderr.write(`${words}\n`);
      app.exit(1);
    }, wholeMs);
  }

  waitsFor(stage: string): void {
    this.stage = stage;
  }
}

interface SmokeFacts {
  runtime: Record<string, string>;
  timings: Record<string, number>;
  run: string;
  steps: { store: number; window: number };
  terminal: { store: string; window: string };
  ok: boolean;
}

/**
 * Starts the demo, waits until the run has ended and the window shows all of it, counts the timeline's rows in the
 * accessibility tree, reads the terminal's last line off the screen, compares both with the store and writes
 * `smoke.json` and `screenshot.png` into `out`. Returns false when window and store differ.
 */
export async function smoke(input: SmokeInput): Promise<boolean> {
  const { window, workbench, out, watch } = input;
  watch.waitsFor('the demo to start');
  const run = await startDemoRun(workbench, input);
  await mkdir(out, { recursive: true });
  watch.waitsFor('the demo to end');
  await workbench.engine.waitRun(run);
  input.timings.runEnded = sinceStart();
  watch.waitsFor('the store');
  const stored = await storedFacts(workbench, run);
  watch.waitsFor('the window to show the run');
  const tree = window.webContents.debugger;
  tree.attach('1.3');
  await tree.sendCommand('Accessibility.enable');
  const seen = { rows: new Set<number>(), line: '' };
  const painted = await until(async () => {
    await collectRows(tree, seen.rows, stored.steps);
    seen.line = await lastTerminalLine(tree);
    return seen.rows.size === stored.steps && seen.line === stored.line;
  });
  input.timings.painted = sinceStart();
  tree.detach();
  const facts: SmokeFacts = {
    runtime: input.runtime,
    timings: input.timings,
    run,
    steps: { store: stored.steps, window: seen.rows.size },
    terminal: { store: stored.line, window: seen.line },
    ok: painted,
  };
  watch.waitsFor('a picture of the window');
  const taken = window.webContents.capturePage();
  // A picture is of the next frame, and a page at rest draws none by itself.
  window.webContents.invalidate();
  const picture = await taken;
  await writeFile(join(out, 'screenshot.png'), picture.toPNG());
  await writeFile(join(out, 'smoke.json'), `${JSON.stringify(facts, null, 2)}\n`);
  watch.waitsFor('the sessions to end');
  await workbench.engine.cleanSessions(new Set());
  watch.waitsFor('the application to close');
  return painted;
}

/** Milliseconds since this process was spawned. */
export function sinceStart(): number {
  return Math.round(process.uptime() * 1000);
}

async function storedFacts(workbench: Workbench, run: string): Promise<{ steps: number; line: string }> {
  const { reader } = workbench.store;
  await workbench.store.drain();
  const summary = await reader.run(run);
  const sessions = await reader.sessions(run);
  const session = sessions[0];
  if (!session) return { steps: summary.steps, line: '' };
  const text = new ModelText();
  let whole = '';
  for (let offset = 0; offset < session.endOffset; ) {
    const chunk = await reader.readSession(run, session.uid, offset, 256 * 1024);
    if (chunk.bytes.length === 0) break;
    whole += text.push(chunk.bytes);
    offset = chunk.offset + chunk.bytes.length;
  }
  whole += text.end();
  return { steps: summary.steps, line: lastLine(whole) };
}

function lastLine(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.trimEnd())
      .findLast((line) => line !== '') ?? ''
  );
}

interface AxNode {
  role?: { value?: string };
  name?: { value?: string };
}

/** Rows are virtual: every screenful is asked for by keyboard-free scrolling, and each row names its step first. */
async function collectRows(tree: Electron.Debugger, rows: Set<number>, total: number): Promise<void> {
  for (let page = 0; page <= Math.ceil(total / 8) && rows.size < total; page += 1) {
    await tree.sendCommand('Runtime.evaluate', {
      expression: `(() => { const grid = document.querySelector('[role=grid]'); if (grid) grid.scrollTop = ${page} * 160; })()`,
    });
    await new Promise((resolve) => setTimeout(resolve, stepMs));
    const { nodes } = (await tree.sendCommand('Accessibility.getFullAXTree')) as { nodes: AxNode[] };
    for (const node of nodes) {
      const step = node.role?.value === 'row' ? /^(\d+)\b/.exec(node.name?.value ?? '')?.[1] : undefined;
      if (step) rows.add(Number(step));
    }
  }
}

async function lastTerminalLine(tree: Electron.Debugger): Promise<string> {
  const { result } = (await tree.sendCommand('Runtime.evaluate', {
    expression: `[...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent.replace(/\\u00a0/g, ' ').trimEnd()).filter(Boolean).at(-1) ?? ''`,
    returnByValue: true,
  })) as { result: { value?: string } };
  return result.value ?? '';
}

async function until(met: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + deadlineMs;
  while (performance.now() < end) {
    if (await met()) return true;
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
  return false;
}

/** A row of the timeline, or the first use's own page: what a person can act on. */
const CONTENT = '[role=grid] [role=row][data-step], .first-use';

/** Resolves when the window's first content is painted and it takes keys: it is there, and two frames have passed. */
export async function whenUsable(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`new Promise((resolve) => {
    const look = () => document.querySelector(${JSON.stringify(CONTENT)}) === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => requestAnimationFrame(resolve));
    look();
  })`);
}
