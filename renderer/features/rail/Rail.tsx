import type { LinkHealth } from '@shared/contract/computers';
import type { RunSummary } from '@shared/contract/views';
import type { RunAttention } from '@shared/runs/attention/attention';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useMedia } from '../../components/useMedia';
import { useNow } from '../../components/useNow';
import { openComputers, useComputers } from '../../state/computers';
import { type RunHost, waitsFor } from '../../state/computers-of-run';
import type { RailGroup } from '../../state/run/runs';
import { openRun, useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { openDialog, useView } from '../../state/view';
import { useOnlyRead } from '../../state/workspace';
import { useText } from '../../text/language';
import { runWords } from '../../text/run-words';
import { needGroup, needOrder, reasonOf, urgentRuns, useInbox } from '../inbox/attention';
import { useCaps } from '../shortcuts/CommandKeys';

const groups: readonly RailGroup[] = ['needsYou', 'quiet', 'finished'];

/** The runs, those that need a person first. Two widths; narrow windows begin with the small one. */
export function Rail() {
  const text = useText();
  const onlyRead = useOnlyRead();
  const held = onlyRead ? { disabled: true, title: text.frame.onlyReadWhy } : {};
  const newRun = [text.runs.newRun, ...useCaps('app.newRun')].join(' ');
  const roomy = useMedia('(min-width: 1360px)');
  const choice = useView((state) => state.railWide);
  const review = useView((state) => state.mode !== 'watch');
  const wide = choice ?? (roomy && !review);
  return (
    <nav
      className={`rail ${wide ? 'rail-wide' : 'rail-slim'}`}
      aria-label={text.runs.region}
      data-pane="rail"
    >
      <RunList wide={wide} />
      <div className="rail-foot">
        {wide ? (
          <Button
            look="ghost"
            icon="plus"
            className="rail-new"
            title={newRun}
            onClick={() => openDialog('newRun')}
            {...held}
          >
            <span className="space">{text.runs.newRun}</span>
          </Button>
        ) : (
          <IconButton icon="plus" label={text.runs.newRun} onClick={() => openDialog('newRun')} {...held} />
        )}
        <IconButton icon="disk" label={text.importing.title} onClick={() => openDialog('import')} {...held} />
        <IconButton icon="chip" label={text.computers.open} onClick={() => openComputers()} />
        <IconButton
          icon={wide ? 'left' : 'right'}
          label={wide ? text.runs.closeRail : text.runs.openRail}
          onClick={() => useView.setState({ railWide: !wide })}
        />
      </div>
    </nav>
  );
}

type Line = { group: RailGroup; run: RunSummary } | { group: RailGroup; runs: number };

/** Up to so many runs are all in the document, for whoever goes through them by Tab; of more only those in view are. */
const MOST_AT_ONCE = 200;
/** Heights of a heading, a row and a mark with the space after it, as in the style sheet. */
const TITLE = 32;
const ROW = 52;
const MARK = 36;

/** The runs under their headings; the narrow form has no headings. */
function RunList({ wide }: { wide: boolean }) {
  const text = useText();
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const now = useNow(10_000);
  const news = useInbox((state) => state.list);
  const lines = useMemo(() => linesOf(list, news, wide), [list, news, wide]);
  const box = useRef<HTMLDivElement>(null);
  const isLong = lines.length > MOST_AT_ONCE;
  const inView = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => heightOf(lines[index], wide),
    overscan: 10,
    enabled: isLong,
    // A list that becomes long stays where it was scrolled to.
    initialOffset: () => box.current?.scrollTop ?? 0,
    initialRect: { width: 0, height: box.current?.clientHeight ?? 0 },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are kept by position, and other lines have other heights there
  useLayoutEffect(() => {
    if (isLong) inView.measure();
  }, [inView, lines]);
  const isInside = useRef(false);
  // When the run that had the focus has scrolled out of the document, the list takes it.
  useLayoutEffect(() => {
    if (isInside.current && document.activeElement === document.body)
      box.current?.focus({ preventScroll: true });
  });
  const shown = inView.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  const drawn = isLong ? lines.slice(first?.index ?? 0, (last?.index ?? -1) + 1) : lines;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it follows where the focus is and takes no input
    <div
      ref={box}
      className="rail-list"
      tabIndex={-1}
      onFocus={() => {
        isInside.current = true;
      }}
      onBlur={() => {
        isInside.current = false;
      }}
    >
      {isLong && <div style={{ height: first?.start ?? 0 }} />}
      {groups.map((group) => {
        const here = drawn.filter((line) => line.group === group);
        if (here.length === 0) return null;
        return (
          <section key={group} aria-label={text.runs[group]}>
            {here.map((line) => {
              if ('runs' in line)
                return (
                  <h2 key="title" className="rail-title">
                    <span>{text.runs[group]}</span>
                    <span className="tabular">{line.runs}</span>
                  </h2>
                );
              const { run } = line;
              const Item = wide ? RailRow : RailMark;
              return <Item key={run.id} run={run} group={group} on={run.id === current} now={now} />;
            })}
          </section>
        );
      })}
      {isLong && <div style={{ height: inView.getTotalSize() - (last?.end ?? 0) }} />}
    </div>
  );
}

