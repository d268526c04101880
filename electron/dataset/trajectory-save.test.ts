import { deserialize, serialize } from 'node:v8';
import { ContextFold } from '@shared/context/context';
import { entryMessages } from '@shared/context/context-entry';
import { rowReasonings, type Trajectory, TrajectoryFold, trajectoryKinds } from '@shared/context/trajectory';
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

  it('needs the kinds of events that it names, and no other', () => {
    const passed = new Set<string>();
    const heard = new Set<string>();
    fc.assert(
      fc.property(contextDeeds, fc.constantFrom(...rowReasonings), (deeds, reasoning) => {
        const events = eventsOf(new ContextScript(ulid()).live(deeds));
        const [whole, lean] = [new TrajectoryFold({ reasoning }), new TrajectoryFold({ reasoning })];
        for (const event of events) {
          const wanted = trajectoryKinds.includes(event.kind);
          (wanted ? heard : passed).add(event.kind);
          expect(wanted ? lean.apply(event) : []).toEqual(whole.apply(event));
        }
        expect(lean.end()).toEqual(whole.end());
      }),
      { numRuns: runs },
    );
    expect(passed).toContain('action.started');
    expect(heard.size).toBeGreaterThan(9);
  });

  it('gives messages that were made once as they would be made now', () => {
    let same = 0;
    fc.assert(
      fc.property(contextDeeds, (deeds) => {
        const known = new ContextFold({ sendReasoning: false, messagesOnly: true });
        for (const event of eventsOf(new ContextScript(ulid()).live(deeds))) {
          known.apply(event);
          for (const entry of known.entries) {
            for (const [reasoning, images] of [
              [false, true],
              [true, false],
            ] as const) {
              const first = known.messagesOf(entry, reasoning, images);
              expect(first).toEqual(entryMessages(entry, reasoning, '', images));
              if (known.messagesOf(entry, reasoning, images) === first) same += 1;
            }
          }
        }
      }),
      { numRuns: runs },
    );
    expect(same).toBeGreaterThan(runs);
  });
});
