import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { WaymarkError } from '@shared/contract/errors';
import { exportRequestSchema } from '@shared/contract/export-request';
import {
  type CommandInput,
  type CommandOutput,
  commands as rows,
  type WorkspaceCommand,
} from '@shared/contract/ipc';
import { eventPlaces } from '@shared/contract/ipc/event-places';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { visibleText } from '@shared/terminal/visible-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { datasetReads } from '../commands/dataset';
import { answerCommand, type Handlers } from '../commands/dispatch';
import { redactionHandlers } from '../commands/redaction';
import { workspaceHandlers } from '../commands/workspace-handlers';
import { runFindings } from '../dataset/jobs/run-findings';
import { DatasetRegistry } from '../dataset/past/dataset-registry';
import { indexLineOf } from '../dataset/past/record-index';
import { TerminalPump } from '../ipc/terminal-pump';
import { JudgeJobs } from '../judging/judge-jobs';
import { readRubrics } from '../judging/rubric';
import { encodeFrame, MessageDecoder } from '../serve/frames';
import { answerLimit } from '../serve/protocol';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { begunBatch } from '../testing/begun-batch';
import { writeExperiment } from '../testing/experiment-runs';
import { realisticWorkspace } from '../testing/realistic-run';
import { createdBody } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { answerSchemas } from './answers/answer-schemas';
import { eventSchemas } from './answers/events';
import { answerOf, eventOf } from './server-words';

