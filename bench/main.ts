import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benches } from './benches';
import { runChild } from './children';
import { type Figure, quick, shorten } from './harness';

/** `npm run bench [-- NAME…] [--json] [--long]`. Exit code 1 when a bar is missed, 2 when a bench broke. */
async function main(argv: string[]): Promise<number> {
  const [first, name = '', ...rest] = argv;
  if (first === '--child') return runChild(name, rest);
  const json = argv.includes('--json');
  const long = argv.includes('--long');
  const names = argv.filter((word) => !word.startsWith('--'));
  const unknown = [
    ...names.filter((each) => !benches.some((bench) => bench.name === each)),
    ...argv.filter((word) => word.startsWith('--') && word !== '--json' && word !== '--long'),
  ];
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no bench "${unknown.join('", "')}". There are: ${benches.map((bench) => bench.name).join(', ')}\n`,
    );
    return 2;
  }
  if (quick)
    process.stderr.write('WAYMARK_BENCH_QUICK is set: these figures only show that the benches work.\n');
  const figures: Figure[] = [];
  const took: [name: string, seconds: number][] = [];
  let broken = false;
  for (const bench of benches.filter((each) => names.length === 0 || names.includes(each.name))) {
    process.stderr.write(`${bench.name}: ${bench.about}\n`);
    const started = performance.now();
    const folder = await realpath(await mkdtemp(join(tmpdir(), `waymark-bench-${bench.name}-`)));
    // Under root the application runs as another user, who must get through to its own folder.
    await chmod(folder, 0o755);
    try {
      const own = await bench.run({ long, folder, say: (text) => process.stderr.write(`  ${text}\n`) });
      figures.push(...own);
      for (const figure of own) process.stderr.write(`  ${line(figure)}\n`);
    } catch (error) {
      broken = true;
      process.stderr.write(`  BROKEN ${error instanceof Error ? error.stack : String(error)}\n`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    took.push([bench.name, (performance.now() - started) / 1000]);
    process.stderr.write(`  took ${took.at(-1)?.[1].toFixed(0)} s\n`);
  }
  if (json) {
    const rows = figures.map(({ name: figure, value, unit, bar, ok, baseline }) => ({
      name: figure,
      value,
      unit,
      bar,
      ok,
      baseline,
    }));
    process.stdout.write(`${JSON.stringify(rows)}\n`);
  } else for (const figure of figures) process.stdout.write(`${line(figure)}\n`);
  process.stderr.write(minutes(took));
  if (broken) return 2;
  return figures.every(({ ok }) => ok) ? 0 : 1;
}

/** What each bench took, the longest first. */
function minutes(took: readonly [name: string, seconds: number][]): string {
  const total = took.reduce((sum, [, seconds]) => sum + seconds, 0);
  const rows = [...took, ['all', total] as const].sort(([, a], [, b]) => b - a);
  return rows.map(([name, seconds]) => `${(seconds / 60).toFixed(1).padStart(6)} min ${name}\n`).join('');
}

function line({ name, value, unit, bar, ok, baseline, detail }: Figure): string {
  const base = baseline === null ? ', no baseline' : `, baseline ${shorten(baseline)}`;
  const word = bar === 'none' ? 'told' : ok ? 'ok  ' : 'MISS';
  return `${word} ${name}: ${shorten(value)} ${unit} (bar ${bar}${base}) ${detail}`;
}

void main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 2;
  },
);
