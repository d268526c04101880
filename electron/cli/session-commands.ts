import { WaymarkError } from '@shared/contract/errors';
import type { SessionView } from '@shared/contract/views';
import { fromLineStart } from '@shared/terminal/model-text';
import { TerminalFilter } from '@shared/terminal/terminal-filter';
import { type Arguments, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';
import { named } from './run-commands';

/** Without `--all` a tail begins this far before the end, bytes. */
const lastBytes = 16 * 1024;
const pageBytes = 1024 * 1024;
/** A driver that died tells nobody: how often to look, ms. */
const lookMs = 200;
/** The last bytes of a session may be stored a moment after its end was written down. */
const quietLooks = 2;

/** `session …`: what sessions printed, from the workspace; no computer is asked. */
export async function sessionCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, name] = args.words;
  switch (verb) {
    case 'list':
      return list(context, args);
    case 'tail':
      return tail(context, args, required(name, 'The name of the session'));
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "session ${verb ?? ''}". Run "waymark --help" for the commands.`,
      );
  }
}

async function list(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { reader } = context;
  const chosen = await Promise.all((args.values.run ?? []).map((word) => named(context, word)));
  const runs = chosen.length > 0 ? chosen : (await reader.runs()).map(({ id }) => id);
  const sessions: SessionView[] = [];
  for (const run of runs) sessions.push(...(await reader.sessions(run)));
  return {
    json: {
      sessions: sessions.map(({ run, computer, session, uid, state, endOffset, exitCode, gaps }) => ({
        run,
        computer,
        session,
        uid,
        state,
        endOffset,
        exitCode,
        gaps,
      })),
    },
    lines:
      sessions.length === 0
        ? ['No sessions.']
        : table(
            sessions.map(({ run, computer, session, state, endOffset, command }) => [
              ...[run, `${computer}:${session}`, state, counted(endOffset, 'byte'), command ?? ''],
            ]),
          ),
  };
}

async function tail(context: CliContext, args: Arguments, name: string): Promise<CommandResult> {
  const { reader, terminal } = context;
  const run = await named(context, required(args.values.run?.[0], '--run'));
  const session = theOne(await reader.sessions(run), name);
  const raw = args.values.raw;
  const filter = new TerminalFilter();
  const from = args.values.all ? 0 : Math.max(0, session.endOffset - lastBytes);
  let at = from;
  let first = from > 0;
  let quiet = 0;
  const changes = new Changes(context, run);
  try {
    for (;;) {
      const over = await isOver(context, run, session.uid);
      const page = await reader.readSession(run, session.uid, at, pageBytes);
      if (page.bytes.length === 0) {
        quiet += 1;
        if (changes.stopped || (over && quiet > quietLooks)) break;
        await changes.next();
        continue;
      }
      quiet = 0;
      if (page.offset > at)
        terminal.err(`[bytes ${at} to ${page.offset} were dropped on ${session.computer}]`);
      // Somewhere in the middle: a view begins with a whole line, the raw bytes where they begin.
      const bytes = first && !raw ? fromLineStart(page.bytes) : page.bytes;
      first = false;
      at = page.offset + page.bytes.length;
      if (!(await terminal.write(raw ? bytes : filter.write(bytes)))) break;
    }
  } finally {
    changes.close();
  }
  const { uid, computer } = session;
  return { json: { run, computer, session: session.session, uid, from, to: at }, lines: [] };
}

/** The session a word means; of several lives under one name the last. */
function theOne(sessions: readonly SessionView[], word: string): SessionView {
  const exact = sessions.filter(
    ({ computer, session, uid }) => `${computer}:${session}` === word || session === word || uid === word,
  );
  const computers = [...new Set(exact.map(({ computer }) => computer))];
  if (computers.length > 1) {
    throw new WaymarkError(
      'bad_input',
      `There is a session "${word}" on ${computers.join(' and ')}. Write one of: ${computers.map((each) => `${each}:${word}`).join(', ')}.`,
    );
  }
  const found = exact.at(-1);
  if (found) return found;
  const names = [...new Set(sessions.map(({ computer, session }) => `${computer}:${session}`))];
  throw new WaymarkError(
    'not_found',
    `This run has no session "${word}". ${names.length === 0 ? 'It has none yet.' : `Its sessions are: ${names.join(', ')}.`}`,
  );
}

/** Nothing will be added any more: the session has ended, or nobody drives the run. */
async function isOver({ store, reader }: CliContext, run: string, uid: string): Promise<boolean> {
  if (!store.isDriven(run)) return true;
  const session = (await reader.sessions(run)).find((each) => each.uid === uid);
  return session === undefined || session.state === 'ended' || session.state === 'lost';
}

/** Waits for something new in the workspace, whoever writes it, or for the person's Ctrl-C. */
class Changes {
  stopped = false;
  private wake: () => void = () => undefined;
  private readonly unsubscribe: () => void;
  private readonly timer: NodeJS.Timeout;
  private readonly onSignal = () => {
    this.stopped = true;
    this.wake();
  };

  constructor({ store }: CliContext, run: string) {
    this.unsubscribe = store.subscribe((notice) => {
      if (notice.kind === 'foreign' || ('run' in notice && notice.run === run)) this.wake();
    });
    this.timer = setInterval(() => this.wake(), lookMs);
    process.once('SIGINT', this.onSignal);
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.stopped) resolve();
    });
  }

  close(): void {
    this.unsubscribe();
    clearInterval(this.timer);
    process.off('SIGINT', this.onSignal);
  }
}
