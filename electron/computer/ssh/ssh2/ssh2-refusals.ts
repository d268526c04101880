import type { Client } from 'ssh2';

type OnFailure = (protocol: unknown, taken: unknown, partial: unknown) => void;

/**
 * Hears what a host says when it turns a way to log in down: what it takes instead, and whether it took this one as one
 * of several. ssh2 (pinned) keeps that to itself when the way was an agent's key: it asks for the next one with what the
 * host had said before. So its handler is wrapped; a version that has none is an error, not a silent loss.
 */
export function watchRefusals(client: Client, refused: (taken: string[], partial: boolean) => void): void {
  const { _protocol: protocol } = client as unknown as {
    _protocol?: { _handlers?: { USERAUTH_FAILURE?: OnFailure } };
  };
  const handlers = protocol?._handlers;
  const own = handlers?.USERAUTH_FAILURE;
  if (!handlers || typeof own !== 'function')
    throw new Error('This version of ssh2 has no USERAUTH_FAILURE handler.');
  handlers.USERAUTH_FAILURE = (self, taken, partial) => {
    refused(Array.isArray(taken) ? taken.map(String) : [], partial === true);
    own(self, taken, partial);
  };
}
