import { ConnectFailure } from '../transport';

/** A key as people compare it. */
interface ShownKey {
  type: string;
  sha256: string;
}

/** A line of known hosts about it. */
export interface KnownRecord extends ShownKey {
  file: string;
  line: number;
}

/**
 * The failure of a host whose key is not the one on record, in both clients' words.
 *
 * @param name the host, as it is in known hosts
 * @param known the record; null when it could not be read
 */
export function changedKey(
  name: string,
  shown: ShownKey | undefined,
  known: KnownRecord | null,
  detail?: string,
): ConnectFailure {
  const key = shown === undefined ? '' : ` (${shown.type} ${shown.sha256})`;
  const place = known === null ? '' : `${known.file}:${known.line}`;
  const what =
    known === null || shown === undefined
      ? `The host key of ${name} has changed${key}`
      : known.type === shown.type
        ? `The host key of ${name} has changed: ${shown.type} ${shown.sha256} instead of ${known.sha256} (${place})`
        : `${name} shows a host key of another type than the one on record: ${shown.type} ${shown.sha256}, and ` +
          `${known.type} ${known.sha256} is known (${place})`;
  return new ConnectFailure(
    'host_key_changed',
    'host_key',
    `${what}; nothing was sent. If its administrator confirms the new key, remove the old one from your known hosts; ` +
      'otherwise something may be intercepting the connection.',
    detail,
  );
}
