import type { PlacedMessage } from '../log/chat';
import { type ContextEntry, entryMessages } from './context-entry';

/** What the messages of an entry are made of. */
interface Made {
  assistant: ContextEntry['assistant'];
  reasoning: string;
  taught: string;
  taughtAdded: string;
  observations: ContextEntry['observations'];
  sendReasoning: boolean;
  showImages: boolean;
  messages: readonly PlacedMessage[];
}

/**
 * Messages of entries, made once as long as nothing in them changes: one step stands in several trajectories, in its segment, in the
 * summary of that and in the segments that carry it on. Whoever gets them leaves them as they are, so that what comes out of a
 * message need be worked out once too.
 */
export class KnownMessages {
  private readonly known = new WeakMap<ContextEntry, Made>();

  /** As `entryMessages` without a hint. */
  of(entry: ContextEntry, sendReasoning: boolean, showImages: boolean): readonly PlacedMessage[] {
    const before = this.known.get(entry);
    if (
      before?.sendReasoning === sendReasoning &&
      before.showImages === showImages &&
      isAsBefore(entry, before)
    ) {
      return before.messages;
    }
    const { assistant, reasoning, taught, taughtAdded } = entry;
    const observations = entry.observations.map((each) => ({ ...each }));
    const messages = entryMessages(entry, sendReasoning, '', showImages);
    this.known.set(entry, {
      assistant,
      reasoning,
      taught,
      taughtAdded,
      observations,
      sendReasoning,
      showImages,
      messages,
    });
    return messages;
  }
}

/** An entry's parts are replaced, never changed in place, but for the observations themselves. */
function isAsBefore(entry: ContextEntry, made: Made): boolean {
  return (
    entry.assistant === made.assistant &&
    entry.reasoning === made.reasoning &&
    entry.taught === made.taught &&
    entry.taughtAdded === made.taughtAdded &&
    entry.observations.length === made.observations.length &&
    entry.observations.every((now, index) => isSame(now, made.observations[index]))
  );
}

type Observation = ContextEntry['observations'][number];

function isSame(now: Observation, before: Observation | undefined): boolean {
  return (
    now.id === before?.id &&
    now.text === before.text &&
    now.added === before.added &&
    now.kept === before.kept &&
    now.images === before.images &&
    now.leftOut === before.leftOut
  );
}
