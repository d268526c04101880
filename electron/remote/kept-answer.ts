import { assertNever } from '@shared/contract/errors';
import { type CommandParsed, commands } from '@shared/contract/ipc';
import type { AnnotationEntry, AnnotationOp, Author } from '@shared/log/annotations';
import type { HintView } from '@shared/log/outbox';
import { nextStep } from '@shared/runs/hint-queue';
import type { LateWrite } from './late-writes';

export interface Writer {
  author: Author;
  device: string;
}

/**
 * What the window is told about a write that is kept here until the server is back: the entry as far as it is known. Numbers
 * that only the server gives (`number`, `deviceSeq`) are 0.
 */
export function keptAnswer(write: LateWrite, writer: Writer): HintView | AnnotationEntry | undefined {
  switch (write.command) {
    case 'hints.queue':
      return keptHint(commands['hints.queue'].input.parse(write.input), write, writer);
    case 'labels.apply': {
      const { run, from, to, value, reason } = commands['labels.apply'].input.parse(write.input);
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      return keptEntry(target, { op: 'label', value, reason }, write, writer);
    }
    case 'labels.comment': {
      const { run, step, text } = commands['labels.comment'].input.parse(write.input);
      return keptEntry({ run, from: step, to: step }, { op: 'comment', text }, write, writer);
    }
    case 'labels.flag': {
      const { run, step, on } = commands['labels.flag'].input.parse(write.input);
      return keptEntry({ run, from: step, to: step }, { op: 'flag', on }, write, writer);
    }
    case 'hints.edit':
    case 'hints.move':
    case 'hints.withdraw':
    case 'runs.pause':
    case 'runs.stop':
    case 'runs.wake':
      return undefined;
    default:
      return assertNever(write.command, 'late write');
  }
}

function keptHint(input: CommandParsed<'hints.queue'>, write: LateWrite, { author }: Writer): HintView {
  return {
    id: input.hint ?? write.id,
    number: 0,
    text: input.text,
    category: input.category,
    state: 'queued',
    author: author.name,
    queuedAt: write.at,
    deliver: input.deliver ?? nextStep,
    due: null,
    verdict: null,
    step: null,
    prompt: null,
    deliveredAt: null,
    position: null,
  };
}

function keptEntry(
  target: AnnotationEntry['target'],
  body: AnnotationOp,
  { id, at }: LateWrite,
  { author, device }: Writer,
): AnnotationEntry {
  return { ulid: id, at, author, device, deviceSeq: 0, target, supersedes: [], body };
}
