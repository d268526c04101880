import { OwnTerminalDesk, type OwnTerminalDeskOptions } from '../commands/own';
import type { Publisher } from '../ipc/publish';
import { OwnTerminalPane, type OwnTerminalPaneParts } from './own-terminal-pane';

export interface WindowOwnTerminalsOptions
  extends Omit<OwnTerminalDeskOptions, 'changed' | 'frame' | 'settings'>,
    Pick<OwnTerminalPaneParts, 'options' | 'window' | 'settings' | 'openExternal' | 'violated' | 'log'> {
  publisher: Publisher;
  /** The person pressed a key or a button, which counts for the window's page as well. */
  noted(): void;
}

export interface WindowOwnTerminals {
  desk: OwnTerminalDesk;
  pane: OwnTerminalPane;
}

/** The person's own terminals and the view they are typed into: output goes to the view only, the window hears of the list. */
export function windowOwnTerminals(options: WindowOwnTerminalsOptions): WindowOwnTerminals {
  const { publisher, hosts } = options;
  const desk = new OwnTerminalDesk({
    ...options,
    changed: () => {
      pane.changed();
      publisher.publish('own.changed', {});
    },
    frame: (frame) => pane.frame(frame),
  });
  const pane = new OwnTerminalPane({
    ...options,
    desk,
    health: (alias) => hosts.allHealth().find((health) => health.alias === alias) ?? null,
    left: (command) => {
      options.noted();
      publisher.publish('own.left', { command });
    },
  });
  return { desk, pane };
}
