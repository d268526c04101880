import type { EventOf } from '@shared/log/events';
import { commandName } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import { baseName, type CommandFact, inlineCode, isPython, shortCommand } from '../command-facts';
import { type EndedCommand, type EventFacts, type Finding, numberOf, rule } from '../rule';

interface Look {
  step: number;
  changes: boolean;
}

interface Probe {
  step: number;
  subject: string;
  text: string;
  /** Looks and changes since, each with whether it changed something. */
  after: Look[];
}

/** Open failures, at most. */
const OPEN = 16;
const SHOWN = 12;

/** A failure that was simply tried again teaches nothing and stays masked. */
export const keepDebugging = rule({
  id: 'keep-debugging',
  version: 2,
  effect: 'keep',
  hard: false,
  on: true,
  text: 'A failed command was followed by a look or a change, and then by the same thing done with success.',
  citation:
    'APOLLO appendix E, essential to keep: "Systematic debugging: Self-directed problem-solving approaches"',
  /** Steps between the failure and the success. */
  parameters: { within_steps: 20 },
  hears: ['action.observed'],
  start: (_task, parameters) => {
    const within = numberOf(parameters, 'within_steps');
    let open: Probe[] = [];
    return (event, facts) => {
      if (event.kind !== 'action.observed') return [];
      const { step } = event.body;
      open = open.filter((probe) => step - probe.step <= within);
      const found: Finding[] = [];
      const changes = facts.edits.length > 0 || facts.writes.length > 0;
      // What one command mends and then runs is mended before it runs.
      if (changes && investigates(event, facts)) note(step, changes, facts.command);
      for (const ended of facts.ended) {
        found.push(...settle(ended));
        if (ended.exitCode !== 0 && !ended.killed) fail(ended);
      }
      if (!changes && investigates(event, facts)) note(step, changes, facts.command);
      return found;
    };

    function note(step: number, changes: boolean, command: CommandFact | null): void {
      for (const probe of open) {
        const newest = probe.after.at(-1);
        // The very same command again looks into nothing.
        if (probe.step === step || probe.text === command?.text) continue;
        if (newest?.step === step) newest.changes ||= changes;
        else probe.after = [...probe.after, { step, changes }].slice(-SHOWN);
      }
    }

    function settle({ command, exitCode, seenAt }: EndedCommand): Finding[] {
      if (exitCode !== 0) return [];
      const subject = subjectOf(command);
      const done = open.filter((probe) => probe.subject === subject && probe.step < command.step);
      if (done.length === 0) return [];
      open = open.filter((probe) => !done.includes(probe));
      const mended = done.filter(({ after }) =>
        after.some((look) => look.step < command.step || (look.step === command.step && look.changes)),
      );
      const kept = mended.map(({ step, text, after }): Finding => {
        const looks = after.map((look) => look.step).filter((look) => look <= seenAt);
        return {
          step,
          why: `${shortCommand(text)} failed, was looked into and worked at step ${command.step}.`,
          steps: [...new Set([...looks, command.step])].sort((a, b) => a - b),
        };
      });
      // The cure and its proof in one answer: the step that holds both is the debugging.
      const cured = mended.find(({ after }) =>
        after.some((look) => look.step === command.step && look.changes),
      );
      if (cured !== undefined) {
        const why = `Mends what failed at step ${cured.step} and shows that it works.`;
        kept.push({ step: command.step, why, steps: [cured.step] });
      }
      return kept;
    }

    function fail({ command }: EndedCommand): void {
      const subject = subjectOf(command);
      if (subject === '') return;
      // Trying the very same again without a look in between is no debugging: the first failure stays the one that counts.
      const same = open.find((probe) => probe.subject === subject && probe.after.length === 0);
      if (same?.text === command.text) return;
      open = open.filter((probe) => probe.subject !== subject || probe.after.length > 0);
      open = [...open, { step: command.step, subject, text: command.text, after: [] }].slice(-OPEN);
    }
  },
});

const LOOKS: ReadonlySet<string> = new Set([
  'open_file',
  'file_goto_line',
  'file_scroll_down',
  'file_scroll_up',
  'search_file',
  'search_dir',
  'find_file',
  'list_files',
  'get_session_output',
  'get_session_recent_output',
  'web_search',
  'web_browse',
  'edit_file',
  'create_file',
]);

function investigates({ body }: EventOf<'action.observed'>, { command }: EventFacts): boolean {
  if (body.error !== null || body.closedBy === 'not_run') return false;
  if (command === null) return LOOKS.has(body.name);
  return true;
}

/** What a command is about, so that a changed attempt at the same thing is known again: script, module, or program and verb. */
function subjectOf(command: CommandFact): string {
  const script = command.scripts[0];
  if (script !== undefined) return baseName(script);
  const main = [...command.outer].reverse().find((simple) => !isSetup(simple));
  if (main === undefined) return '';
  const name = commandName(main);
  if (isPython(name)) {
    const module = main.argv.indexOf('-m');
    if (module > 0) return `-m ${main.argv[module + 1] ?? ''}`;
    const imports = [...inlineCode(command).matchAll(/^\s*(?:import|from)\s+([\w.]+)/gm)].map(
      (each) => each[1],
    );
    return imports.length > 0 ? `import ${imports.sort().join(' ')}` : '';
  }
  const words = main.argv.slice(1).filter((word): word is string => word !== null && !word.startsWith('-'));
  return words.length === 0 ? name : `${name} ${words.slice(0, TWO_WORDS.has(name) ? 2 : 1).join(' ')}`;
}

/** Programs whose first word is only a verb. */
const TWO_WORDS: ReadonlySet<string> = new Set('pip pip3 conda git docker apt apt-get npm uv'.split(' '));

function isSetup(simple: SimpleCommand): boolean {
  return /^(?:cd|export|source|\.|set|echo|sleep|tail|head|tee|)$/.test(commandName(simple));
}
