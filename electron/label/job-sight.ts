import type { NewEvent } from '@shared/log/events';
import {
  endedJobs,
  forget,
  keep,
  killedJobs,
  type OwnJob as NamedJob,
  type OwnJobs,
} from '@shared/runs/detectors/own-jobs';
import type { CommandFact } from './command-facts';

/** A command of the agent that runs beside its steps. */
export interface OwnJob extends NamedJob {
  command: CommandFact;
}

/** Follows what the agent's own background commands do, as far as its looks tell. */
export class JobSight {
  private readonly jobs: OwnJobs = {};
  private readonly commands = new Map<string, CommandFact>();
  /** What `running` said last; null when jobs have come or gone since. */
  private listed: readonly OwnJob[] | null = [];

  running(): readonly OwnJob[] {
    this.listed ??= Object.entries(this.jobs).flatMap(([key, job]) => {
      const command = this.commands.get(key);
      return command === undefined ? [] : [{ ...job, command }];
    });
    return this.listed;
  }

  /** `command`: what this event's observation started or ran. */
  apply(event: NewEvent, command: CommandFact | null): void {
    if (event.kind === 'session.rested') {
      this.end(`${event.body.computer}:${event.body.session}`);
      return;
    }
    for (const job of endedJobs(this.jobs, event)) this.drop(job);
    if (event.kind !== 'action.observed') return;
    if (event.body.name !== 'run_command') {
      for (const job of killedJobs(this.jobs, event)) this.drop(job);
      if (typeof event.body.data.exitCode === 'number') {
        const { computer, session } = event.body.data;
        this.end(`${String(computer)}:${String(session)}`);
      }
      return;
    }
    // A session that took a command was at its prompt.
    if (command === null || command.place === '') return;
    this.end(command.place);
    if (!command.background || command.looksOnly) return;
    const { computer, step, place } = command;
    keep(this.jobs, {
      computer,
      session: place.slice(computer.length + 1),
      step,
      training: true,
      gpus: null,
    });
    this.commands.set(place, command);
    this.listed = null;
    for (const key of this.commands.keys()) if (!Object.hasOwn(this.jobs, key)) this.commands.delete(key);
  }

  private end(key: string): void {
    const job = this.jobs[key];
    if (job !== undefined) this.drop(job);
  }

  private drop(job: NamedJob): void {
    forget(this.jobs, job);
    this.listed = null;
    this.commands.delete(`${job.computer}:${job.session}`);
  }
}
