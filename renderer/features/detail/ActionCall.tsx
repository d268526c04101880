import type { ObservationView } from '@shared/contract/views';
import { useMemo } from 'react';
import { actionCode } from '../rendering/action-code';
import type { ContentHint } from '../rendering/content-kind';
import { RenderedText } from '../rendering/RenderedText';

/** Texts of several lines stand below the call by themselves, and those longer than this. */
const SHORT = 160;

/** A call as one reads it: name and short arguments in a line, each long text below under its key. */
export function ActionCall({ observation }: { observation: ObservationView }) {
  const { name, args, rawArguments } = observation;
  const [short, long] = useMemo(() => {
    const entries = Object.entries(args ?? {});
    const isLong = (value: unknown): value is string =>
      typeof value === 'string' && (value.includes('\n') || value.length > SHORT);
    return [
      Object.fromEntries(entries.filter(([, value]) => !isLong(value))),
      entries.flatMap(([key, value]) => (isLong(value) ? [{ key, value }] : [])),
    ] as const;
  }, [args]);
  const pieces = useMemo(
    () => actionCode({ name, args: args === null ? null : short, rawArguments }),
    [name, args, short, rawArguments],
  );
  const path = [args?.path, args?.filename].find((each) => typeof each === 'string');
  return (
    <>
      <pre className="code code-wrap">
        {pieces.map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one call never move
          <span key={at} className={`syntax-${piece.kind}`}>
            {piece.text}
          </span>
        ))}
      </pre>
      {long.map(({ key, value }) => (
        <div key={key} className="call-argument">
          <span className="mono-11 quiet">{key}</span>
          <RenderedText text={value} hint={hintOf(key, path)} lines={16} />
        </div>
      ))}
    </>
  );
}

function hintOf(key: string, path: string | undefined): ContentHint {
  if (key === 'command') return { origin: 'argument', language: 'shell' };
  if (/content|text|code|new|old|replace/.test(key)) return { origin: 'argument', path };
  return { origin: 'argument' };
}
