import { type DemoModel, startDemoModel } from './demo';

/** Runs of the demo name this endpoint; wherever they are driven, the recording is served anew. */
export const demoEndpointName = 'Demo (recording)';

/** Serves the recorded policy when it is first asked for, on a free local port. */
export class DemoServer {
  readonly #options: { resourcesDir: string; paceMs: number };
  #started: Promise<DemoModel> | null = null;

  constructor(options: { resourcesDir: string; paceMs: number }) {
    this.#options = options;
  }

  async serve(): Promise<{ baseUrl: string; model: string }> {
    this.#started ??= startDemoModel(this.#options);
    const { baseUrl, model } = await this.#started;
    return { baseUrl, model };
  }

  async close(): Promise<void> {
    await (await this.#started)?.close();
    this.#started = null;
  }
}
