import type { RunAttention } from '@shared/runs/attention/attention';
import { Empty } from '../../components/Empty';
import { useNow } from '../../components/useNow';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { goTo, useInbox } from './attention';
import { ItemRow } from './ItemRow';

/** Items of one run that are shown; the rest is a number. */
const SHOWN = 8;
/** Runs that are shown: who comes back after weeks sees what is most urgent. */
const RUNS = 60;

/** What is new or still open, run by run, the most urgent first. */
export function InboxNews() {
  const text = useText();
  const list = useInbox((state) => state.list);
  const now = useNow(10_000);
  const behind = list.reduce((sum, run) => sum + run.behind, 0);
  const told = list.filter(({ items }) => items.length > 0);
  const grown = list.filter(
    ({ items, newSteps, behind: left }) => items.length === 0 && newSteps > 0 && left === 0,
  );
  if (told.length === 0 && grown.length === 0) {
    return (
      <Empty
        icon="inbox"
        title={behind > 0 ? text.inbox.reading(text.common.format.count(behind)) : text.inbox.nothing}
        {...(behind > 0 ? {} : { text: text.inbox.nothingText })}
      />
    );
  }
  return (
    <>
      {behind > 0 && <p className="inbox-note">{text.inbox.reading(text.common.format.count(behind))}</p>}
      {[...told, ...grown].slice(0, RUNS).map((run) => (
        <RunNews key={run.run} news={run} now={now} />
      ))}
    </>
  );
}

function RunNews({ news, now }: { news: RunAttention; now: number }) {
  const text = useText();
  const { format } = text.common;
  const { run, title, newSteps, seenAt, items } = news;
  const shown = items.slice(0, SHOWN);
  return (
    <section className="inbox-run" aria-label={title}>
      <button
        type="button"
        className="inbox-run-head"
        data-item={items.length === 0 ? '' : undefined}
        onClick={() => attempt(() => goTo(run, null))}
      >
        <b className="cut">{title}</b>
        <span className="space" />
        {newSteps > 0 && <span>{text.inbox.newSteps(newSteps, format.count(newSteps))}</span>}
        <span>{seenAt === null ? text.inbox.neverSeen : format.ago(seenAt, now)}</span>
      </button>
      {shown.map((item) => (
        <ItemRow key={item.id} item={item} now={now} />
      ))}
      {items.length > SHOWN && <p className="inbox-note">{text.inbox.more(items.length - SHOWN)}</p>}
    </section>
  );
}
