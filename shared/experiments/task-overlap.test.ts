import { expect, test } from 'vitest';
import { type TaskText, taskOverlaps } from './task-overlap';

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, nth) => `word${from + nth}`).join(' ');

function task(name: string, text: string, hash = name): TaskText {
  return { task: name, hash, title: name.toUpperCase(), text };
}

test('the same files, the same name, the same description and shared passages are told apart, the surest first', () => {
  const here = [
    task('copied', words(0, 100)),
    task('renamed', words(200, 300)),
    task('changed', words(400, 500), 'new'),
    task('same', words(600, 700), 'files'),
    task('own', words(800, 900)),
  ];
  const there = [
    task('partly', `${words(0, 50)} ${words(1000, 1100)}`),
    task('other name', words(200, 300).toUpperCase().replaceAll(' ', ', ')),
    task('changed', words(1200, 1300), 'old'),
    task('same', words(600, 700), 'files'),
  ];
  expect(
    taskOverlaps(here, there).map(({ task: one, other, kind, shared }) => [one, other, kind, shared]),
  ).toEqual([
    ['same', 'same', 'package', 1],
    ['changed', 'changed', 'task', 0],
    ['renamed', 'other name', 'text', 1],
    ['copied', 'partly', 'passages', 38 / 88],
  ]);
});

test('a few words in common are no overlap, nor are tasks without a text', () => {
  expect(taskOverlaps([task('a', words(0, 200))], [task('b', `${words(0, 20)} ${words(300, 600)}`)])).toEqual(
    [],
  );
  expect(taskOverlaps([task('a', '')], [task('b', '')])).toEqual([]);
});

test('Chinese descriptions are compared by their characters, short ones whole', () => {
  const text = '请用给定的数据训练一个模型，并在测试集上报告准确率。';
  expect(taskOverlaps([task('a', text)], [task('b', `${text}最后写一份报告。`)])[0]?.kind).toBe('passages');
  expect(taskOverlaps([task('a', '训练模型')], [task('b', '训练 模型')])[0]?.kind).toBe('text');
});

test('long texts take time in proportion to their length', () => {
  const started = process.cpuUsage();
  expect(taskOverlaps([task('a', words(0, 20_000))], [task('b', words(0, 20_000), 'c')])[0]?.kind).toBe(
    'text',
  );
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});
