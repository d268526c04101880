import type { EventOf } from '@shared/log/events';
import { commandName, joinShellPath } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import { type EventFacts, type Finding, numberOf, rule } from '../rule';
import { shellTouches } from '../shell-edits';

/** Places that are remembered, at most; afterwards only the newest half is. */
const PLACES = 20_000;

/** Off at first: it says train of many steps at once, so it should be turned on after a look at its preview. */
export const keepExploration = rule({
  id: 'keep-exploration',
  version: 1,
  effect: 'keep',
  hard: false,
  on: false,
  text: 'Reading, listing or searching early in a run, or in a place that was not looked at before.',
  citation:
    'APOLLO appendix E, essential to keep: "Explore the environment and find the best way to achieve the goal"',
  /** The first steps, in which looking at something again counts as well. */
  parameters: { early_steps: 20 },
  hears: ['model.answered', 'action.observed', 'run.status'],
  start: ({ root }, parameters) => {
    const early = numberOf(parameters, 'early_steps');
    let places = new Set<string>();
    /** What the calls of the running step amount to. */
    let pending: { step: number; keep: boolean; why: string } | null = null;
    let previous = '';
    const settle = (): Finding[] => {
      const done = pending;
      pending = null;
      return done?.keep ? [{ step: done.step, why: done.why, steps: [] }] : [];
    };
    return (event, facts) => {
      // All calls of a step must look: one that does more is not kept by the others.
      if (event.kind === 'model.answered' || event.kind === 'run.status') return settle();
      if (event.kind !== 'action.observed' || event.body.closedBy === 'not_run') return [];
      const { step, error } = event.body;
      const looked = error === null ? placesOf(event, facts, root) : null;
      const fresh = looked?.find(({ path, part }) => !places.has(path) && !places.has(part ?? `${path}#`));
      for (const { path, part } of looked ?? []) {
        places.add(part ?? path);
        places.add(`${path}#`);
      }
      if (places.size > PLACES) places = new Set([...places].slice(PLACES / 2));
      const text = looked?.map(({ path, part }) => part ?? path).join('\n') ?? '';
      const keep = fresh !== undefined || (looked !== null && step <= early && text !== previous);
      previous = text;
      const why =
        fresh === undefined
          ? 'Looks around early in the run.'
          : `Looks at ${shown(fresh.path)} for the first time.`;
      pending = { step, keep: keep && (pending?.keep ?? true), why: pending?.why ?? why };
      return [];
    };
  },
});

const READS: ReadonlySet<string> = new Set(
  'open_file file_goto_line file_scroll_down file_scroll_up search_file search_dir find_file list_files get_file_info web_search web_browse web_page_search web_page_goto_line web_page_scroll_down web_page_get_links list_sessions view_hint'.split(
    ' ',
  ),
);

const SILENT: ReadonlySet<string> = new Set(
  'cd pushd popd export set unset true false sleep wait : echo'.split(' '),
);

function showsNothing(simple: SimpleCommand): boolean {
  return SILENT.has(commandName(simple)) || simple.argv.length === 0;
}

/** Something to look at: as a whole, or one part of it. */
interface Place {
  path: string;
  part?: string;
}

/** What an action looked at; null when it did something else, or saw nothing. */
function placesOf(
  { body }: EventOf<'action.observed'>,
  { command }: EventFacts,
  root: string,
): Place[] | null {
  const { name, data } = body;
  if (command !== null) {
    if (!command.looksOnly || command.background || command.simples.every(showsNothing)) return null;
    if (typeof data.exitCode === 'number' && data.exitCode !== 0) return null;
    const touched = shellTouches(command.text).map(({ path }) => ({ path: joinShellPath(root, path) }));
    return touched.length > 0 ? touched : [{ path: command.text.trim() }];
  }
  if (!READS.has(name)) return null;
  const part = (key: string) => {
    const value = data[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const path = part('path') || part('where') || part('url') || name;
  return [{ path, part: `${path}#${part('startLine')} ${part('query')}` }];
}

function shown(place: string): string {
  const line = place.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