/** Those that need a person first; with headings in the wide form. */
function linesOf(list: readonly RunSummary[], news: readonly RunAttention[], wide: boolean): Line[] {
  const urgent = urgentRuns(news);
  const sorted = [...list].sort(needOrder(news));
  return groups.flatMap((group): Line[] => {
    const runs = sorted.filter((run) => needGroup(run, urgent) === group);
    const title = wide && runs.length > 0 ? [{ group, runs: runs.length }] : [];
    return [...title, ...runs.map((run) => ({ group, run }))];
  });
}

function heightOf(line: Line | undefined, wide: boolean): number {
  if (!wide) return MARK;
  return line !== undefined && 'runs' in line ? TITLE : ROW;
}

interface RailItemProps {
  run: RunSummary;
  group: RailGroup;
  on: boolean;
  now: number;
}

const RailRow = memo(function RailRow({ run, group, on, now }: RailItemProps) {
  const text = useText();
  const words = runWords(run, text, now, useAway(run));
  const reason = useReason(run.id);
  const line =
    group === 'finished' && run.state === 'finished'
      ? text.runs.scoreAndOpen(text.common.format.score(run.scores.final), run.labels.undecided)
      : words.state;
  return (
    <button
      type="button"
      className={`rail-row ${group === 'needsYou' ? '' : 'rail-quiet'} ${on ? 'rail-on' : ''}`}
      aria-current={on ? 'true' : undefined}
      title={`${run.title}: ${words.state}. ${words.reason}${reason === null ? '' : `. ${reason.words}`}`}
      onClick={() => attempt(() => openRun(run.id))}
    >
      <span className={group === 'needsYou' ? `tone-${words.tone}` : 'quiet'}>
        <Icon name={words.icon} />
      </span>
      <span className="rail-name cut">{run.title}</span>
      {reason !== null ? (
        <span className={`rail-why cut tone-${reason.tone}`} data-testid="rail-reason">
          {reason.words}
        </span>
      ) : (
        <span className={`rail-why cut ${group === 'needsYou' ? `tone-${words.tone}` : ''}`}>{line}</span>
      )}
      <time>{text.common.format.ago(run.changedAt, now)}</time>
    </button>
  );
});

/** The narrow form: the task's number (or first letters) and a mark when it needs a person. */
const RailMark = memo(function RailMark({ run, group, on, now }: RailItemProps) {
  const text = useText();
  const words = runWords(run, text, now, useAway(run));
  const reason = useReason(run.id);
  const name = `${run.title}: ${words.state}. ${words.reason}${reason === null ? '' : `. ${reason.words}`}`;
  const tone = reason?.tone ?? (group === 'needsYou' ? words.tone : null);
  return (
    <button
      type="button"
      className={`rail-mark ${on ? 'rail-on' : ''} ${tone === null ? '' : `rail-mark-${tone}`}`}
      aria-current={on ? 'true' : undefined}
      aria-label={name}
      title={name}
      onClick={() => attempt(() => openRun(run.id))}
    >
      {shortName(run)}
    </button>
  );
});

/** Why the run wants a person, besides what its state says. */
function useReason(run: string): { words: string; tone: 'danger' | 'attention' } | null {
  const text = useText().inbox;
  const kind = useInbox((state) => reasonOf(state.list, run)?.kind ?? null);
  const urgent = useInbox((state) => reasonOf(state.list, run)?.urgency === 1);
  if (kind === null) return null;
  return { words: text.short(kind), tone: urgent ? 'danger' : 'attention' };
}

/** The computers a waiting run waits for; the same list while nothing about it changes. */
function useAway(run: RunSummary): readonly RunHost[] {
  const health = useComputers((state) => (run.state === 'waiting_host' ? state.health : nothingKnown));
  return useMemo(() => waitsFor(run, health), [run, health]);
}
const nothingKnown: Readonly<Record<string, LinkHealth>> = {};

function shortName(run: RunSummary): string {
  return /(?:^|[^0-9a-z])(\d{1,4})$/i.exec(run.task.id)?.[1] ?? run.title.slice(0, 2);
}
