import { Button } from '../../components/Button';
import { LabelGlyph } from '../../components/LabelGlyph';
import { runCommand } from '../../state/keys/commands';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';

/** TRAIN and MASK beside the step in Watch; the full bar is in Review. */
export function QuickLabels() {
  const text = useText();
  const writable = useWritable();
  return (
    <span className="quick-labels" title={writable ? undefined : text.labels.blocked}>
      {(['train', 'mask'] as const).map((value) => (
        <Button
          key={value}
          look="ghost"
          small
          disabled={!writable}
          className={`tone-${value}`}
          keys={<CommandKeys command={`label.${value}`} />}
          onClick={() => runCommand(`label.${value}`)}
        >
          <LabelGlyph state={value} />
          {text.labels[value]}
        </Button>
      ))}
    </span>
  );
}
