import type { Marker } from '@shared/terminal/command-markers';

/** One line of a session's `marks` file (`docs/host-agent.md`); `undefined` when it is none. */
export function parseMark(line: string): Marker | undefined {
  const match = /^(\d{1,15}) (\d{1,15}) ([ABCD]) (\d{1,15})(?: (.*))?$/.exec(line);
  if (!match) return undefined;
  return {
    start: Number(match[1]),
    end: Number(match[2]),
    kind: match[3] as Marker['kind'],
    seq: Number(match[4]),
    fields: match[5]?.split(';') ?? [],
  };
}
