import { RunScript } from '@shared/runs/run-fixtures';
import { describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { eventPages } from './event-pages';
import { argumentsForm } from './export-request';

const run = '01KRVN00000000000000000001';
const script = new RunScript(run).startSegment();
for (let step = 0; step < 20; step += 1) script.answer([{ name: 'think', args: {} }]);

const reader = () => new MemoryReader(new Map([[run, script.events]]), [], 10);

describe('pages of events', () => {
  it('hold every event once, in order, with at most one page asked for ahead', async () => {
    const memory = reader();
    const seen: number[] = [];
    for await (const page of eventPages(memory, run, { from: 3, to: 67 })) {
      seen.push(...page.map(({ seq }) => seq));
      expect(memory.reads.events - seen.length).toBeLessThanOrEqual(10);
    }
    expect(seen).toEqual(Array.from({ length: 65 }, (_, index) => index + 3));
    expect(memory.reads.events).toBe(65);
  });

  it('that cannot be read stop whoever wants them, and nobody else', async () => {
    const memory = reader();
    const original = memory.events.bind(memory);
    memory.events = async (...asked) => {
      if (asked[1] > 10) throw new Error('disk gone');
      return original(...asked);
    };
    const pages = eventPages(memory, run, { from: 1, to: 40 });
    expect((await pages.next()).value).toHaveLength(10);
    // Nobody waits for the second page: its failure must not end the process.
    await pages.return(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    const again = eventPages(memory, run, { from: 1, to: 40 });
    await again.next();
    await expect(again.next()).rejects.toThrow('disk gone');
  });

  it('end when the export is cancelled, and are none when there is nothing to read', async () => {
    const controller = new AbortController();
    const pages = eventPages(reader(), run, { from: 1, to: 40, signal: controller.signal });
    await pages.next();
    controller.abort();
    await expect(pages.next()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await eventPages(reader(), run, { from: 5, to: 4 }).next()).done).toBe(true);
  });
});

it.each([
  ['string', 'object', 'object', 'string'],
  ['object', 'auto', undefined, 'object'],
  ['template', 'auto', undefined, 'string'],
  ['template', 'auto', 'object', 'object'],
  ['template', 'string', 'object', 'string'],
] as const)('a loader that reads %s, asked for %s under a template for %s, gets %s', (loader, asked, wants, form) => {
  expect(argumentsForm({ argumentsForm: loader }, { arguments: asked }, wants)).toBe(form);
});
