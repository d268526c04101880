import { useEffect, useRef } from 'react';
import { announce, useAnnounce } from '../../state/announce';
import { useCurrentRun } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** The polite live region: new steps and changes of state, gathered into one sentence in ten seconds. */
export function Announcer() {
  const text = useText();
  const sentence = useAnnounce((state) => state.sentence);
  const run = useCurrentRun();
  const steps = useTimeline((state) => state.steps);
  const before = useRef({ run: run?.id, state: run?.state, steps });
  useEffect(() => {
    const last = before.current;
    before.current = { run: run?.id, state: run?.state, steps };
    if (run === undefined || last.run !== run.id) return;
    if (steps > last.steps) announce('steps', text.frame.announceSteps(steps - last.steps));
    if (run.state !== last.state && run.state !== 'thinking' && run.state !== 'acting') {
      announce('state', text.frame.announceState(run.title, text.runs.state(run.state)));
    }
  }, [run, steps, text]);
  return (
    <div className="hidden-visually" aria-live="polite">
      {sentence}
    </div>
  );
}
