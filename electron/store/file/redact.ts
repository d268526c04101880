import { type HeadMessage, noticesOf } from '@shared/log/event-parts';
import { type EventBody, eventBodies, type RunEvent } from '@shared/log/events';
import type { ImagePart } from '@shared/log/image-part';
import type { StoredRunState } from '../log/run-state';

/**
 * An event's body without what people, models, commands and files said. Structure, numbers, names of
 * sessions and files, hashes and outcomes stay, so that timeline, counts and scores still hold.
 */
export function redactBody(event: RunEvent): string {
  return JSON.stringify(eventBodies[event.kind].parse({ ...event.body, ...withoutText(event) }));
}

function withoutText(event: RunEvent): Record<string, unknown> {
  switch (event.kind) {
    case 'run.created':
      return { spec: {} };
    case 'run.status':
    case 'model.failed':
    case 'evaluation.ended':
    case 'session.unfollowed':
      return { message: '' };
    case 'segment.started': {
      const { hints, reflected } = event.body;
      const head = event.body.head.map(wordlessMessage);
      const wordless = (list: readonly { id: string }[]) => list.map(({ id }) => ({ id, text: '' }));
      return {
        head,
        tools: [],
        request: {},
        ...(hints === undefined ? {} : { hints: wordless(hints) }),
        ...(reflected === undefined ? {} : { reflected: wordless(reflected) }),
      };
    }
    case 'model.requested':
      return { tail: '' };
    case 'model.answered':
      return withoutAnswer(event.body);
    case 'action.started':
      return { args: {}, guards: event.body.guards.map((guard) => ({ ...guard, message: '' })) };
    case 'action.observed':
      return withoutObservation(event.body);
    case 'step.taught':
      return { text: '' };
    case 'hint.delivered':
      return withoutHints(event.body);
    case 'step.inherited': {
      const { answered, observed, delivered, lines } = event.body;
      return {
        answered: { ...answered, ...withoutAnswer(answered) },
        observed: observed.map((each) => ({ ...each, ...withoutObservation(each) })),
        taught: null,
        delivered: delivered.map((each) => ({ ...each, ...withoutHints(each) })),
        ...(lines === undefined ? {} : { lines: lines.map(({ after }) => ({ after, text: '' })) }),
      };
    }
    case 'branch.began':
      return { message: '', added: event.body.added.map(({ id }) => ({ id, text: '' })) };
    case 'checkpoint.made': {
      const sessions = event.body.sessions.map((each) => ({ ...each, env: {}, running: null }));
      return { note: '', message: '', sessions };
    }
    case 'summary.started': {
      const head = event.body.head.map(wordlessMessage);
      return { head, closing: '', tools: [], request: {} };
    }
    case 'summary.rejected': {
      const calls = event.body.calls.map(({ id, name }) => ({ id, name, arguments: '' }));
      return { problem: '', text: '', reasoning: '', calls };
    }
    case 'summary.ended':
      return { missing: event.body.missing.map(({ kind }) => ({ kind, text: '' })) };
    case 'run.imported':
      return { left: [], unknown: {} };
    case 'step.imported':
      return { unknown: {} };
    case 'file.changed':
      return { beforeText: null, text: null };
    case 'approval.asked':
      return { what: '', why: '', kinds: undefined };
    case 'approval.decided':
      return { kinds: undefined, reason: undefined };
    case 'approval.withdrawn':
      return { kind: '' };
    case 'setup.done':
      // The id of a command ends with its text.
      return { id: event.body.id.split(':').slice(0, 3).join(':'), title: '', message: '' };
    default:
      return {};
  }
}

function withoutAnswer({ calls, invalid }: EventBody<'model.answered'>) {
  return {
    text: '',
    reasoning: '',
    calls: calls.map(({ id, name }) => ({ id, name, arguments: '' })),
    invalid: invalid.map((why) => (why === null ? null : '')),
  };
}

/** Of an image its kind, sizes and hash stay; its name may be a path that somebody chose. */
const pictureless = (image: ImagePart): ImagePart => ({ ...image, name: '', data: '' });

function wordlessMessage({ role, images }: HeadMessage): HeadMessage {
  return { role, content: '', ...(images === undefined ? {} : { images: images.map(pictureless) }) };
}

function withoutObservation({ error, data, images }: EventBody<'action.observed'>) {
  return {
    text: '',
    error: error === null ? null : { code: error.code, message: '' },
    data: { ...plainFacts(data), ...plainNotices(data) },
    ...(images === undefined ? {} : { images: images.map(pictureless) }),
  };
}

/** Which guards spoke: the step's row shows them. */
function plainNotices(data: Record<string, unknown>): Record<string, unknown> {
  const notices = noticesOf(data);
  return notices.length === 0 ? {} : { notices: notices.map((each) => ({ ...each, message: '' })) };
}

function withoutHints({ hints }: EventBody<'hint.delivered'>) {
  return { text: '', hints: hints.map(({ id }) => ({ id, text: '' })) };
}

const NAMED_FACTS = new Set(['computer', 'session', 'state', 'path']);

/** Numbers and truth values, and the few names that other rows show as well. */
function plainFacts(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) => typeof value === 'number' || typeof value === 'boolean' || NAMED_FACTS.has(key),
    ),
  );
}

/** The state that folding the redacted events gives. */
export function redactState(state: StoredRunState): StoredRunState {
  const message = state.message === null ? null : '';
  return {
    ...withoutKinds(state),
    message,
    search: null,
    head: emptied(state.head),
    carrier: emptied(state.carrier),
  };
}

function withoutKinds({ kinds: _, ...state }: StoredRunState): StoredRunState {
  return state;
}

function emptied(head: StoredRunState['head']): StoredRunState['head'] {
  return head === null ? null : { ...head, title: '', observation: '', bytes: 0 };
}
