import type { ErrorCode, Failure } from '@shared/contract/errors';
import { create } from 'zustand';
import { failureOf } from '../api';
import type { Text } from '../text/en';
import type { CommandId } from './keys/keymap';

export type ToastButton = {
  say: (text: Text) => string;
} /** With `entry` an undo is about this annotation, whatever was said since, here or in another process. */ & (
  | { command: CommandId; entry?: string | undefined; run?: never }
  | { command?: never; run: () => void }
);

export interface Toast {
  id: number;
  tone: 'plain' | 'danger';
  /** Read when painted, so that a toast follows a change of language. */
  say: (text: Text) => string;
  /** One button: a command, shown with its key, or what it does. */
  button?: ToastButton | undefined;
  /** Of a failure. */
  code?: ErrorCode | 'bug' | undefined;
  /** Copyable detail of a failure. */
  detail?: string | undefined;
}

interface ToastState {
  toasts: Toast[];
}

let nextId = 1;
export const useToasts = create<ToastState>()(() => ({ toasts: [] }));

/** Shows a toast; a plain one replaces the plain one before it, a failure stays until it is dismissed. */
export function toast(say: Toast['say'], button?: Toast['button']): void {
  const next: Toast = { id: nextId++, tone: 'plain', say, button };
  useToasts.setState((state) => ({
    toasts: [...state.toasts.filter((other) => other.tone === 'danger'), next],
  }));
}

/** A failure with its code and detail, for whoever looks for its cause. */
export function failureDetails({ code, message, detail }: Failure): string {
  return `${code}: ${message}${detail === undefined ? '' : `\n${detail}`}`;
}

/** They have one cause for everything that is tried, so one toast says it, whatever was tried last. */
const ofTheWorkspace: readonly string[] = ['read_only'];

/**
 * Says that something failed, in the failure's own words; `say` may put the object in front. The same failure again, and a refusal
 * that is about the workspace as a whole, takes the place of the one before.
 */
export function toastFailure(thrown: unknown, say?: (text: Text, why: string) => string): void {
  const failure = failureOf(thrown);
  const next: Toast = {
    id: nextId++,
    tone: 'danger',
    say: (text) => {
      const why = text.frame.failure(failure);
      return say === undefined ? why : say(text, why);
    },
    code: failure.code,
    detail: failureDetails(failure),
  };
  const isSame = ({ tone, code, detail }: Toast) =>
    tone === 'danger' &&
    code === next.code &&
    (detail === next.detail || ofTheWorkspace.includes(failure.code));
  useToasts.setState((state) => ({
    toasts: [...state.toasts.filter((other) => !isSame(other)), next].slice(-3),
  }));
}

/** Takes back offers to undo or redo: from now on they would do it to something else than they name. */
export function withdrawUndo(): void {
  const offers = ({ button }: Toast) => button?.command === 'label.undo' || button?.command === 'label.redo';
  useToasts.setState((state) => ({ toasts: state.toasts.filter((each) => !offers(each)) }));
}

/** What failed for this reason is told no more: the reason is gone. */
export function dismissFailures(code: ErrorCode): void {
  useToasts.setState((state) => ({ toasts: state.toasts.filter((each) => each.code !== code) }));
}

export function dismissToast(id: number): void {
  useToasts.setState((state) => ({ toasts: state.toasts.filter((other) => other.id !== id) }));
}

/** Runs a command for its effect; a failure becomes a toast. For handlers that nobody awaits. */
export function attempt(work: () => Promise<unknown>): void {
  work().catch((thrown: unknown) => toastFailure(thrown));
}
