import { deserialize, serialize } from 'node:v8';
import { rowReasonings, type Trajectory, TrajectoryFold } from '@shared/context/trajectory';
import type { RunEvent } from '@shared/log/events';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { ContextScript, contextDeeds } from '../testing/random-context';

const runs = process.env.WAYMARK_FULL === '1' ? 2_000 : 120;

function eventsOf(script: ContextScript): RunEvent[] {
  return script.batches
    .flat()
    .map((event, index) => ({ ...event, run: script.run, seq: index + 1, at: 0, epoch: 1 }) as RunEvent);
}

describe('a fold of trajectories', () => {
  it('goes on from what it saved as if it had never stopped, wherever that was', () => {
    let cut = 0;
    fc.assert(
      fc.property(
        contextDeeds,
        fc.constantFrom(...rowReasonings),
        fc.constantFrom(0, 9),
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 4 }),
        (deeds, reasoning, keptAfter, places) => {
          const events = eventsOf(new ContextScript(ulid(), keptAfter).live(deeds));
          const stops = new Set(places.map((place) => place % events.length));
          const whole = new TrajectoryFold({ reasoning });
          let resumed = new TrajectoryFold({ reasoning });
          // As text at once: rows are written when they come, and the fold goes on with what they share.
          const expected: string[] = [];
          const found: string[] = [];
          const texts = (rows: Trajectory[]) => rows.map((row) => JSON.stringify(row));
          for (const [index, event] of events.entries()) {
            expected.push(...texts(whole.apply(structuredClone(event))));
            found.push(...texts(resumed.apply(structuredClone(event))));
            if (!stops.has(index)) continue;
            cut += 1;
            const saved = deserialize(serialize(resumed.save()));
            resumed = new TrajectoryFold({ reasoning });
            resumed.restore(saved);
          }
          expected.push(...texts(whole.end()));
          found.push(...texts(resumed.end()));
          expect(found).toEqual(expected);
          expect(expected.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs },
    );
    expect(cut).toBeGreaterThanOrEqual(runs);
  });
});
