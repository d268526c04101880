import type { RuleId, RuleValue } from '@shared/contract/rules/rule-settings';
import type { EventKind, EventOf } from '@shared/log/events';
import type { CommandFact } from './command-facts';
import type { FileEdit } from './file-edit';
import type { OwnJob } from './job-sight';
import type { RuleTask } from './rule-task';

/** What a rule found about a step. */
export interface Finding {
  step: number;
  /** One sentence that names the evidence. */
  why: string;
  /** Other steps that belong to the finding, ascending. */
  steps: number[];
}

/** Text that the agent wrote into a file, as far as the log holds it. */
export interface FileWrite {
  step: number;
  path: string;
  /** The file was not there before. */
  created: boolean;
  /** Whole content afterwards; null when the log does not hold it. */
  text: string | null;
  /** What this write put in: the whole text of a new file, the new lines of an edit. */
  added: string;
}

/** A command whose end has been seen, by its own observation or by a later one. */
export interface EndedCommand {
  command: CommandFact;
  exitCode: number;
  /** Step that saw the end. */
  seenAt: number;
  /** The agent itself ended it. */
  killed: boolean;
  /** What the agent read of it when it saw the end. */
  text: string;
}

/** What earlier events make of this one; folded once for all rules. Observations alone have edits, writes, a command and ends. */
export interface EventFacts {
  /** Content changes by this event, with what had been seen of the file. */
  edits: FileEdit[];
  writes: FileWrite[];
  /** The command of an observed `run_command` that ran or runs. */
  command: CommandFact | null;
  ended: EndedCommand[];
  /** The agent's own jobs that run, as far as its looks tell, before this event. */
  jobs: readonly OwnJob[];
  /** This observation is the last of its step's. */
  last: boolean;
}

export type RuleParameters = Readonly<Record<string, RuleValue>>;

/** Rules read stored events only; a change of meaning is a new `version`. */
export interface Rule extends RuleThatHears<EventKind> {}

interface RuleThatHears<K extends EventKind> {
  id: RuleId;
  version: number;
  effect: 'mask' | 'keep';
  /** A hard mask is lifted only by a person with a reason. */
  hard: boolean;
  /** On where neither task nor workspace says otherwise. */
  on: boolean;
  /** The rule in one sentence. */
  text: string;
  /** Where the rule comes from. */
  citation: string;
  /** What holds where neither task nor workspace says otherwise. */
  parameters: RuleParameters;
  /** The kinds of events that say anything to it. */
  hears: readonly K[];
  /** One function per run; gets every event that it hears, in order, and must cost O(1) amortised. */
  start(task: RuleTask, parameters: RuleParameters): (event: EventOf<K>, facts: EventFacts) => Finding[];
}

/** A rule for the lists of them: whoever runs it gives it only the events that it hears. */
export function rule<K extends EventKind>(definition: RuleThatHears<K>): Rule {
  return definition as RuleThatHears<EventKind> & RuleThatHears<K>;
}

/** A rule with the parameters that hold for a run. */
export interface RuleInForce {
  rule: Rule;
  parameters: RuleParameters;
}

/** A parameter as the type that its default has. */
export function numberOf(parameters: RuleParameters, name: string): number {
  const value = parameters[name];
  return typeof value === 'number' ? value : 0;
}

export function listOf(parameters: RuleParameters, name: string): readonly string[] {
  const value = parameters[name];
  return typeof value === 'object' ? value : [];
}

/** Matches any of the expressions, ignoring case; one that is none matches nothing. */
export function anyOf(expressions: readonly string[]): (text: string) => boolean {
  const patterns = expressions.flatMap((source) => {
    try {
      return [new RegExp(source, 'i')];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
  return (text) => patterns.some((pattern) => pattern.test(text));
}
