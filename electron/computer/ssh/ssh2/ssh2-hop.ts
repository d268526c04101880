import type { ResolvedHost } from '../config/resolved-host';
import type {
  ConnectFailure,
  ConnectStage,
  OpenOptions,
  PromptPort,
  SshAnswer,
  SshQuestion,
  StageReport,
} from '../transport';

type WithoutAbout<T> = T extends unknown ? Omit<T, 'alias' | 'via' | 'target'> : never;

/** What a question is about besides the host. */
export type HopQuestion = WithoutAbout<SshQuestion>;

/** One host on the way, with whom to ask and tell about it. */
export interface HopContext {
  host: ResolvedHost;
  /** `user@host:port`. */
  target: string;
  about: { alias: string; via?: string; target: string };
  prompts: PromptPort;
  /** Aborts when the connection ends, so that its questions are withdrawn. */
  signal: AbortSignal;
  ask(question: HopQuestion): Promise<SshAnswer | null>;
  report(stage: ConnectStage, state: StageReport['state'], message: string): void;
}

/** A hop and the end of everything that belongs to it. */
export interface Hop extends HopContext {
  /** Withdraws questions. */
  end(reason: unknown): void;
}

/**
 * @param alias what the person knows the computer by, which is the last host of the way
 */
export function makeHop(host: ResolvedHost, alias: string, options: OpenOptions, isLast: boolean): Hop {
  const target = `${host.user}@${host.hostName}:${host.port}`;
  const about = { alias, ...(isLast ? {} : { via: host.alias }), target };
  const ending = new AbortController();
  const started = new Map<ConnectStage, number>();
  const forward = () => ending.abort(options.signal.reason);
  options.signal.addEventListener('abort', forward, { once: true });
  return {
    host,
    target,
    about,
    prompts: options.prompts,
    signal: ending.signal,
    ask: (question) => options.prompts.ask({ ...question, ...about } as SshQuestion, ending.signal),
    report(stage, state, message) {
      const from = started.get(stage) ?? performance.now();
      started.set(stage, from);
      options.onStage?.({
        stage,
        state,
        message,
        ...(isLast ? {} : { via: host.alias }),
        ...(state === 'running' ? {} : { ms: Math.round(performance.now() - from) }),
      });
    },
    end(reason) {
      options.signal.removeEventListener('abort', forward);
      ending.abort(reason);
    },
  };
}

/** Tells the stage it happened at, and gives it on. */
export function failed(hop: HopContext, failure: ConnectFailure): ConnectFailure {
  hop.report(failure.stage, 'failed', failure.message);
  return failure;
}
