import { useRef } from 'react';
import { Button } from '../../components/Button';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { inboxCount, isUrgent, toggleInbox, useInbox } from './attention';
import { InboxPanel } from './InboxPanel';
import './inbox.css';

/** How many things want a person, in the title bar; opens the list of them. */
export function InboxButton() {
  const text = useText().inbox;
  const list = useInbox((state) => state.list);
  const open = useInbox((state) => state.open);
  const anchor = useRef<HTMLSpanElement>(null);
  useCommand('app.inbox', toggleInbox);
  const count = inboxCount(list);
  return (
    <span ref={anchor} className="inbox-anchor">
      <Button
        look="ghost"
        small
        icon="inbox"
        aria-label={text.button(count)}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="inbox-button"
        onClick={toggleInbox}
      >
        {text.title}
        {count > 0 && (
          <span className={`inbox-count tabular ${isUrgent(list) ? 'inbox-count-urgent' : ''}`}>
            {count > 99 ? '99+' : count}
            {isUrgent(list) && ' !'}
          </span>
        )}
      </Button>
      {open && <InboxPanel anchor={anchor.current} />}
    </span>
  );
}
