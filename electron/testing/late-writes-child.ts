import { ulid } from 'ulid';
import { LateWrites } from '../remote/late-writes';

/** Keeps hints until it is killed, and says the id of each that it was told is kept. */
async function main(path: string, run: string): Promise<void> {
  const writes = await LateWrites.open(path);
  for (let count = 1; ; count += 1) {
    const id = ulid();
    const input = { run, text: `hint ${count} ${'x'.repeat(count % 500)}`, category: 'other', hint: id };
    await writes.add({ id, command: 'hints.queue', input, at: count });
    process.stdout.write(`${id}\n`);
    // Some arrive meanwhile, the oldest first.
    if (count % 3 === 0) {
      const [oldest] = writes.waiting;
      if (oldest !== undefined) {
        process.stdout.write(`-${oldest.id}\n`);
        await writes.done(oldest.id);
      }
    }
  }
}

const [path, run] = process.argv.slice(2);
if (path === undefined || run === undefined) throw new Error('late-writes-child FILE RUN');
void main(path, run);
