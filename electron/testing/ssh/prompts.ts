import type { HostKeyAlarm, PromptPort, SshAnswer, SshQuestion } from '../../computer/ssh/transport';

type Answerer = (question: SshQuestion) => SshAnswer | null | Promise<SshAnswer | null>;

/** A person at the keyboard: remembers what was asked, answers as told, and is never asked twice for nothing. */
export class ScriptedPerson implements PromptPort {
  readonly asked: SshQuestion[] = [];
  readonly alarms: HostKeyAlarm[] = [];
  /** Questions that were withdrawn before they were answered. */
  readonly withdrawn: SshQuestion[] = [];

  constructor(private readonly answer: Answerer = () => null) {}

  async ask(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer | null> {
    this.asked.push(question);
    if (signal.aborted) throw signal.reason;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.withdrawn.push(question);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      Promise.resolve(this.answer(question)).then((answer) => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      }, reject);
    });
  }

  alarm(alarm: HostKeyAlarm): void {
    this.alarms.push(alarm);
  }

  get kinds(): string[] {
    return this.asked.map(({ kind }) => kind);
  }
}

/** Answers by kind of question; what is not mentioned is declined. A list is used up one by one. */
export function answers(
  byKind: Partial<Record<SshQuestion['kind'], string | true | (string | string[])[]>>,
): Answerer {
  const left = new Map(
    Object.entries(byKind).map(([kind, value]) => [kind, Array.isArray(value) ? [...value] : value]),
  );
  return ({ kind }) => {
    const value = left.get(kind);
    const next = Array.isArray(value) ? value.shift() : value;
    if (next === undefined) return null;
    if (next === true) return { trust: true };
    return { texts: Array.isArray(next) ? next : [next] };
  };
}