const calls = process.env.WAYMARK_FULL === '1' ? 10_000 : 100;
const commands = Object.keys(answerSchemas) as WorkspaceCommand[];
const events = Object.keys(eventSchemas) as (keyof typeof eventSchemas)[];
const me = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
let handlers: Partial<Handlers>;
let run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
let batch = '';
const dataset = 'da'.repeat(32);
const judge = endpointSchema.parse({ name: 'strict', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' });

/** As it comes out of a frame. */
function sent(message: unknown): unknown {
  let taken: unknown;
  new MessageDecoder(answerLimit).push(encodeFrame({ value: message }, answerLimit), (each) => {
    taken = (each as { value?: unknown }).value;
  });
  return taken;
}

/** Handlers over a workspace with everything in it. */
async function served(): Promise<void> {
  const built = await realisticWorkspace('S', {
    folder: join(temporaryFolder(), 'w'),
    steps: 150,
    labels: true,
  });
  run = built.run;
  const store = testStore(built.folder);
  await writeExperiment(store, { name: 'words', runs: 2, tasks: 1, steps: 16 });
  await store.drain();
  await rememberDataset(built.folder);
  const settings = settingsSchema.parse({ endpoints: [judge] });
  const judging = new JudgeJobs({
    store,
    resourcesDir,
    settings: { current: settings },
    findKey: () => null,
    log: { info: () => undefined, error: () => undefined },
  });
  const begun = await begunBatch(
    store,
    { name: judge.name, model: createdBody(run).model, rubrics: await readRubrics(resourcesDir, null) },
    { runs: [run] },
  );
  batch = begun.id;
  const bench = { folder: built.folder, store, judging } as Partial<Workbench> as Workbench;
  const holder = new WorkbenchHolder(() => Promise.resolve(bench));
  await holder.open(built.folder);
  const pump = new TerminalPump({ publish: () => undefined });
  pump.attach(store.reader);
  handlers = {
    ...workspaceHandlers({ holder, author: () => me, settings: () => settings, pump, resourcesDir }),
    ...datasetReads(holder, { publish: () => undefined }, () => me),
    ...redactionHandlers({ holder, settings: () => settings, held: () => [], find: runFindings }),
  };
}

/** A past export whose folder is gone, with a step in two rows. */
async function rememberDataset(workspace: string): Promise<void> {
  const from = { file: 'train.jsonl', variant: 'all' as const };
  const steps = [{ step: 3, mask: 1 as const, source: 'human', reason: 'AL' }];
  const rows = [1, 2].map((at) =>
    indexLineOf({ run, segment: at, kind: 'react' }, { ...from, from: at, to: at }, steps),
  );
  const facts = {
    id: dataset,
    format: 'slime' as const,
    writtenAt: 1,
    snapshot: dataset,
    compression: 'none' as const,
  };
  const counts = { records: 2, trained: 1, masked: 0, bytes: 9, redacted: 0 };
  const files = [{ path: 'train.jsonl', bytes: 9, sha256: dataset, records: 2 }];
  const share = { task: 'demo', hash: dataset, domain: null, runs: 1, rows: 2, trained: 1, masked: 0 };
  await new DatasetRegistry(workspace).add(
    {
      ...facts,
      ...counts,
      files,
      composition: [share],
      variants: ['all'],
      options: exportRequestSchema.parse({}),
    },
    '/gone',
    gzipSync(rows.map((row) => JSON.stringify(row)).join('\n')),
  );
}

describe('what our own server says', () => {
  it('is taken whole: no answer loses a field', { timeout: 120_000 }, async () => {
    await served();
    const session = ((await answer('sessions.list', { run })) as { uid: string }[])[0]?.uid ?? '';
    const file = (
      (await answer('files.list', { run, filter: '', offset: 0, limit: 5 })) as {
        files: { computer: string; path: string }[];
      }
    ).files[0];
    const where = { run, computer: file?.computer ?? '', path: file?.path ?? '' };
    const asked: { [C in WorkspaceCommand]?: CommandInput<C>[] } = {
      'runs.list': [undefined],
      'runs.summary': [{ run }],
      'runs.openApprovals': [{ run }],
      'runs.verify': [{ run }],
      'timeline.heads': [{ run, from: 1, to: 150 }],
      'timeline.find': [{ run, queries: [{ error: true }], from: 1, direction: 1 }],
      'timeline.matches': [{ run, query: { label: ['mask'] } }],
      'timeline.count': [{ run, query: {} }],
      'timeline.facets': [{ run }],
      'timeline.tiles': [{ run }],
      'timeline.segments': [{ run }],
      'step.detail': Array.from({ length: 150 }, (_, index) => ({ run, step: index + 1 })),
      'step.prompt': [{ run, step: 30 }],
      'step.evidence': Array.from({ length: 60 }, (_, index) => ({ run, step: index + 1 })),
      'step.labels': Array.from({ length: 60 }, (_, index) => ({ run, step: index + 1 })),
      'queries.list': [{ run }],
      'search.steps': [
        { run, query: 'model', from: { step: 1, direction: 1 }, limit: 20 },
        { run, query: '-', from: { hit: 0 }, limit: 20 },
      ],
      'search.workspace': [{ query: 'model', limit: 5 }],
      'search.progress': [undefined],
      'sessions.list': [{ run }],
      'sessions.at': [{ run, step: 20 }],
      'sessions.read': [{ run, uid: session, offset: 0, maxBytes: 100_000 }],
      'sessions.search': [{ run, query: 'e', limit: 50 }],
      'files.list': [{ run, filter: '', offset: 0, limit: 50 }],
      'files.revisions': [{ ...where, at: null, limit: 50 }],
      'files.counts': [{ ...where, revisions: [1] }],
      'files.text': [{ ...where, revision: 1 }],
      'hints.list': [{ run }],
      'labels.apply': [{ run, from: 3, to: 5, value: 'mask', reason: 'r' }],
      'labels.similar': [{ run, step: 3 }],
      'labels.rest': [{ run, from: 1, to: 150 }],
      'labels.comment': [{ run, step: 4, text: 'so' }],
      'labels.flag': [{ run, step: 4, on: true }],
      'labels.retroMasks': [{ run }],
      'labels.undo': [{ run }],
      'labels.redo': [{ run }],
      'guideline.examples': [{ run }],
      'attention.list': [undefined],
      'attention.report': [{ from: 0, to: 9_999_999_999_999 }],
      'queue.view': [{ run }],
      'queue.next': [{ run, from: null, direction: 1 }],
      'queue.annotators': [undefined],
      'queue.plan': [
        {
          runs: [run],
          by: 'segment',
          people: [me, { uuid: 'b', name: 'Bob' }],
          overlap: 0.5,
          blind: 'second',
        },
      ],
      'queue.batches': [undefined],
      'queue.people': [{ runs: [] }],
      'review.pace': [undefined],
      'rules.ofRun': [{ run }],
      'rules.preview': [{ runs: [run], settings: { rules: { 'command-failed': { on: false } } } }],
      'export.preview': [{ runs: [run], undecided: 'train', variants: ['all', 'unmasked'] }],
      'export.rows': [{ options: { runs: [run], undecided: 'train' }, variant: 'all', from: 0, limit: 10 }],
      'datasets.list': [undefined],
      'datasets.difference': [{ a: dataset, b: dataset }],
      'datasets.forStep': [{ run, step: 3 }],
      'datasets.row': [{ dataset, file: 'train.jsonl', record: 1 }],
      'export.findings': [{ runs: [run], undecided: 'train' }],
      'stats.run': [{ run }],
      'experiments.list': [undefined],
      'experiments.show': [{ name: 'words' }],
      'experiments.overlap': [
        { name: 'words', other: { experiment: 'words' } },
        { name: 'words', other: { dataset } },
      ],
      'judge.estimate': [{ runs: [run], judges: [{ endpoint: judge.name }], steps: 'undecided' }],
      'judge.batches': [undefined],
      'judge.queued': [{ batch, queue: 'unsure' }],
      'judge.quality': [{}, { runs: [run] }],
      'rubric.ofTask': [{ task: 'task', kind: 'steps' }],
      'rubric.keep': [{ task: 'task', kind: 'summaries', text: 'Keep what helps.', before: null }],
      'rubric.trial': [{ run, judge: judge.name, text: 'Keep what helps.' }],
    };
    const lost: string[] = [];
    for (const [command, inputs] of Object.entries(asked) as [WorkspaceCommand, unknown[]][]) {
      for (const input of inputs) {
        try {
          const value = sent(await answer(command, input));
          expect(answerOf('box', command, value)).toEqual(value);
        } catch (thrown) {
          lost.push(
            `${command} ${JSON.stringify(input)}: ${String(thrown)} ${(thrown as WaymarkError).detail}`,
          );
        }
      }
    }
    expect(lost).toEqual([]);
  });
});

async function answer(command: WorkspaceCommand, input: unknown): Promise<unknown> {
  const result = await answerCommand(handlers, command, input, (_, { message }) => {
    throw new Error(`${command}: ${message}`);
  });
  if (!result.ok)
    throw new Error(`${command}: ${result.error.code} ${result.error.message} ${result.error.detail}`);
  return result.value;
}

/** Any JSON, with bytes here and there. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom('run', 'step', 'what', 'bytes', 'offset', '__proto__', 'uid'),
    fc.jsonValue(),
  ),
  fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
  fc.uint8Array(),
);

/** Commands that may answer what their schema refuses. Three differ in name only: read-only lists, and what lies below an array of bytes. */
type Refused = {
  [C in WorkspaceCommand]: CommandOutput<C> extends z.output<(typeof answerSchemas)[C]> ? never : C;
}[Exclude<WorkspaceCommand, 'rules.ofRun' | 'sessions.read' | 'step.image'>];

describe('what is no word of the contract', () => {
  it('is not what a command may answer by its type', () => {
    const refused: Refused[] = [];
    expect(refused satisfies never[]).toEqual([]);
  });

  it('has a schema for every command and event of a workspace', () => {
    const workspace = (places: Record<string, string>) =>
      Object.keys(places)
        .filter((name) => places[name] === 'workspace')
        .sort();
    const places = Object.entries(rows).map(([name, { place }]) => [name, place]);
    expect([...commands].sort()).toEqual(workspace(Object.fromEntries(places)));
    expect([...events].sort()).toEqual(workspace(eventPlaces));
  });

  it('is a named error or harmless, for every command and event', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(anything, (value) => {
        for (const command of commands) named(() => answerOf('box', command, value), command);
        for (const event of events) named(() => eventOf('box', event, value), event);
        expect(({} as Record<string, unknown>).run).toBeUndefined();
      }),
      { numRuns: calls, seed: 11 },
    );
  });

  it('names the server, the event and the place', () => {
    expect(() => eventOf('box', 'run.changed', null)).toThrow(
      'The event run.changed of box was not understood',
    );
    const approval = { run: 5, approval: run, step: 1, what: {}, why: '' };
    expect(() => eventOf('box', 'approval.asked', approval)).toThrow(
      expect.objectContaining({ code: 'unsupported', detail: expect.stringContaining('run') }),
    );
    expect(() => answerOf('box', 'runs.list', [{ id: '../../etc' }])).toThrow(
      'The answer of box to runs.list',
    );
  });
});

