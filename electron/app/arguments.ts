import { resolve } from 'node:path';

export interface AppArguments {
  smoke: boolean;
  /** Where the smoke puts `screenshot.png` and `smoke.json`. */
  out: string;
  /** Opens this workspace instead of the last one. */
  workspace: string | null;
  size: { width: number; height: number };
  /** Prints `usable <ms>` on stdout when the window can be used; the bench measures with it. */
  reportUsable: boolean;
  /** Delay between two pieces of the demo model's answers, ms. */
  demoPaceMs: number;
}

/** Slow enough that a person can read along and send a hint: the demo lasts about 45 s. */
const demoPaceMs = 80;

/** Reads our own switches; everything else on the command line belongs to Electron. */
export function readArguments(argv: readonly string[], env: NodeJS.ProcessEnv): AppArguments {
  const value = (name: string) => {
    const at = argv.indexOf(name);
    const next = at < 0 ? undefined : argv[at + 1];
    return next?.startsWith('--') ? undefined : next;
  };
  const [width, height] = (value('--size') ?? '').split('x').map(Number);
  return {
    smoke: argv.includes('--smoke'),
    out: resolve(value('--out') ?? 'smoke'),
    workspace: value('--workspace') ?? env.WAYMARK_WORKSPACE ?? null,
    size: { width: width || 1440, height: height || 900 },
    reportUsable: argv.includes('--report-usable'),
    demoPaceMs: argv.includes('--smoke') ? 0 : Number(value('--demo-pace') ?? demoPaceMs),
  };
}

/** The address that `npm run dev` serves the page from; its page gets the bridge, so a packed application knows of none. */
export function developmentServer(packed: boolean, env: NodeJS.ProcessEnv): string | null {
  return packed ? null : (env.ELECTRON_RENDERER_URL ?? null);
}
