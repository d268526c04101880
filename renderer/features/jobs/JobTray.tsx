import type { ExportJob } from '@shared/contract/export-views';
import { call } from '../../api';
import { AnchoredPanel } from '../../components/AnchoredPanel';
import { Button, IconButton } from '../../components/Button';
import { Icon, type IconName } from '../../components/Icon';
import { showDataset } from '../../state/export-page';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { JudgeJob } from './JudgeJob';
import { cancelJob, isLeft, isOver, openTray, pauseJob, progressOf, resumeJob, useJobs } from './jobs';
import { listedBatches, useBatches } from './judge-batches';

/** The list of exports and batches of judges over the page; it stays while other screens are worked in, and Escape closes it. */
export function JobTray({ anchor }: { anchor: HTMLElement | null }) {
  const text = useText().jobs;
  const list = useJobs((state) => state.list);
  const batches = listedBatches(useBatches(), Date.now());

  return (
    <AnchoredPanel anchor={anchor} most={560} onClose={() => openTray(false)} label={text.title} name="jobs">
      {(leave) => (
        <>
          <div className="jobs-head">
            <h2>{text.title}</h2>
            <span className="space" />
            <IconButton icon="close" label={text.close} onClick={leave} />
          </div>
          <ul className="jobs-list">
            {batches.map((batch) => (
              <JudgeJob key={batch.id} batch={batch} />
            ))}
            {list.map((job) => (
              <Job key={job.id} job={job} />
            ))}
          </ul>
          {list.length + batches.length === 0 && <p className="jobs-none text-12 quiet">{text.none}</p>}
        </>
      )}
    </AnchoredPanel>
  );
}

const icons: Readonly<Record<ExportJob['state'], IconName>> = {
  waiting: 'clock',
  running: 'working',
  paused: 'pause',
  done: 'check',
  failed: 'warning',
  cancelled: 'stop',
};

function Job({ job }: { job: ExportJob }) {
  const words = useText();
  const text = words.jobs;
  const { count, bytes, duration } = words.common.format;
  const share = progressOf(job);
  const left = isLeft(job);
  const over = isOver(job.state);
  const facts = [
    ...(over ? [] : [text.events(count(job.done), job.total > 0 ? count(job.total) : words.common.unknown)]),
    ...(job.records > 0 ? [text.records(count(job.records), job.records)] : []),
    ...(job.bytes > 0 ? [bytes(job.bytes)] : []),
    ...(job.state === 'running' && job.rate !== null ? [text.rate(count(Math.round(job.rate)))] : []),
    ...(job.state === 'running' && job.secondsLeft !== null
      ? [text.timeLeft(duration(Math.ceil(job.secondsLeft) * 1000))]
      : []),
  ];
  return (
    <li className="job" data-job={job.id} data-state={job.state}>
      <p className="job-head">
        <span className={job.state === 'failed' || left ? 'tone-attention' : ''}>
          <Icon name={left ? 'warning' : icons[job.state]} />
        </span>
        <b className="medium">{words.exporting.targetName[job.format]}</b>
        <span className="quiet">{left ? text.interrupted : text.state[job.state]}</span>
      </p>
      <p className="job-folder mono-11 quiet cut" title={job.folder}>
        {job.folder}
      </p>
      {!over && (
        <div
          className="job-bar"
          role="progressbar"
          aria-label={text.progress(words.exporting.targetName[job.format])}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(share === null ? {} : { 'aria-valuenow': Math.floor(share * 100) })}
          data-paused={job.state !== 'running'}
        >
          <i style={{ width: `${(share ?? 0) * 100}%` }} />
        </div>
      )}
      <p className="text-12 soft tabular">
        {facts.join(' · ')}
        {share !== null && !over && (
          <b className="job-share medium">{text.percent(Math.floor(share * 100))}</b>
        )}
      </p>
      {left && <p className="text-12 soft">{text.interruptedText}</p>}
      {job.error !== null && (
        <p className="text-12 job-error" role="alert">
          {words.frame.failure(job.error)}
        </p>
      )}
      <div className="job-actions">
        {(job.state === 'running' || job.state === 'waiting') && (
          <Button small icon="pause" onClick={() => pauseJob(job.id)}>
            {text.pause}
          </Button>
        )}
        {job.state === 'paused' && (
          <Button small icon="play" onClick={() => resumeJob(job.id)}>
            {text.resume}
          </Button>
        )}
        {!over && (
          <Button small icon="stop" onClick={() => cancelJob(job.id)}>
            {text.cancel}
          </Button>
        )}
        {job.state === 'done' && (
          <>
            <Button
              small
              icon="folder"
              onClick={() => attempt(() => call('datasets.openFolder', { job: job.id }))}
            >
              {text.openFolder}
            </Button>
            {job.result !== null && <ShowDataset id={job.result.id} />}
          </>
        )}
        <span className="space" />
        {over && (
          <Button look="ghost" small onClick={() => cancelJob(job.id)}>
            {words.common.dismiss}
          </Button>
        )}
      </div>
    </li>
  );
}

function ShowDataset({ id }: { id: string }) {
  const text = useText().jobs;
  return (
    <Button
      small
      onClick={() => {
        openTray(false);
        showDataset(id);
      }}
    >
      {text.showDataset}
    </Button>
  );
}
