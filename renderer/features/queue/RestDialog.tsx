import { joined, type StepRange } from '@shared/contract/step-range';
import { common, stepsIn, without } from '@shared/labels/review/step-ranges';
import { useState } from 'react';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { CheckLine, FormLine, TextField } from '../../components/Field';
import { useAskedWith } from '../../state/answers';
import { useCurrentRun } from '../../state/run/runs';
import { useText } from '../../text/language';
import { give } from '../labels/labels';

/** Masked steps that are named one by one. */
const NAMED = 60;
const sources = ['rule', 'judge'] as const;
const values = ['train', 'mask'] as const;

/** Confirms what no person has decided as TRAIN, in one entry; what machines mask stays out unless it is ticked. */
export function RestDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.queue;
  const { count } = text.common.format;
  const run = useCurrentRun();
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const [all, setAll] = useState(false);
  const [reason, setReason] = useState('');
  const id = run?.id ?? '';
  const from = (run?.parent?.step ?? 0) + 1;
  const to = run?.steps ?? 0;
  const { value: found, failure } = useAskedWith(['labels.rest', id, from, to], () => lookAt(id, from, to));
  if (run === undefined) return null;
  const masked = found === null ? [] : found.masked;
  const lifted = all ? masked : masked.filter((step) => ticked.has(step));
  const parts = found === null ? [] : without(found.parts, without(rangesOf(masked), rangesOf(lifted)));
  const steps = stepsIn(parts);
  const ready = steps > 0 && (lifted.length === 0 || reason.trim() !== '');
  function confirm(): void {
    onClose();
    void give({
      run: id,
      parts,
      value: 'train',
      reason: lifted.length === 0 ? null : reason.trim(),
    });
  }
  return (
    <ActionDialog
      title={words.restTitle}
      onClose={onClose}
      label={words.restDo(count(steps))}
      disabled={!ready}
      onDo={confirm}
    >
      {failure !== null && <p role="alert">{failure.message}</p>}
      {found !== null && (
        <div data-testid="rest">
          <p>{found.steps === 0 ? words.restNothing : words.restLead(count(found.steps))}</p>
          <h3 className="text-12 strong">{words.restWhat}</h3>
          <ul className="queue-counts">
            {found.counts.map((each) => (
              <li key={`${each.value} ${each.source}`}>
                {words.restCount(text.labels[each.value], words.restBy[each.source], count(each.steps))}
              </li>
            ))}
          </ul>
          {found.left > 0 && <p className="text-12">{words.restLeft(count(found.left))}</p>}
          {masked.length > 0 && (
            <>
              <p>{words.restMasked(count(masked.length))}</p>
              <CheckLine checked={all} onChange={setAll} label={words.restAll} />
              <div className="queue-masked">
                {masked.slice(0, NAMED).map((step) => (
                  <CheckLine
                    key={step}
                    checked={all || ticked.has(step)}
                    disabled={all}
                    label={count(step)}
                    onChange={(on) => {
                      const next = new Set(ticked);
                      if (on) next.add(step);
                      else next.delete(step);
                      setTicked(next);
                    }}
                  />
                ))}
              </div>
              {masked.length > NAMED && (
                <p className="text-12 quiet">{words.restMore(count(masked.length - NAMED))}</p>
              )}
            </>
          )}
          {lifted.length > 0 && (
            <FormLine label={words.restReason}>
              {({ id: field }) => (
                <TextField
                  id={field}
                  maxLength={400}
                  value={reason}
                  onChange={(event) => setReason(event.target.value)}
                />
              )}
            </FormLine>
          )}
        </div>
      )}
    </ActionDialog>
  );
}

async function lookAt(run: string, from: number, to: number) {
  const [rest, masks, ...sums] = await Promise.all([
    call('labels.rest', { run, from, to }),
    call('timeline.matches', { run, query: { label: ['mask'], marks: ['unconfirmed'], from, to } }),
    ...sources.flatMap((source) =>
      values.map(async (value) => ({
        source,
        value,
        steps: (
          await call('timeline.count', {
            run,
            query: { label: [value], source: [source], marks: ['unconfirmed'], from, to },
          })
        ).total,
      })),
    ),
  ]);
  const within = common(rangesOf(masks.steps), rest.parts);
  const masked = within.flatMap((range) =>
    Array.from({ length: range.to - range.from + 1 }, (_, index) => range.from + index),
  );
  const open = { source: 'none' as const, value: 'undecided' as const, steps: rest.now.undecided };
  const counts = [...sums, open].filter((each) => each.steps > 0);
  return { parts: rest.parts, steps: rest.steps, left: rest.left, masked, counts };
}

function rangesOf(steps: readonly number[]): StepRange[] {
  return joined(steps.map((step) => ({ from: step, to: step })));
}
