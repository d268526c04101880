import type { IconName } from '../../components/Icon';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import type { NoteLine } from '../../state/row-words';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';

/** What followed a step: a hint, an evaluation, a change of status, a standstill. Part of the step's row. */
export function NoteRow({ line }: { line: NoteLine }) {
  const text = useText();
  if (line.kind === 'hint') {
    return (
      <div role="gridcell" className="note note-hint">
        <i className="gutter gutter-hint" />
        <span className="note-icon">
          <LabelGlyph state="hint" label={text.labels.hint} />
        </span>
        <span className="note-text cut" title={line.text}>
          <b>{text.timeline.hint(line.number)}</b> {line.text}
        </span>
        <span className="text-11 quiet">{text.timeline.hintAfter(line.step)}</span>
      </div>
    );
  }
  const { icon, title, detail, meta, tone } = noteWords(line.note, text);
  return (
    <div role="gridcell" className="note">
      <i className="gutter" />
      <span className={`note-icon ${tone}`}>
        <Icon name={icon} />
      </span>
      <span className="note-text cut" title={`${title} ${detail}`}>
        <b>{title}</b> <span className="quiet">{detail}</span>
      </span>
      <span className="text-11 quiet">{meta}</span>
    </div>
  );
}

interface NoteWords {
  icon: IconName;
  title: string;
  detail: string;
  meta: string;
  tone: string;
}

function noteWords(note: Extract<NoteLine, { kind: 'note' }>['note'], text: Text): NoteWords {
  const words = text.timeline;
  switch (note.kind) {
    case 'score':
      return {
        icon: 'score',
        title:
          note.score === null ? words.scoreUnavailable : words.score(text.common.format.score(note.score)),
        detail: note.message,
        meta: note.forced ? words.forced : note.attempt === null ? '' : words.attempt(note.attempt),
        tone: note.score === null ? 'tone-attention' : 'quiet',
      };
    case 'status':
      return {
        icon:
          note.status === 'failed'
            ? 'warning'
            : note.status === 'finished'
              ? 'done'
              : note.status === 'running'
                ? 'play'
                : 'pause',
        title: words.status(note.status),
        detail: note.message === '' && note.reason !== null ? text.runs.reason(note.reason) : note.message,
        meta: '',
        tone: note.status === 'failed' ? 'tone-danger' : 'quiet',
      };
    case 'gap':
      return {
        icon: 'warning',
        title: words.outputDropped(note.session, note.computer),
        detail: words.droppedBytes(note.from, note.to),
        meta: '',
        tone: 'tone-attention',
      };
    case 'suspended':
      return {
        icon: 'clock',
        title: words.stoodStill(text.common.format.duration(note.ms)),
        detail: '',
        meta: '',
        tone: 'quiet',
      };
  }
}
