import { type KeepCode, keepCodes, reasonCodes } from '@shared/labels/guideline';
import { stepsIn } from '@shared/labels/review/step-ranges';
import { Button, IconButton } from '../../components/Button';
import { Select } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { runCommand } from '../../state/keys/commands';
import { useRows } from '../../state/rows/rows';
import { useDetail } from '../../state/run/detail';
import { useCursorHead, useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import { useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { KeepReasons } from './KeepReasons';
import { LabelMenu } from './LabelMenu';
import { sayParts } from './label-words';
import { useLabels } from './labels';
import { giveKeepReason, giveReason, useReasonTarget } from './reasons';

/** Where a step is decided: above the step, so that reading and deciding are one place. */
export function LabelBar() {
  const text = useText();
  const words = text.labels;
  const cursor = useTimeline((state) => state.cursor);
  const anchor = useTimeline((state) => state.anchor);
  const reason = useLabels((state) => state.reason);
  const problem = useWorkspace((state) => state.problem);
  const head = useCursorHead();
  const from = Math.min(cursor, anchor ?? cursor);
  const to = Math.max(cursor, anchor ?? cursor);
  const rows = useRows();
  const parts = from === to ? [{ from, to }] : rows.shownIn(from, to);
  const target = useReasonTarget();
  const reasonFor = target === null ? null : sayParts(text, target.parts, 1);
  const given = useGivenReason();
  const shownReason = target === null ? given : target.decided ? null : reason;
  const off = problem !== null || cursor === 0;
  const mine =
    head?.label.source === 'human' || head?.label.source === 'adjudication' ? head.label.value : null;
  return (
    <div className="label-bar" role="toolbar" aria-label={words.bar}>
      <div className="label-scope">
        <div className="strong text-12 cut">
          {cursor === 0
            ? words.scopeNone
            : from === to
              ? words.scopeStep(cursor)
              : words.scopeRange(stepsIn(parts))}
        </div>
        <div className="text-11 quiet tabular cut">
          {from !== to ? sayParts(text, parts) : rows.shows(cursor) ? (head?.tool ?? '') : words.notShown}
        </div>
      </div>
      {(['train', 'mask'] as const).map((value) => (
        <button
          key={value}
          type="button"
          disabled={off}
          aria-pressed={mine === value}
          className={`label-button label-${value}`}
          onClick={() => runCommand(`label.${value}`)}
        >
          <LabelGlyph state={value} />
          {words[value]}
          <CommandKeys command={`label.${value}`} />
        </button>
      ))}
      <Button
        disabled={off}
        keys={<CommandKeys command="label.agree" />}
        onClick={() => runCommand('label.agree')}
      >
        {words.agree}
      </Button>
      <Button
        disabled={off}
        keys={<CommandKeys command="label.clear" />}
        onClick={() => runCommand('label.clear')}
      >
        {words.clear}
      </Button>
      {problem === null ? (
        <>
          <fieldset className="reasons" aria-label={words.reason}>
            <span className="reasons-name text-11 quiet">
              <span>{words.reason}</span>
              {reasonFor !== null && <b className="tabular cut">{words.reasonFor(reasonFor)}</b>}
            </span>
            {reasonCodes.map((code, index) => (
              <button
                key={code}
                type="button"
                disabled={off}
                className="reason"
                aria-pressed={shownReason === code}
                aria-label={words.reasonName(code)}
                title={words.reasonName(code)}
                onClick={() => giveReason(index + 1)}
              >
                {index + 1}
              </button>
            ))}
            <KeepReasons shown={shownReason} disabled={off} />
          </fieldset>
          <span className="reasons-folded">
            <Select
              small
              aria-label={words.reason}
              value={codeOf(shownReason)}
              disabled={off}
              options={[
                { value: '', label: reasonFor === null ? words.reason : words.reasonOf(reasonFor) },
                ...reasonCodes.map((code, index) => ({
                  value: code,
                  label: `${index + 1} ${words.reasonName(code)}`,
                })),
                ...keepCodes.map((code) => ({
                  value: code,
                  label: `${words.train}: ${words.reasonName(code)}`,
                })),
              ]}
              onChoose={chooseReason}
            />
          </span>
          <span className="space" />
          <IconButton
            icon="flag"
            label={head?.flagged === true ? words.unflag : words.flag}
            aria-pressed={head?.flagged === true}
            disabled={off}
            onClick={() => runCommand('label.flag')}
          />
          <IconButton
            icon="comment"
            label={words.comment}
            disabled={off}
            onClick={() => runCommand('label.comment')}
          />
          <LabelMenu disabled={off} />
        </>
      ) : (
        <>
          <span className="space" />
          <span className="row text-12 tone-danger label-blocked">
            <Icon name="lock" />
            {problem.code === 'disk_full' ? words.blockedDisk : words.blocked}
          </span>
        </>
      )}
    </div>
  );
}

/** The reason of the person's own decision on the step under the cursor. */
function useGivenReason(): string | null {
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const me = useSettings((state) => state.settings?.annotator.uuid);
  const humans = useDetail(run, cursor)?.labels.humans;
  return humans?.find(({ author }) => author.uuid === me)?.reason ?? null;
}

/** The folded list knows the nine reasons and those to keep, not those in a person's own words. */
function codeOf(reason: string | null): string {
  const codes: readonly string[] = [...reasonCodes, ...keepCodes];
  return reason !== null && codes.includes(reason) ? reason : '';
}

/** From the folded list a reason is chosen as by its number; none lets the armed one go. */
function chooseReason(code: string): void {
  const codes: readonly string[] = reasonCodes;
  const number = codes.indexOf(code) + 1;
  const keep = keepCodes.find((each): each is KeepCode => each === code);
  if (number > 0) giveReason(number);
  else if (keep !== undefined) giveKeepReason(keep);
  else useLabels.setState({ reason: null });
}
