import type { Bridge, CommandName, EventName } from '@shared/ipc';
import { contextBridge, ipcRenderer } from 'electron';

type Listener = (payload: unknown) => void;
const listeners = new Map<EventName, Set<Listener>>();
// One receiver for all: a listener per subscription would pass the emitter's limit.
ipcRenderer.on('event', (_: unknown, name: EventName, payload: unknown) => {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(payload);
});

/** Two functions and nothing else cross the isolation boundary; main parses every input and checks the sender. */
const bridge: Bridge = {
  invoke: (command: CommandName, input: unknown) => ipcRenderer.invoke('command', command, input),
  on: (event: EventName, listener: Listener) => {
    const heard = listeners.get(event) ?? new Set();
    listeners.set(event, heard.add(listener));
    return () => {
      heard.delete(listener);
    };
  },
};

contextBridge.exposeInMainWorld('waymark', bridge);
