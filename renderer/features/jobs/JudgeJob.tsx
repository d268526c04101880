import type { JudgeBatchView, JudgeQueue } from '@shared/contract/judge-views';
import { Button } from '../../components/Button';
import { Icon, type IconName } from '../../components/Icon';
import { useAsked } from '../../state/answers';
import { openRun, useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { useOnlyRead } from '../../state/workspace';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { openJudgeQuality } from '../plots/plots-state';
import { openTray } from './jobs';
import { dismissBatch, needsPerson, resumeBatch, reviewQueue, shareOf, stopBatch } from './judge-batches';

type Word = keyof Text['judging']['state'];

const icons: Readonly<Record<Word, IconName>> = {
  asking: 'working',
  stopping: 'working',
  done: 'check',
  cancelled: 'stop',
  cost: 'warning',
  failed: 'warning',
  interrupted: 'warning',
};

/** A batch of a judge in the tray: how far it is, what it has cost, and in the end what it found. */
export function JudgeJob({ batch }: { batch: JudgeBatchView }) {
  const text = useText();
  const words = text.judging;
  const { count } = text.common.format;
  const { id, mode, isTrial, judge, state, isHere, failure, found, missing, votes } = batch;
  const word = wordOf(batch);
  const isRunning = state === 'running';
  const share = shareOf(batch);
  const say = mode === 'mask' ? words.found : words.rated;
  const results = [
    ...(found !== null && votes > 0 ? [say(count(found.masks), count(found.keeps))] : []),
    ...(found !== null && found.unparsable > 0
      ? [words.unparsable(count(found.unparsable), found.unparsable)]
      : []),
    ...(missing > 0 ? [words.missing(count(missing), missing)] : []),
  ];
  return (
    <li className="job" data-batch={id} data-state={word}>
      <p className="job-head">
        <span className={needsPerson(batch) ? 'tone-attention' : ''}>
          <Icon name={icons[word]} />
        </span>
        <b className="medium cut">{words.job(judge)}</b>
        <span className="quiet">{words.state[word]}</span>
      </p>
      <AskedAbout batch={batch} />
      {isRunning && (
        <div
          className="job-bar"
          role="progressbar"
          aria-label={words.progress(judge)}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(share === null ? {} : { 'aria-valuenow': Math.floor(share * 100) })}
        >
          <i style={{ width: `${(share ?? 0) * 100}%` }} />
        </div>
      )}
      <p className="text-12 soft tabular">
        {factsOf(batch, text).join(' · ')}
        {isRunning && share !== null && (
          <b className="job-share medium">{text.jobs.percent(Math.floor(share * 100))}</b>
        )}
      </p>
      {results.length > 0 && !isRunning && (
        <p className="text-12 tabular" data-testid="batch-found">
          {results.join(' · ')}
        </p>
      )}
      {found === null && votes > 0 && <p className="text-12 soft">{words.withheld}</p>}
      {isRunning && !isHere && <p className="text-12 soft">{words.elsewhere}</p>}
      {state === 'interrupted' && <p className="text-12 soft">{words.interruptedText}</p>}
      {failure !== null && (
        <p className="text-12 job-error" role="alert">
          {text.frame.failure(failure)}
        </p>
      )}
      <div className="job-actions">
        {isRunning && <StopButton batch={batch} />}
        {!isRunning && <ResumeButton batch={batch} />}
        {!isRunning && mode === 'mask' && !isTrial && votes > 0 && found !== null && (
          <>
            <ReviewButton batch={batch} queue="differs" />
            <ReviewButton batch={batch} queue="unsure" />
          </>
        )}
        {!isRunning && !isTrial && votes > 0 && found !== null && <QualityButton batch={batch} />}
        <span className="space" />
        {!isRunning && (
          <Button look="ghost" small onClick={() => dismissBatch(id)}>
            {text.common.dismiss}
          </Button>
        )}
      </div>
    </li>
  );
}

function wordOf({ state, why, isStopping }: JudgeBatchView): Word {
  if (state === 'running') return isStopping ? 'stopping' : 'asking';
  if (state === 'ended') return why ?? 'failed';
  return state;
}

