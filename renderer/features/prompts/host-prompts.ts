import type { HostPromptView } from '@shared/contract/computers';
import { create } from 'zustand';
import { call, failureOf, listen } from '../../api';
import { attempt, toastFailure } from '../../state/toasts';

interface HostPromptsState {
  /** Questions and alarms of hosts, oldest first; the first is on the screen. */
  prompts: HostPromptView[];
}

/** Holds questions only; what a person types goes straight to the main process and is not kept. */
export const useHostPrompts = create<HostPromptsState>()(() => ({ prompts: [] }));

/** Reads what waits and hears of changes; the returned function ends it. */
export function startHostPrompts(): () => void {
  let heard = false;
  const stop = listen('prompts.changed', ({ prompts }) => {
    heard = true;
    useHostPrompts.setState({ prompts });
  });
  attempt(async () => {
    const prompts = await call('computers.prompts');
    if (!heard) useHostPrompts.setState({ prompts });
  });
  return stop;
}

type Answer = { texts: string[] } | { trust: true } | null;

/** Sends an answer (null: declined, or acknowledged) and takes the question off the screen. */
export function answerPrompt(id: string, answer: Answer): void {
  call('computers.answer', { id, answer }).then(
    () => leave(id),
    (thrown: unknown) => {
      // Withdrawn meanwhile: there is nothing left to answer.
      if (failureOf(thrown).code === 'not_found') leave(id);
      toastFailure(thrown);
    },
  );
}

function leave(id: string): void {
  useHostPrompts.setState((state) => ({ prompts: state.prompts.filter((prompt) => prompt.id !== id) }));
}
