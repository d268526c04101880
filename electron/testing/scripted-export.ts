import { RunScript } from '@shared/runs/run-fixtures';
import { MemoryReader } from './memory-reader';

/** Two runs with several segments and summaries, some failures, the same in every process. */
export function scriptedExport(pageLimit = 7): MemoryReader {
  const runs = ['01KRVN00000000000000000001', '01KRVN00000000000000000002'].map((run, index) => {
    const script = new RunScript(run).startSegment();
    for (let step = 0; step < 60; step += 1) {
      const failed = step % 5 === index;
      script.answer([
        failed
          ? { name: 'open_file', error: { code: 'not_found', message: 'No such file' } }
          : {
              name: 'run_command',
              args: { command: `echo ${'x'.repeat((step * 37) % 400)} ${step}` },
              text: `said ${step} 你好`,
            },
      ]);
      if (step % 9 === 8) script.summarise();
    }
    return script;
  });
  return new MemoryReader(new Map(runs.map((script) => [script.run, script.events])), [], pageLimit);
}
