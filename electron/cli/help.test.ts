import { WaymarkError } from '@shared/contract/errors';
import { describe, expect, it } from 'vitest';
import { helpFor } from './help';

/** The commands a page of help speaks of: its lines that are indented by two, up to the general options. */
const commands = (page: string) =>
  page
    .slice(0, page.indexOf('  --workspace DIR'))
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line))
    .map((line) => line.trim().split(/ {2,}/)[0]);

describe('help', () => {
  it('without words is about every command', () => {
    const all = commands(helpFor([]));
    expect(all.length).toBeGreaterThan(50);
    expect(all).toContain('run start --task ID');
  });

  it.each([
    [['run', 'start'], ['run start --task ID']],
    [
      ['run', 'resume'],
      ['run resume RUN [--wait]', 'run resume --all [--wait]'],
    ],
    [['run', 'purge', 'R'], ['run list | show RUN | remove RUN | purge RUN']],
    [['run', 'hint'], ['hint send RUN TEXT']],
    [['rules', 'show'], ['rules list | show RULE']],
    [['rules', 'R'], ['rules RUN']],
    [['label', 'R', '3', 'train'], ['label RUN STEP train|mask|clear']],
    [['queue', 'next'], ['queue [RUN]... | queue next [RUN]']],
    [
      ['stats', 'R'],
      ['stats RUN', 'stats --experiment NAME'],
    ],
    [['restore'], ['restore', 'restore [BACKUP] --to DIR']],
  ])('of %j is about that command alone', (words, expected) => {
    const page = helpFor(words);
    expect(commands(page)).toEqual(expected);
    expect(page).toContain('Exit code: 0 done');
  });

  it('holds the options of its command and of no other', () => {
    const page = helpFor(['run', 'start']);
    expect(page).toContain('--max-evals N');
    expect(page).toContain('unless :rw');
    expect(page).not.toContain('--now');
    expect(page.split('\n')[0]).toBe('waymark run start');
  });

  it('of a family holds each of its commands', () => {
    expect(commands(helpFor(['checkpoint']))).toEqual(['checkpoint make RUN [NOTE]', 'checkpoint list RUN']);
  });

  it.each([[['fly']], [['run', 'fly']]])('refuses %j by name', (words) => {
    expect(() => helpFor(words)).toThrow(
      new WaymarkError(
        'bad_input',
        `There is no command "${words.join(' ')}". Run "waymark --help" for the commands.`,
      ),
    );
  });
});
