import { useState } from 'react';
import { Button } from '../../components/Button';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { JobTray } from './JobTray';
import { activeJobs, isLeft, openTray, progressOf, useJobs } from './jobs';
import { listedBatches, needsPerson, shareOf, useBatches } from './judge-batches';
import './jobs.css';

/** Exports and batches of judges that work or wait, in the title bar; opens the tray. */
export function JobsButton() {
  const text = useText().jobs;
  const { list, open } = useJobs();
  // A state: the tray may be opened by the very job that brings the button.
  const [anchor, setAnchor] = useState<HTMLSpanElement | null>(null);
  useCommand('app.jobs', () => openTray(!useJobs.getState().open));
  const batches = listedBatches(useBatches(), Date.now());
  if (list.length + batches.length === 0) return null;
  const asking = batches.filter(({ state }) => state === 'running');
  const active = activeJobs(list).length + asking.length;
  const needs = list.some((job) => job.state === 'failed' || isLeft(job)) || batches.some(needsPerson);
  const running = list.find(({ state }) => state === 'running');
  const [first] = asking;
  const share = running !== undefined ? progressOf(running) : first === undefined ? null : shareOf(first);
  return (
    <span ref={setAnchor} className="jobs-anchor">
      <Button
        look="ghost"
        small
        icon="list"
        aria-label={text.button(active, needs)}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="jobs-button"
        onClick={() => openTray(!open)}
      >
        {text.title}
        {active > 0 && <span className="tabular">{active}</span>}
        {needs && <b className="tone-attention">{text.needsMark}</b>}
        {share !== null && (
          <span className="meter" aria-hidden="true">
            <i style={{ width: `${share * 100}%` }} />
          </span>
        )}
      </Button>
      {open && anchor !== null && <JobTray anchor={anchor} />}
    </span>
  );
}
