import type { Bridge, CommandName, EventName } from '@shared/contract/ipc';
import { ownTerminalPage } from '@shared/contract/own-terminal-page';
import { contextBridge, ipcRenderer } from 'electron';
import type { PolicyViolation } from './app/policy-violations';

/** As far as this file needs the page's own: the main process has no types of the DOM. */
declare const window: {
  addEventListener(name: 'securitypolicyviolation', listener: (violation: PolicyViolation) => void): void;
};

/** Main says which page this is before it runs; it answers a channel only to the contents it belongs to. */
const isOwnTerminal = process.argv.includes(`--waymark-page=${ownTerminalPage}`);
const channel = (name: string) => (isOwnTerminal ? `${ownTerminalPage}:${name}` : name);

type Listener = (payload: unknown) => void;
const listeners = new Map<EventName, Set<Listener>>();
// One receiver for all: a listener per subscription would pass the emitter's limit.
ipcRenderer.on('event', (_: unknown, name: EventName, payload: unknown) => {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(payload);
});

/**
 * Two functions and nothing else cross the isolation boundary; main parses every input and checks the sender. The view of own
 * terminals gets the same two on channels of its own, where other commands are answered.
 */
const bridge: Bridge = {
  invoke: (command: CommandName, input: unknown) => ipcRenderer.invoke(channel('command'), command, input),
  on: (event: EventName, listener: Listener) => {
    const heard = listeners.get(event) ?? new Set();
    listeners.set(event, heard.add(listener));
    return () => {
      heard.delete(listener);
    };
  },
};

// What the content policy stopped is told to main, which logs it; the page cannot hold that back.
window.addEventListener('securitypolicyviolation', (violation) => {
  const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = violation;
  const report: PolicyViolation = { effectiveDirective, blockedURI, sourceFile, lineNumber, sample };
  ipcRenderer.send(channel('violation'), report);
});

contextBridge.exposeInMainWorld(isOwnTerminal ? 'waymarkOwnTerminal' : 'waymark', bridge);
