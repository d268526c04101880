import { type EventBody, type NewEvent, validCalls } from '@shared/log/events';
import { placeOf } from '@shared/runs/detectors/own-jobs';
import { joinShellPath } from '@shared/shell/shell-command';
import { type CommandFact, commandFact } from './command-facts';
import { FileSight } from './file-sight';
import type { FollowedFiles } from './followed-files';
import { JobSight, type OwnJob } from './job-sight';
import type { EndedCommand, EventFacts, FileWrite } from './rule';

/** Commands whose end is still open, at most. */
const OPEN = 64;
/** Texts longer than this are looked at only so far, characters. */
const LONGEST_TEXT = 400_000;

type Observed = Extract<NewEvent, { kind: 'action.observed' }>;

/** Folds once what several rules ask about an event. */
export class FactsFold {
  private readonly sight: FileSight;
  private readonly jobs = new JobSight();
  /** By session and number of the command. */
  private readonly open = new Map<string, CommandFact>();
  private readonly killed = new Set<string>();
  /** Revisions of the call that runs, by path. */
  private revisions = new Map<string, { before: boolean; text: string | null; beforeText: string | null }>();
  private started: EventBody<'action.started'> | null = null;
  /** Valid calls of the latest answer that have no observation yet. */
  private left = 0;

  constructor(
    private readonly root: string,
    followed: FollowedFiles | null,
  ) {
    this.sight = new FileSight(root, followed);
  }

  apply(event: NewEvent): EventFacts {
    const jobs = this.jobs.running();
    if (event.kind === 'action.observed') return this.observed(event, jobs);
    if (event.kind === 'model.answered') {
      this.left = validCalls(event.body).length;
    } else if (event.kind === 'action.started') {
      this.started = event.body;
      this.revisions = new Map();
    } else if (event.kind === 'file.changed') this.revised(event.body);
    this.sight.apply(event);
    this.jobs.apply(event, null);
    return { edits: [], command: null, writes: [], ended: [], jobs, last: false };
  }

  private observed(event: Observed, jobs: readonly OwnJob[]): EventFacts {
    this.left -= 1;
    const edits = this.sight.apply(event);
    const command = this.commandOf(event);
    const facts: EventFacts = {
      edits,
      command,
      writes: this.written(event.body, command),
      ended: this.endedOf(event, command),
      jobs,
      last: this.left <= 0,
    };
    this.jobs.apply(event, command);
    return facts;
  }

  private commandOf(event: Observed): CommandFact | null {
    const { step, name, error, data, closedBy } = event.body;
    if (closedBy === 'not_run') return null;
    if (name !== 'run_command' || typeof data.command !== 'string') return null;
    if (error !== null && typeof data.commandSeq !== 'number') return null;
    const background = data.async === true && typeof data.exitCode !== 'number';
    return commandFact(step, data.command, placeOf(data), background);
  }

  private endedOf(event: Observed, command: CommandFact | null): EndedCommand[] {
    const { step, name, error, data, text } = event.body;
    const exitCode = typeof data.exitCode === 'number' ? data.exitCode : null;
    const key = commandKey(data);
    if (command !== null) {
      if (exitCode !== null)
        return error === null ? [{ command, exitCode, seenAt: step, killed: false, text }] : [];
      if (key !== null && error === null) this.remember(key, command);
      return [];
    }
    if (name === 'kill_session_processes' || name === 'input_in_session' || name === 'close_session') {
      const place = placeOf(data);
      const ends = name !== 'input_in_session' || data.input === '\u0003';
      if (place !== null && ends) this.killed.add(`${place.computer}:${place.session}`);
    }
    const begun = key === null ? undefined : this.open.get(key);
    if (key === null || begun === undefined || exitCode === null || name === 'run_command') return [];
    this.open.delete(key);
    const killed = this.killed.delete(begun.place);
    return [{ command: begun, exitCode, seenAt: step, killed, text }];
  }

  private remember(key: string, command: CommandFact): void {
    this.killed.delete(command.place);
    this.open.set(key, command);
    const oldest = this.open.keys().next().value;
    if (this.open.size > OPEN && oldest !== undefined) this.open.delete(oldest);
  }

  private revised({ path, before, text, beforeText, after }: EventBody<'file.changed'>): void {
    const known = this.revisions.get(path);
    if (after === null) return;
    this.revisions.set(path, {
      before: known?.before ?? before !== null,
      text,
      beforeText: known?.beforeText ?? beforeText,
    });
  }

  private written(
    { step, name, ok, data, closedBy }: Observed['body'],
    command: CommandFact | null,
  ): FileWrite[] {
    const { revisions } = this;
    const started = this.started;
    this.started = null;
    this.revisions = new Map();
    if (closedBy === 'not_run') return [];
    const writes = [...revisions].map(([path, { before, text, beforeText }]): FileWrite => {
      const whole = text?.slice(0, LONGEST_TEXT) ?? null;
      return {
        step,
        path,
        created: !before,
        text: whole,
        added: addedText(whole, before ? beforeText : null),
      };
    });
    const path = typeof data.path === 'string' ? data.path : null;
    if (ok && path !== null && (name === 'create_file' || name === 'edit_file') && !revisions.has(path)) {
      const content = String(started?.args.content ?? '').slice(0, LONGEST_TEXT);
      const whole = name === 'create_file' ? content : null;
      writes.push({ step, path, created: data.created === true, text: whole, added: content });
    }
    for (const { path: target, text } of command === null ? [] : heredocFiles(command)) {
      const place = joinShellPath(this.root, target);
      if (!writes.some((write) => write.path === place || write.path.endsWith(`/${target}`))) {
        writes.push({ step, path: place, created: true, text, added: text });
      }
    }
    return writes;
  }
}

/** Files that a command writes from here-documents: `cat > f <<E`. */
function heredocFiles({ simples }: CommandFact): { path: string; text: string }[] {
  return simples.flatMap((simple) => {
    if (simple.heredocs.length === 0) return [];
    const text = simple.heredocs.map((heredoc) => heredoc.text).join('\n');
    if (text === '' || !/^(?:cat|tee)$/.test(simple.argv[0] ?? '')) return [];
    const target = simple.redirects.find(({ operator }) => operator.startsWith('>'))?.target;
    const named = target ?? (simple.argv[0] === 'tee' ? simple.argv[1] : null);
    return typeof named === 'string'
      ? [{ path: joinShellPath(simple.directory, named), text: text.slice(0, LONGEST_TEXT) }]
      : [];
  });
}

/** Lines of `text` that were not in `before`. */
function addedText(text: string | null, before: string | null): string {
  if (text === null || before === null) return text ?? '';
  const known = new Set(before.split('\n'));
  return text
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n');
}

function commandKey(data: Record<string, unknown>): string | null {
  const session = typeof data.sessionId === 'string' ? data.sessionId : null;
  return session !== null && typeof data.commandSeq === 'number' ? `${session} ${data.commandSeq}` : null;
}
