import type { LinkHealth } from '@shared/contract/computers';
import type { RunSummary } from '@shared/contract/views';
import { memo, useMemo } from 'react';
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
import { needGroup, needOrder, reasonOf, useInbox } from '../inbox/attention';
import { CommandKeys } from '../shortcuts/CommandKeys';

const groups: readonly RailGroup[] = ['needsYou', 'quiet', 'finished'];

/** The runs, those that need a person first. Two widths; narrow windows begin with the small one. */
export function Rail() {
  const text = useText();
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const onlyRead = useOnlyRead();
  const held = onlyRead ? { disabled: true, title: text.frame.onlyReadWhy } : {};
  const roomy = useMedia('(min-width: 1360px)');
  const choice = useView((state) => state.railWide);
  const review = useView((state) => state.mode !== 'watch');
  const wide = choice ?? (roomy && !review);
  const now = useNow(10_000);
  const news = useInbox((state) => state.list);
  const sorted = useMemo(() => [...list].sort(needOrder(news)), [list, news]);
  return (
    <nav
      className={`rail ${wide ? 'rail-wide' : 'rail-slim'}`}
      aria-label={text.runs.region}
      data-pane="rail"
    >
      <div className="rail-list">
        {groups.map((group) => {
          const runs = sorted.filter((run) => needGroup(run, news) === group);
          if (runs.length === 0) return null;
          return (
            <section key={group} aria-label={text.runs[group]}>
              {wide && (
                <h2 className="rail-title">
                  <span>{text.runs[group]}</span>
                  <span className="tabular">{runs.length}</span>
                </h2>
              )}
              {runs.map((run) =>
                wide ? (
                  <RailRow key={run.id} run={run} group={group} on={run.id === current} now={now} />
                ) : (
                  <RailMark key={run.id} run={run} group={group} on={run.id === current} now={now} />
                ),
              )}
            </section>
          );
        })}
      </div>
      <div className="rail-foot">
        {wide ? (
          <Button
            look="ghost"
            icon="plus"
            className="rail-new"
            onClick={() => openDialog('newRun')}
            {...held}
            keys={<CommandKeys command="app.newRun" />}
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
