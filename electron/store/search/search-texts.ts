import { lineChanges } from '@shared/base/line-diff';
import type { SearchField } from '@shared/contract/search/views';
import type { EventBody, EventKind, RunEvent } from '@shared/log/events';

/** Everything of one step that can be found, by where it stands. */
export type StepTexts = Record<SearchField, string>;

/** Of a text that a file had before or got: what is longer is not compared line by line. */
const MAX_COMPARED = 512 * 1024;
/** Changed lines of one revision, characters. */
const MAX_CHANGED = 64 * 1024;

/** Which kinds of events fill which fields, in the order of the fields; a later stage may need the events of those before. */
export const fieldStages: readonly { fields: readonly SearchField[]; kinds: readonly EventKind[] }[] = [
  { fields: ['thought', 'arguments'], kinds: ['model.answered', 'action.started'] },
  { fields: ['observation'], kinds: ['action.observed', 'step.taught', 'evaluation.ended', 'summary.ended'] },
  { fields: ['hint'], kinds: ['hint.delivered'] },
  { fields: ['file'], kinds: ['file.changed'] },
];

/** What the index holds of one step; indexing, snippets and scans use it. */
export function searchTexts(events: readonly RunEvent[], step: number): StepTexts {
  const texts: Record<SearchField, string[]> = {
    thought: [],
    arguments: [],
    observation: [],
    hint: [],
    file: [],
  };
  const written = new Set<string>();
  for (const event of events) {
    if (!('step' in event.body) || event.body.step !== step) {
      continue;
    }
    switch (event.kind) {
      case 'model.answered': {
        const { kind, text, reasoning, calls, invalid } = event.body;
        texts.thought.push(text, reasoning);
        // Arguments of a valid call come with `action.started`, decoded.
        texts.arguments.push(
          ...calls.filter((_, index) => invalid[index] !== null).map((call) => call.arguments),
        );
        // No action follows a summary's call: its arguments are the summary.
        if (kind === 'summary') texts.arguments.push(...calls.map((call) => stringsIn(call.arguments)));
        break;
      }
      case 'action.started': {
        const values = Object.values(event.body.args).map(String);
        texts.arguments.push(event.body.name, ...values);
        for (const value of values) written.add(value);
        break;
      }
      case 'action.observed':
        texts.observation.push(event.body.text, event.body.error?.message ?? '');
        break;
      case 'step.taught':
        texts.observation.push(event.body.text);
        break;
      case 'evaluation.ended':
        texts.observation.push(event.body.message);
        break;
      case 'summary.ended':
        texts.observation.push(...event.body.missing.map(({ text }) => text));
        break;
      case 'hint.delivered':
        texts.hint.push(...event.body.hints.map(({ text }) => text));
        break;
      case 'file.changed':
        texts.file.push(event.body.path, changedText(event.body, written));
        break;
      default:
        break;
    }
  }
  const join = (parts: string[]) => parts.filter((part) => part !== '').join('\n');
  return {
    thought: join(texts.thought),
    arguments: join(texts.arguments),
    observation: join(texts.observation),
    hint: join(texts.hint),
    file: join(texts.file),
  };
}

/** The texts inside a JSON value, without its signs; what is no JSON stays as it is. */
function stringsIn(json: string): string {
  const strings: string[] = [];
  const gather = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) gather(each);
  };
  try {
    gather(JSON.parse(json));
  } catch {
    return json;
  }
  return strings.join('\n');
}

/**
 * The lines that a revision added or took away; '' when there are none or they are not text. A file that was written whole
 * stands in the call's arguments already.
 */
function changedText(change: EventBody<'file.changed'>, written: ReadonlySet<string>): string {
  const { beforeText, text } = change;
  if (text === null || (beforeText === null && written.has(text))) return '';
  if (text.length + (beforeText?.length ?? 0) > MAX_COMPARED) return text.slice(0, MAX_CHANGED);
  if (beforeText === null) return text.slice(0, MAX_CHANGED);
  const changed = lineChanges(beforeText, text).flatMap(({ kind, lines }) => (kind === 'same' ? [] : lines));
  return changed.join('\n').slice(0, MAX_CHANGED);
}
