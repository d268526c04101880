import { StepFailure } from './setup/step-failure.mjs';
import { runScript } from './setup/steps.mjs';
import { closingLine, judgePart, noTests, sumCounts } from './test-counts.mjs';
import { describeFailures } from './test-failures.mjs';
import { parts } from './test-parts.mjs';

await runScript(async () => {
  const [first, ...others] = process.argv.slice(2);
  const full = first === '--full';
  const only = first === undefined || full ? undefined : first;
  if (only !== undefined && !parts.some((part) => part.name === only)) {
    throw new StepFailure(
      'test',
      `there is no part called ${only}.`,
      `Parts: ${parts.map((part) => part.name).join(', ')}.`,
    );
  }
  const results = [];
  const reports = { unit: null, e2e: null };
  for (const part of parts) {
    const wanted = only === undefined ? part[full ? 'full' : 'test'] : part.stops || part.name === only;
    if (!wanted) continue;
    process.stdout.write(`\n== ${part.name} ==\n`);
    const result = await timed(part, { full, only, reports, args: only === undefined ? [] : others });
    results.push(result);
    if (part.stops && result.counts.failed > 0) break;
  }
  process.stdout.write('\n');
  for (const text of describeFailures(reports)) process.stdout.write(`${text}\n\n`);
  for (const { name, minutes, counts } of results) {
    process.stdout.write(
      `${name.padEnd(10)} ${minutes.toFixed(1).padStart(5)} min   ${closingLine(counts)}\n`,
    );
  }
  const sum = sumCounts(results.map((result) => result.counts));
  const failed = sum.failed > 0 || sum.passed === 0;
  process.stdout.write(`${closingLine(sum)}\n`);
  return (only === 'check' ? sum.failed > 0 : failed) ? 1 : 0;
});

async function timed(part, context) {
  const started = performance.now();
  const { code, counts } = await outcome(part, context);
  return {
    name: part.name,
    minutes: (performance.now() - started) / 60_000,
    counts: judgePart(counts, { code, mustRun: part.counts === true }),
  };
}

/** A part that throws has failed; the parts after it are still worth running. */
async function outcome(part, context) {
  try {
    return await part.run(context);
  } catch (error) {
    process.stdout.write(`${error instanceof StepFailure ? error.describe() : error.stack}\n`);
    return { code: 1, counts: noTests };
  }
}
