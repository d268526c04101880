import { expect, it } from 'vitest';
import { gymTools } from './tools';

it('a tool is one object in all runs: an export keeps what stands for each for as long as it lasts', () => {
  const [first, second] = [gymTools(new Set(['web_browse', 'parse_pdf'])), gymTools(new Set(['parse_pdf']))];
  const other = new Map(second.map((tool) => [tool.function.name, tool]));
  expect(second.length).toBeLessThan(first.length);
  for (const tool of first) {
    const same = other.get(tool.function.name);
    if (same !== undefined) expect(same).toBe(tool);
  }
});
