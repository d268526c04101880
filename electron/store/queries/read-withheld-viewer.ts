import { WaymarkError } from '@shared/contract/errors';
import type { LabelPreview } from '@shared/contract/ipc/labels';
import type { StepQuery } from '@shared/contract/step-query';
import { holds, stepsIn, without } from '@shared/labels/review/step-ranges';
import {
  asksOpinions,
  hiddenIn,
  matchesUnspoken,
  withheldDetail,
  withheldHead,
  withheldSegments,
  withheldSummary,
  withheldTiles,
  withoutOpinions,
} from '@shared/labels/review/withhold';
import type { Author } from '@shared/log/annotations';
import type { StoreReader } from '../api';
import { LAST_SEQ, TILE_STEPS } from '../file/ids';
import type { Withheld } from './read-withheld';

/**
 * The reader as one person may use it: of steps that they are to decide blind and have not decided, everything it answers is as
 * if nobody had said anything, machines included. Whatever is sent to a window goes through this; the engine and exports read
 * past it. What asks nothing about opinions is the reader's own.
 */
export function readerFor(reader: StoreReader, viewer: Author): StoreReader {
  const all = (run: string) => reader.withheld(run, viewer, 1, LAST_SEQ);

  async function matches(run: string, query: StepQuery, hidden: Withheld): Promise<number[]> {
    const found = (await reader.matches(run, query)).filter((step) => !holds(hidden.steps, step));
    if (!matchesUnspoken(query)) return found;
    const unspoken = await reader.matches(run, withoutOpinions(query));
    const more = unspoken.filter((step) => holds(hidden.steps, step));
    return [...found, ...more].sort((a, b) => a - b);
  }

  async function refuseOpinions(run: string | null, query: StepQuery | undefined): Promise<void> {
    if (query === undefined || !asksOpinions(query)) return;
    const hidden = run === null ? await reader.withheldRuns(viewer) : await all(run);
    if (hidden !== null && (!Array.isArray(hidden) || hidden.length > 0)) throw notYet('search by labels');
  }

  const overrides: Partial<StoreReader> = {
    async runs() {
      const [runs, hidden] = await Promise.all([reader.runs(), reader.withheldRuns(viewer)]);
      if (hidden.length === 0) return runs;
      const byRun = new Map(hidden.map((each) => [each.run, each.hidden]));
      return runs.map((run) => withheldSummary(run, byRun.get(run.id) ?? []));
    },
    async run(run) {
      const [summary, hidden] = await Promise.all([reader.run(run), all(run)]);
      if (hidden === null) return summary;
      // Summaries count own steps.
      const from = (summary.parent?.step ?? 0) + 1;
      return withheldSummary(
        summary,
        hidden.hidden.filter((piece) => piece.from >= from),
      );
    },
    async heads(run, from, to) {
      const [heads, hidden] = await Promise.all([
        reader.heads(run, from, to),
        reader.withheld(run, viewer, from, to),
      ]);
      if (hidden === null) return heads;
      return heads.map((head) =>
        holds(hidden.steps, head.step) && !head.decided.includes(viewer.uuid) ? withheldHead(head) : head,
      );
    },
    async step(run, step) {
      const [detail, hidden] = await Promise.all([
        reader.step(run, step),
        reader.withheld(run, viewer, step, step),
      ]);
      const blind = hidden !== null && !detail.head.decided.includes(viewer.uuid);
      return blind ? withheldDetail(detail, viewer.uuid) : detail;
    },
    async matches(run, query) {
      const hidden = asksOpinions(query) ? await all(run) : null;
      return hidden === null ? reader.matches(run, query) : matches(run, query, hidden);
    },
    async countMatches(run, query) {
      const hidden = asksOpinions(query) ? await all(run) : null;
      return hidden === null ? reader.countMatches(run, query) : (await matches(run, query, hidden)).length;
    },
    async nearest(run, queries, from, direction) {
      const hidden = queries.some(asksOpinions) ? await all(run) : null;
      if (hidden === null) return reader.nearest(run, queries, from, direction);
      const found = await Promise.all(queries.map((query) => matches(run, query, hidden)));
      const steps = [...new Set(found.flat())].sort((a, b) => a - b);
      const step =
        direction === 1 ? steps.find((each) => each >= from) : steps.findLast((each) => each <= from);
      return { step: step ?? null, total: steps.length };
    },
    async facets(run) {
      const [facets, hidden] = await Promise.all([reader.facets(run), all(run)]);
      if (hidden === null) return facets;
      const out = new Map(hidden.rules.map(({ value, count }) => [value, count]));
      const rules = facets.rules.map(({ value, count }) => ({ value, count: count - (out.get(value) ?? 0) }));
      return {
        ...facets,
        rules: rules.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count),
      };
    },
    async ruleCounts(run) {
      const [counts, hidden] = await Promise.all([reader.ruleCounts(run), all(run)]);
      if (hidden === null) return counts;
      const out = new Map(hidden.rules.map(({ value, count }) => [value, count]));
      const left = Object.entries(counts).map(([rule, n = 0]) => [rule, n - (out.get(rule) ?? 0)] as const);
      return Object.fromEntries(left.filter(([, n]) => n > 0));
    },
    async previewRules(runs, settings) {
      const hidden = await Promise.all(runs.map(all));
      if (hidden.some((each) => each !== null)) throw notYet('see what rules would change');
      return reader.previewRules(runs, settings);
    },
    async tiles(run) {
      const [tiles, hidden] = await Promise.all([reader.tiles(run), all(run)]);
      return hidden === null ? tiles : withheldTiles(tiles, hidden.hidden, TILE_STEPS);
    },
    async segments(run) {
      const [segments, hidden] = await Promise.all([reader.segments(run), all(run)]);
      return hidden === null ? segments : withheldSegments(segments, hidden.hidden);
    },
    async search(request) {
      await refuseOpinions(request.run, request.filter);
      return reader.search(request);
    },
    async startScan(request) {
      await refuseOpinions(request.run, request.filter);
      return reader.startScan(request);
    },
    async similarSteps(run, step) {
      const hidden = await all(run);
      if (hidden !== null && holds(hidden.steps, step)) throw notYet('look for similar steps');
      const similar = await reader.similarSteps(run, step);
      return hidden === null ? similar : { ...similar, ...withoutHidden(similar, hidden) };
    },
    async undecidedSteps(run, from, to) {
      const [rest, hidden] = await Promise.all([reader.undecidedSteps(run, from, to), all(run)]);
      return hidden === null ? rest : withoutHidden(rest, hidden);
    },
    async retroMask(run, hint) {
      const [mask, hidden] = await Promise.all([reader.retroMask(run, hint), all(run)]);
      if (mask === null || hidden === null) return mask;
      const seen = without([{ from: mask.from, to: mask.to }], hidden.steps);
      return stepsIn(seen) === mask.to - mask.from + 1 ? mask : null;
    },
    async decidedExamples(run) {
      const [examples, hidden] = await Promise.all([reader.decidedExamples(run), all(run)]);
      // Totals by reason would still tell how others decided.
      return hidden === null ? examples : [];
    },
    async stats(run) {
      const [stats, hidden] = await Promise.all([reader.stats(run), all(run)]);
      return hidden === null ? stats : { ...stats, masks: [], rules: [], people: [] };
    },
    async annotations(run) {
      const [entries, hidden] = await Promise.all([reader.annotations(run), all(run)]);
      return hidden === null ? entries : entries.filter(({ author }) => author.uuid === viewer.uuid);
    },
    async annotationPage(run, after) {
      const [page, hidden] = await Promise.all([reader.annotationPage(run, after), all(run)]);
      if (hidden === null) return page;
      return { ...page, entries: page.entries.filter(({ author }) => author.uuid === viewer.uuid) };
    },
    async entry(ulid) {
      const found = await reader.entry(ulid);
      if (found === null || 'outbox' in found) return found;
      return found.annotation.author.uuid === viewer.uuid ? found : null;
    },
  };
  return Object.assign(Object.create(reader) as StoreReader, overrides);
}

/** Steps that are to be decided blind are decided one by one: no decision about many takes them along. */
function withoutHidden(preview: LabelPreview, { steps, hidden }: Withheld): LabelPreview {
  const parts = without(preview.parts, steps);
  const out = preview.parts.reduce(
    (sum, { from, to }) => {
      const counts = hiddenIn(hidden, from, to);
      return {
        train: sum.train + counts.train,
        mask: sum.mask + counts.mask,
        undecided: sum.undecided + counts.undecided,
        decided: sum.decided + counts.decided,
      };
    },
    { train: 0, mask: 0, undecided: 0, decided: 0 },
  );
  return {
    ...preview,
    parts,
    steps: stepsIn(parts),
    now: {
      train: preview.now.train - out.train,
      mask: preview.now.mask - out.mask,
      undecided: preview.now.undecided - out.undecided,
    },
    decided: preview.decided - out.decided,
  };
}

function notYet(what: string): WaymarkError {
  return new WaymarkError(
    'refused',
    `Some steps of this run are yours to decide without knowing what others say. Decide them, then you can ${what}.`,
  );
}
