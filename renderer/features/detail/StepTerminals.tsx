import { call } from '../../api';
import { Button } from '../../components/Button';
import { attempt, toast } from '../../state/toasts';
import { setTab, useView } from '../../state/view';
import { useText } from '../../text/language';
import { useSessions } from '../terminals/sessions';
import { chooseTerminal, showMoment } from '../terminals/sessions-shown';
import { Section } from './Section';

/** Sessions named at once; the terminals' own view has all. */
const MOST = 12;

/** Each session as far as it had printed when the step was over. `offsets`: bytes, by `computer:session`. */
export function StepTerminals({ run, offsets }: { run: string; offsets: Record<string, number> }) {
  const words = useText();
  const { format } = words.common;
  const sessions = Object.entries(offsets);
  if (sessions.length === 0) return null;
  return (
    <Section name={words.detail.terminals}>
      <div className="step-terminals">
        {sessions.slice(0, MOST).map(([name, offset]) => (
          <Button
            key={name}
            look="ghost"
            small
            icon="terminal"
            onClick={() => attempt(() => openMoment(run, name, offset))}
          >
            <span className="mono-12">{name}</span>
            <span className="quiet">{words.detail.upTo(format.bytes(offset))}</span>
          </Button>
        ))}
      </div>
    </Section>
  );
}

/** Shows the session in the terminals' pane as it was at that byte. */
async function openMoment(run: string, name: string, offset: number): Promise<void> {
  const sessions = await call('sessions.list', { run });
  // A name may have been used again: the one that had printed so much is meant, the newest of those.
  const found = sessions.findLast(
    (each) => `${each.computer}:${each.session}` === name && each.endOffset >= offset,
  );
  if (found === undefined) {
    toast((text) => text.detail.noSession(name));
    return;
  }
  const review = useView.getState().mode === 'review';
  if (review) setTab('terminals');
  // In Review the pane stands at the step by itself; beside the live ones it is told the moment.
  const show = () => (review ? chooseTerminal(found.uid) : showMoment(found.uid, offset));
  if (useSessions.getState().run === run) return show();
  // The pane forgets what another run showed when it has read its list.
  const stop = useSessions.subscribe((state) => {
    if (state.run !== run) return;
    stop();
    show();
  });
}
