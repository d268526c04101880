import { waitsForModel } from '@shared/runs/run-status';
import type { IconName } from '../../components/Icon';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useRuns } from '../../state/run/runs';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import type { NoteLine } from './row-words';
import { LostRow, SummaryRow } from './SummaryRow';

/** What followed a step: a hint, an evaluation, a change of status, a standstill. Part of the step's row. */
export function NoteRow({ line }: { line: NoteLine }) {
  const text = useText();
  const from = line.kind === 'note' && line.note.kind === 'branch' ? line.note.parent.run : null;
  const parent = useRuns((state) => state.list.find(({ id }) => id === from)?.title ?? null);
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
  if (line.kind === 'summary') return <SummaryRow line={line} />;
  if (line.kind !== 'note') return <LostRow line={line} />;
  const { icon, title, detail, meta, tone } = noteWords(line.note, text, parent);
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

/** @param parent Title of the run that a branch comes from; null when it is not known. */
function noteWords(
  note: Extract<NoteLine, { kind: 'note' }>['note'],
  text: Text,
  parent: string | null,
): NoteWords {
  const words = text.timeline;
  const { format } = text.common;
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
                : note.status === 'waiting_host'
                  ? 'unlinked'
                  : 'pause',
        title: waitsForModel({ state: note.status, reason: note.reason })
          ? text.runs.state('waiting_model')
          : words.status(note.status),
        detail:
          note.reason === 'imported'
            ? text.runs.importedEnd
            : note.message === '' && note.reason !== null
              ? text.runs.reason(note.reason)
              : note.message,
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
    case 'unfollowed':
      return {
        icon: 'warning',
        title: words.outputUnfollowed(note.session, note.computer),
        detail: words.unfollowedFrom(note.offset, note.message),
        meta: '',
        tone: 'tone-attention',
      };
    case 'shortened':
      return {
        icon: 'columns',
        title: words.shortened(note.step),
        detail: words.shortenedText(format.count(note.was), format.count(note.kept)),
        meta: '',
        tone: 'quiet',
      };
    case 'images_left_out':
      return {
        icon: 'columns',
        title: words.imagesLeftOut(note.images),
        detail: words.imagesLeftOutText(note.left),
        meta: '',
        tone: 'quiet',
      };
    case 'model':
      return {
        icon: 'chip',
        title: words.modelChanged(note.model),
        detail: words.changedBy(note.by),
        meta: '',
        tone: 'quiet',
      };
    case 'limits':
      return {
        icon: 'settings',
        title: words.limitsChanged,
        detail: words.limitsNow(
          format.count(note.limits.maxSteps),
          format.duration(note.limits.maxWorkingMs),
          note.limits.maxTokens === undefined ? null : format.compact(note.limits.maxTokens),
          note.limits.maxCost === undefined ? null : format.money(note.limits.maxCost),
        ),
        meta: words.changedBy(note.by),
        tone: 'quiet',
      };
    case 'checkpoint':
      return {
        icon: 'disk',
        title: words.checkpoint,
        detail: note.note === '' ? words.checkpointWhy(note.why) : note.note,
        meta: note.bytes === null ? '' : format.bytes(note.bytes),
        tone: 'quiet',
      };
    case 'branch':
      return {
        icon: 'branch',
        title: words.branched(note.parent.step, parent),
        detail: note.message,
        meta: '',
        tone: 'quiet',
      };
    case 'gpu':
      return {
        icon: 'chip',
        title: words.gpu(note.computer, note.state),
        detail: words.gpuSince(format.clock(note.since)),
        meta: '',
        tone: note.state === 'idle' ? 'tone-attention' : 'quiet',
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
