import type { fileCommands } from '@shared/contract/ipc/files';
import type { searchCommands } from '@shared/contract/ipc/search';
import type { sessionCommands } from '@shared/contract/ipc/terminals';
import type { timelineCommands } from '@shared/contract/ipc/timeline';
import type { TerminalPump } from '../ipc/terminal-pump';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type TimelineHandlers = HandlersOf<typeof timelineCommands & typeof sessionCommands>;

/** Everything the window reads about one run. All of it is bounded by the reader. */
export function timelineHandlers(holder: WorkbenchHolder, pump: TerminalPump): TimelineHandlers {
  const reader = () => holder.require().store.reader;
  return {
    'timeline.heads': ({ run, from, to }) => reader().heads(run, from, Math.min(to, from + 999)),
    'timeline.find': ({ run, queries, from, direction }) => reader().nearest(run, queries, from, direction),
    'timeline.matches': async ({ run, query }) => ({ steps: await reader().matches(run, query) }),
    'timeline.count': async ({ run, query }) => ({ total: await reader().countMatches(run, query) }),
    'timeline.facets': ({ run }) => reader().facets(run),
    'timeline.tiles': ({ run }) => reader().tiles(run),
    'timeline.segments': ({ run }) => reader().segments(run),
    'step.detail': ({ run, step }) => reader().step(run, step),
    'step.prompt': ({ run, step }) => reader().prompt(run, step),
    'step.image': ({ run, sha256 }) => reader().image(run, sha256),
    'step.evidence': ({ run, step }) => reader().evidence(run, step),
    'step.labels': async ({ run, step }) => (await reader().step(run, step)).labels,
    'sessions.list': ({ run }) => reader().sessions(run),
    'sessions.at': ({ run, step }) => reader().sessionsAt(run, step),
    'sessions.read': (order) => pump.read(order),
    'sessions.watch': ({ run, uids }) => pump.watch(run, uids),
    'sessions.seen': ({ run, uid, offset }) => pump.seen(run, uid, offset),
    'sessions.search': ({ run, query, uids, limit }) =>
      reader().searchSessions({ run, query, uids: uids ?? null, limit }),
    'stats.run': ({ run }) => reader().stats(run),
    'queries.list': ({ run }) => reader().queries(run),
  };
}

type FileHandlers = HandlersOf<typeof fileCommands>;

/** What became of files in a run. All of it is bounded by the reader. */
export function fileHandlers(holder: WorkbenchHolder): FileHandlers {
  const reader = () => holder.require().store.reader;
  return {
    'files.list': ({ run, ...page }) => reader().files(run, page),
    'files.revisions': ({ run, computer, path, at, limit }) =>
      reader().fileRevisions(run, { computer, path }, at, limit),
    'files.counts': ({ run, computer, path, revisions }) =>
      reader().fileCounts(run, { computer, path }, revisions),
    'files.text': ({ run, computer, path, revision }) => reader().fileText(run, { computer, path }, revision),
  };
}

type SearchHandlers = HandlersOf<typeof searchCommands>;

/** Search of the window; all of it runs in the store's thread for what may take long. */
export function searchHandlers(holder: WorkbenchHolder): SearchHandlers {
  const reader = () => holder.require().store.reader;
  return {
    'search.steps': (request) => reader().search(request),
    'search.workspace': ({ query, limit }) => reader().searchWorkspace(query, limit),
    'search.scan': (request) => reader().startScan(request),
    'search.news': ({ scan, after }) => reader().scanNews(scan, after),
    'search.stop': ({ scan }) => reader().stopScan(scan),
    'search.progress': () => reader().indexProgress(),
  };
}
