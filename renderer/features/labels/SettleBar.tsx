import type { LabelStack } from '@shared/contract/views';
import { Button } from '../../components/Button';
import { LabelGlyph } from '../../components/LabelGlyph';
import { runCommand } from '../../state/keys/commands';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { useLabels } from './labels';

/** Where people differ: two buttons that settle it, with the reason that goes along. */
export function SettleBar({ stack }: { stack: LabelStack }) {
  const text = useText();
  const words = text.labels;
  const reason = useLabels((state) => state.reason);
  const writable = useWritable();
  if (stack.why.code !== 'humans_differ' && stack.why.code !== 'adjudications_differ') return null;
  return (
    <section className="settle" aria-label={words.settle}>
      <div className="strong text-12">{words.settle}</div>
      <div className="row">
        {(['train', 'mask'] as const).map((value) => {
          const command = value === 'train' ? 'label.settleTrain' : 'label.settleMask';
          return (
            <Button
              key={value}
              className={`tone-${value}`}
              disabled={!writable}
              keys={<CommandKeys command={command} />}
              onClick={() => runCommand(command)}
            >
              <LabelGlyph state={value} />
              {words[value]}
            </Button>
          );
        })}
      </div>
      <p className="text-11 quiet">
        {reason === null ? words.settleHint : words.settleReason(words.reasonName(reason))}
      </p>
    </section>
  );
}
