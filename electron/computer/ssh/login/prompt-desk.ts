import type { HostPromptView } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import type { HostKeyAlarm, PromptPort, SshAnswer, SshQuestion } from '../transport';
import { shortLine, shortText } from '../untrusted-text';

/** What a person's answer may be: see `SshAnswer`; null declines, or acknowledges an alarm. */
export type DeskAnswer = SshAnswer | null;

/** More fields than this in one round are no login: the question is declined. */
const maxFields = 16;

interface Entry {
  view: HostPromptView;
  /** Absent for an alarm, which nobody waits for. */
  settle: ((answer: DeskAnswer) => void) | null;
}

/**
 * The questions hosts have for a person, in the order they came; the window shows the first. A question leaves when
 * it is answered, declined, or withdrawn by its host; an alarm stays until it is acknowledged. Secrets pass through:
 * they are neither kept nor logged nor part of what listeners get.
 */
export class PromptDesk implements PromptPort {
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(prompts: HostPromptView[]) => void>();
  #count = 0;
  #closed = false;

  /** @param now our clock, ms since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Resolves with the person's answer, null when declined. @throws the reason of `signal` when it aborts */
  ask(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer | null> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#closed || (question.kind === 'keyboard' && question.fields.length > maxFields))
      return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const view = this.#view(question);
      const withdraw = () => {
        this.#remove(view.id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#add({
        view,
        settle: (answer) => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        },
      });
    });
  }

  /** The same key offered again while the alarm still stands is one alarm. */
  alarm(alarm: HostKeyAlarm): void {
    if (this.#closed) return;
    const view = this.#alarmView(alarm);
    const standing = this.open().some(
      (other) =>
        other.kind === 'host_key_alarm' &&
        other.alias === view.alias &&
        other.via === view.via &&
        other.target === view.target &&
        other.key?.sha256 === view.key?.sha256 &&
        other.key?.revoked === view.key?.revoked,
    );
    if (!standing) this.#add({ view, settle: null });
  }

  /** Everything that waits for a person, oldest first. */
  open(): HostPromptView[] {
    return [...this.#entries.values()].map(({ view }) => view);
  }

  /** @throws WaymarkError not_found (answered or withdrawn meanwhile), bad_input (an answer to another question) */
  answer(id: string, answer: DeskAnswer): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      throw new WaymarkError(
        'not_found',
        'This question is no longer open: the host gave up waiting, or it was answered. It asks again when it reconnects.',
      );
    }
    if (answer !== null) refuseMisfit(entry.view, answer);
    this.#remove(id);
    entry.settle?.(answer);
  }

  /** Called with all open prompts after every change. Returns how to stop. */
  subscribe(listener: (prompts: HostPromptView[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Declines what is open and everything that follows. */
  dispose(): void {
    this.#closed = true;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { settle } of entries) settle?.(null);
    if (entries.length > 0) this.#tell();
    this.#listeners.clear();
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.view.id, entry);
    this.#tell();
  }

  #remove(id: string): void {
    if (this.#entries.delete(id)) this.#tell();
  }

  #tell(): void {
    const prompts = this.open();
    for (const listener of this.#listeners) listener(prompts);
  }

  #about(from: { alias: string; via?: string | undefined; target: string }) {
    this.#count += 1;
    return {
      id: `prompt-${this.#count}`,
      alias: shortLine(from.alias),
      via: from.via === undefined ? null : shortLine(from.via),
      target: shortLine(from.target),
      askedAt: this.#now(),
    };
  }

  #view(question: SshQuestion): HostPromptView {
    const base = { ...this.#about(question), title: '', text: '', fields: [], attempt: 1, key: null };
    switch (question.kind) {
      case 'password':
        return { ...base, kind: 'password', attempt: question.attempt };
      case 'passphrase':
        return { ...base, kind: 'passphrase', text: shortLine(question.keyFile), attempt: question.attempt };
      case 'keyboard':
        return {
          ...base,
          kind: 'keyboard',
          title: shortLine(question.name),
          text: shortText(question.instructions),
          fields: question.fields.map(({ prompt, echo }) => ({ prompt: shortLine(prompt), echo })),
          attempt: question.round,
        };
      case 'unknown_host_key':
        return {
          ...base,
          kind: 'unknown_host_key',
          key: {
            type: shortLine(question.keyType),
            sha256: shortLine(question.sha256),
            expected: null,
            file: shortLine(question.file),
            line: null,
            revoked: false,
          },
        };
    }
  }

  #alarmView(alarm: HostKeyAlarm): HostPromptView {
    return {
      ...this.#about(alarm),
      kind: 'host_key_alarm',
      title: '',
      text: '',
      fields: [],
      attempt: 1,
      key: {
        type: shortLine(alarm.keyType),
        sha256: shortLine(alarm.presentedSha256),
        expected: alarm.expected && {
          type: shortLine(alarm.expected.type),
          sha256: shortLine(alarm.expected.sha256),
        },
        file: shortLine(alarm.file),
        line: alarm.line,
        revoked: alarm.kind === 'revoked',
      },
    };
  }
}

/** The message names the question, never what was typed. */
function refuseMisfit(view: HostPromptView, answer: SshAnswer): void {
  const texts = 'texts' in answer ? answer.texts.length : null;
  const fits =
    view.kind === 'unknown_host_key'
      ? texts === null
      : view.kind === 'host_key_alarm'
        ? false
        : texts === (view.kind === 'keyboard' ? view.fields.length : 1);
  if (fits) return;
  throw new WaymarkError(
    'bad_input',
    `This answer does not fit the question of ${view.alias} (${view.kind}). Nothing was sent to the host.`,
  );
}