function AskedAbout({ batch: { mode, isTrial, model, runs, runCount, steps } }: { batch: JudgeBatchView }) {
  const text = useText();
  const words = text.judging;
  const [first] = runs;
  const title = useRuns((state) => state.list.find(({ id }) => id === first)?.title);
  const which =
    runCount === 1 && title !== undefined ? title : words.runCount(text.common.format.count(runCount));
  const special = isTrial ? words.whatTrial : mode === 'reward' ? words.whatRewards : null;
  const what = words.what(special === null ? model : `${model} · ${special}`, which, steps);
  return (
    <p className="text-12 quiet cut" title={what}>
      {what}
    </p>
  );
}

function factsOf(batch: JudgeBatchView, text: Text): string[] {
  const { mode, total, votes, asked, cost, maxCost, isPriced, inputTokens, outputTokens } = batch;
  const words = text.judging;
  const { count, compact, money } = text.common.format;
  const spent =
    cost === null || !isPriced ? null : cost > 0 && cost < 0.01 ? words.lessThan(money(0.01)) : money(cost);
  return [
    total === null
      ? words.votes(count(votes), votes)
      : (mode === 'mask' ? words.votesOf : words.ofVotes)(count(votes), count(total)),
    words.requestCount(count(asked), asked),
    words.tokenCount(compact(inputTokens + outputTokens)),
    ...(spent === null ? [] : [maxCost === null ? spent : words.costOf(spent, money(maxCost))]),
  ];
}

function StopButton({ batch: { id, isHere, isStopping } }: { batch: JudgeBatchView }) {
  const text = useText();
  // Another process is asked by a mark in the workspace.
  const held = useOnlyRead() && !isHere ? { title: text.frame.onlyReadWhy } : null;
  return (
    <Button
      small
      icon="stop"
      disabled={isStopping || held !== null}
      onClick={() => stopBatch(id)}
      {...(held ?? {})}
    >
      {text.judging.stop}
    </Button>
  );
}

function ResumeButton({ batch }: { batch: JudgeBatchView }) {
  const text = useText();
  const words = text.judging;
  const onlyRead = useOnlyRead();
  const { id, state, why, cost, spent, maxCost, missing } = batch;
  if (state === 'done' && missing === 0) return null;
  const held = onlyRead ? { disabled: true, title: text.frame.onlyReadWhy } : {};
  // At its limit it goes on with as much again, beyond what that has counted: answers without a cost of their own among it.
  const counted = spent ?? cost ?? 0;
  const more = why === 'cost' && maxCost !== null ? Math.ceil((counted + maxCost) * 100) / 100 : null;
  return (
    <Button small icon="play" onClick={() => resumeBatch(id, more)} {...held}>
      {more !== null
        ? words.resumeUpTo(text.common.format.money(more))
        : state === 'done'
          ? words.askAgain
          : words.resume}
    </Button>
  );
}

/** Leads to the figures on this judge, over its run or over all where it judged several. */
function QualityButton({ batch: { judge, runs } }: { batch: JudgeBatchView }) {
  const words = useText().judging;
  const [only, another] = runs;
  return (
    <Button
      small
      look="ghost"
      onClick={() =>
        attempt(async () => {
          openTray(false);
          if (only !== undefined && another === undefined) await openRun(only);
          openJudgeQuality({ judge, allRuns: another !== undefined });
        })
      }
    >
      {words.quality}
    </Button>
  );
}

/** Leads to the steps on which rule and judge differ, or the judge is not sure; nothing where there are none. */
function ReviewButton({ batch: { id, votes }, queue }: { batch: JudgeBatchView; queue: JudgeQueue }) {
  const words = useText().judging;
  const { count } = useText().common.format;
  const { value } = useAsked('judge.queued', { batch: id, queue }, votes);
  const run = value?.run ?? null;
  if (value === null || run === null) return null;
  return (
    <Button small icon="eye" onClick={() => attempt(() => reviewQueue(run, queue))}>
      {words.reviewOf[queue](count(value.count), value.count)}
    </Button>
  );
}
