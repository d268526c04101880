import { Button, IconButton } from '../../components/Button';
import { Select } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { runCommand } from '../../state/commands';
import { useFilter } from '../../state/filter';
import { useLabels } from '../../state/labels';
import { giveReason, reasonCodes } from '../../state/reasons';
import { shownRanges } from '../../state/shown-ranges';
import { useCursorHead, useTimeline } from '../../state/timeline';
import { useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../frame/CommandKeys';
import { LabelMenu } from './LabelMenu';

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
  const found = useFilter((state) => state.steps);
  const count = shownRanges(from, to, found).reduce((sum, part) => sum + part.to - part.from + 1, 0);
  const off = problem !== null || cursor === 0;
  const mine =
    head?.label.source === 'human' || head?.label.source === 'adjudication' ? head.label.value : null;
  return (
    <div className="label-bar" role="toolbar" aria-label={words.bar}>
      <div className="label-scope">
        <div className="strong text-12 cut">
          {cursor === 0 ? words.scopeNone : from === to ? words.scopeStep(cursor) : words.scopeRange(count)}
        </div>
        <div className="text-11 quiet tabular cut">
          {from === to ? (head?.tool ?? '') : words.rangeOf(from, to)}
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
            <span className="text-11 quiet">{words.reason}</span>
            {reasonCodes.map((code, index) => (
              <button
                key={code}
                type="button"
                disabled={off}
                className="reason"
                aria-pressed={reason === code}
                aria-label={words.reasonName(code)}
                title={words.reasonName(code)}
                onClick={() => giveReason(index + 1)}
              >
                {index + 1}
              </button>
            ))}
          </fieldset>
          <span className="reasons-folded">
            <Select
              small
              aria-label={words.reason}
              value={reason ?? ''}
              disabled={off}
              options={[
                { value: '', label: words.reason },
                ...reasonCodes.map((code, index) => ({
                  value: code,
                  label: `${index + 1} ${words.reasonName(code)}`,
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

/** From the folded list a reason is chosen as by its number; none lets the armed one go. */
function chooseReason(code: string): void {
  const codes: readonly string[] = reasonCodes;
  const number = codes.indexOf(code) + 1;
  if (number > 0) giveReason(number);
  else useLabels.setState({ reason: null });
}
