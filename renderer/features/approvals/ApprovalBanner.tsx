import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { openRunAt } from '../branches/branches';
import { type Approval, decideApproval, takeBack, useApprovals } from './approvals';

/** An action that waits for a person's word: what, why, and the two answers. The open run's come first. */
export function ApprovalBanner() {
  const text = useText();
  const words = text.approvals;
  const open = useApprovals((state) => state.open);
  const current = useRuns((state) => state.current);
  const list = useRuns((state) => state.list);
  const asked = open.find((one) => one.run === current) ?? open[0];
  if (asked === undefined) return null;
  const title = list.find((run) => run.id === asked.run)?.title ?? '';
  return (
    <Banner
      tone="attention"
      icon="question"
      title={`${asked.run === current ? '' : `${words.run(title)} `}${words.title(asked.step)}`}
      actions={
        <>
          {open.length > 1 && <span className="chip">{words.more(open.length - 1)}</span>}
          <Button small look="primary" onClick={() => attempt(() => decideApproval(asked, 'allow'))}>
            {words.allow}
          </Button>
          {asked.kinds !== undefined && (
            <Button
              small
              title={words.allowKindText(asked.kinds.join('; '))}
              onClick={() => attempt(() => allowKinds(asked))}
            >
              {words.allowKind}
            </Button>
          )}
          <Button small title={words.denyText} onClick={() => attempt(() => decideApproval(asked, 'deny'))}>
            {words.deny}
          </Button>
        </>
      }
    >
      <button
        type="button"
        className="mono-12 approval-what"
        onClick={() => attempt(() => openRunAt(asked.run, asked.step))}
      >
        {asked.what}
      </button>{' '}
      {asked.why} <span className="soft">{words.aid}</span>
    </Banner>
  );
}

async function allowKinds(asked: Approval): Promise<void> {
  const kinds = asked.kinds ?? [];
  await decideApproval(asked, 'allow', true);
  toast((now) => now.approvals.kindAllowed(kinds.join('; ')), {
    say: (now) => now.approvals.takeBack,
    run: () => attempt(() => takeBack(asked.run, kinds)),
  });
}
