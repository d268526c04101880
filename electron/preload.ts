import type { Bridge, CommandName, EventName } from '@shared/ipc';
import { contextBridge, ipcRenderer } from 'electron';

/** Two functions and nothing else cross the isolation boundary; main parses every input and checks the sender. */
const bridge: Bridge = {
  invoke: (command: CommandName, input: unknown) => ipcRenderer.invoke('command', command, input),
  on: (event: EventName, listener: (payload: unknown) => void) => {
    const receive = (_: unknown, name: EventName, payload: unknown) => {
      if (name === event) listener(payload);
    };
    ipcRenderer.on('event', receive);
    return () => ipcRenderer.off('event', receive);
  },
};

contextBridge.exposeInMainWorld('waymark', bridge);
