import { useRef } from 'react';
import { Button } from '../../components/Button';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { JobTray } from './JobTray';
import { activeJobs, isLeft, openTray, progressOf, useJobs } from './jobs';
import './jobs.css';

/** Exports that work or wait, in the title bar; opens the tray. */
export function JobsButton() {
  const text = useText().jobs;
  const { list, open } = useJobs();
  const anchor = useRef<HTMLSpanElement>(null);
  useCommand('app.jobs', () => openTray(!useJobs.getState().open));
  if (list.length === 0) return null;
  const active = activeJobs(list);
  const needs = list.some((job) => job.state === 'failed' || isLeft(job));
  const running = active.find(({ state }) => state === 'running');
  const share = running === undefined ? null : progressOf(running);
  return (
    <span ref={anchor} className="jobs-anchor">
      <Button
        look="ghost"
        small
        icon="list"
        aria-label={text.button(active.length, needs)}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="jobs-button"
        onClick={() => openTray(!open)}
      >
        {text.title}
        {active.length > 0 && <span className="tabular">{active.length}</span>}
        {needs && <b className="tone-attention">{text.needsMark}</b>}
        {share !== null && (
          <span className="meter" aria-hidden="true">
            <i style={{ width: `${share * 100}%` }} />
          </span>
        )}
      </Button>
      {open && <JobTray anchor={anchor.current} />}
    </span>
  );
}
