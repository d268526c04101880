import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { nextAnswer, parsePolicy } from './policy';

/** The advice that is worth 20 points and more in the demo task. */
export const demoHint =
  'Look for repeated paragraphs: licence clauses come back in many packages with other quotes or case. Compare the texts with case and punctuation taken out, and keep only the first copy.';

/** Advice that has nothing to do with the score; the recorded policy goes on as without it. */
export const unrelatedDemoHint = 'Please keep the comments in the filter short, and mind the time.';

/** The demo's task package. */
export function demoTaskFolder(resourcesDir: string): string {
  return join(resourcesDir, 'demo', 'task');
}

export interface DemoModel extends ScriptedModel {
  /** Model id to ask for. */
  model: string;
}

/**
 * Serves the recorded policy over HTTP on a free local port.
 * `paceMs`: delay between two pieces of an answer's stream, so that a person can follow; 0 = none.
 */
export async function startDemoModel(options: { resourcesDir: string; paceMs: number }): Promise<DemoModel> {
  const path = join(options.resourcesDir, 'demo', 'policy.json');
  const policy = parsePolicy(await readFile(path, 'utf8'), path);
  const server = await startScriptedModel({
    models: [policy.model],
    policy: (request) => {
      const { reasoning, text, call } = nextAnswer(policy, { messages: request.messages });
      return { reasoning, text, calls: [call], pieceMs: options.paceMs };
    },
  });
  return { ...server, model: policy.model };
}

/** Runs of the demo name this endpoint; wherever they are driven, the recording is served anew. */
export const demoEndpointName = 'Demo (recording)';

/** Serves the recorded policy when it is first asked for, on a free local port. */
export class DemoServer {
  private readonly options: { resourcesDir: string; paceMs: number };
  private started: Promise<DemoModel> | null = null;

  constructor(options: { resourcesDir: string; paceMs: number }) {
    this.options = options;
  }

  async serve(): Promise<{ baseUrl: string; model: string }> {
    this.started ??= startDemoModel(this.options);
    const { baseUrl, model } = await this.started;
    return { baseUrl, model };
  }

  async close(): Promise<void> {
    await (await this.started)?.close();
    this.started = null;
  }
}