describe('terminal bytes of a server', () => {
  const escapes = '\x1b[2147483647L\x1b]52;c;Y3VybA==\x07\x1b[c\x1b]0;pwned\x07\x1bP$q"p\x1b\\plain\x1b[31m';
  const page = { offset: 0, endOffset: 70, bytes: Buffer.from(escapes) };

  it('pass the filter of this machine, in pages and frames', () => {
    const read = answerOf('box', 'sessions.read', page);
    const frame = eventOf('box', 'live.session', { ...page, run, uid: 'u', live: 1 });
    for (const { bytes, offset, endOffset } of [read, frame]) {
      expect([offset, endOffset]).toEqual([0, 70]);
      expect(visibleText(Buffer.from(bytes).toString('utf8'))).toBe('⟨ESC⟩[1000Lplain⟨ESC⟩[31m');
    }
  });

  it('are text when a sequence is cut in two to pass', () => {
    const shown = ['x\x1b[21474', '83647Ly'].map((piece) =>
      Buffer.from(answerOf('box', 'sessions.read', { ...page, bytes: Buffer.from(piece) }).bytes).toString(),
    );
    expect(shown).toEqual(['x', '83647Ly']);
  });
});

function named(what: () => unknown, name: string): void {
  try {
    what();
  } catch (thrown) {
    expect(thrown, name).toMatchObject({ code: 'unsupported' });
  }
}
