import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redactor } from '../../electron/dataset/redaction/redactor';
import { DecodedScanner } from '../../electron/secrets/decoded-scanner';
import { secretShapes } from '../../electron/testing/parsers/secret-parsers';
import {
  namedKinds,
  type Plant,
  plant,
  plantContexts,
  plantKinds,
} from '../../electron/testing/secret-plants';
import { seededRandom } from '../../electron/testing/seeded-random';
import { type Bench, figure, quick, shorten, size, spread } from '../harness';
import { Material } from './material';

const held = ['own-secret-with-length-1', 'another/secret+with=signs', `sk-${'x9'.repeat(50)}`];
const names = { users: ['kimberly'], hosts: ['gpu-box7', 'gpu-box7.lab'], homes: ['/srv/people/k1'] };
const settings = { level: 'strict', secrets: held, names, allowed: [] } as const;
const fresh = () => new Redactor(settings, ({ kind }) => `<<${kind}:1>>`);
const WORST = 300_000;
const source = ['@types/node', 'openai', 'zod', 'fast-check', 'yaml', 'ssh2', 'playwright-core'];

/** What redaction of exports costs, and what it finds of keys that were made after their services' own words. */
export const redaction: Bench = {
  name: 'redaction',
  about: 'secrets and names taken out of the texts of rows; planted keys; the worst 300 kB',
  async run(options) {
    const texts = rowTexts(size(options, 32, 128, 2));
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const rates = Array.from({ length: quick ? 1 : 5 }, () => {
      const redactor = fresh();
      return (
        bytes /
        1e3 /
        msOf(() => {
          for (const text of texts) redactor.redact(text, text.startsWith('{') ? 'json' : 'text');
        })
      );
    });
    const rate = Math.max(...rates);
    const worst = Object.entries(secretShapes)
      .map(([name, shape]) => {
        const text = shape(WORST);
        return { name, ms: Math.min(...[0, 1].map(() => msOf(() => fresh().redact(text, 'json')))) };
      })
      .sort((a, b) => b.ms - a.ms);
    const planted = recall(quick ? 1 : 5);
    const clean = inSource();
    return [
      figure(
        'redaction-rate',
        rate,
        'MB/s',
        { is: '≥', value: 15 },
        { detail: `${spread(rates)} MB/s over ${shorten(bytes / 1e6)} MB, the quickest counts` },
      ),
      figure(
        'redaction-worst',
        worst[0]?.ms ?? 0,
        'ms',
        { is: '≤', value: 1_000 },
        {
          detail: worst
            .slice(0, 3)
            .map(({ name, ms }) => `${name} ${shorten(ms)} ms`)
            .join('; '),
        },
      ),
      figure('redaction-held', planted.held, '', { is: '≥', value: 1 }, { detail: planted.heldDetail }),
      figure('redaction-known', planted.known, '', { is: '≥', value: 0.95 }, { detail: planted.knownDetail }),
      figure('redaction-source', clean.perMegabyte, '', { is: '≤', value: 1 }, { detail: clean.detail }),
    ];
  },
};

/** Texts as rows have them: output of programs, and arguments of calls. MB. */
function rowTexts(megabytes: number): string[] {
  const material = new Material(7);
  const texts: string[] = [];
  for (let length = 0; length < megabytes * 1_000_000; ) {
    const output = material.log(8_000);
    const call = JSON.stringify({ command: material.log(600), note: material.log(200) });
    texts.push(output, call);
    length += output.length + call.length;
  }
  return texts;
}

function recall(tries: number) {
  const random = seededRandom(Number(process.env.WAYMARK_PLANT_SEED ?? 99));
  let [all, found] = [0, 0];
  const known = new Map<string, { all: number; found: number }>();
  const none = new DecodedScanner([]);
  for (const kind of Object.keys(plantKinds)) {
    for (const { group, write } of Object.values(plantContexts)) {
      for (let index = 0; index < tries; index += 1) {
        const each = plant(kind, random);
        all += 1;
        if (isCovered(new DecodedScanner([each.secret]), each, write(each))) found += 1;
        if (group === 'coded') continue;
        const count = known.get(kind) ?? { all: 0, found: 0 };
        count.all += 1;
        if (isCovered(none, each, write(each))) count.found += 1;
        known.set(kind, count);
      }
    }
  }
  const shares = [...known]
    .map(([kind, count]) => ({ kind, share: count.found / count.all }))
    .sort((a, b) => a.share - b.share);
  const named = shares.filter(({ kind }) => namedKinds.includes(kind));
  const told = (of: typeof shares) =>
    of
      .slice(0, 3)
      .map(({ kind, share }) => `${kind} ${shorten(share)}`)
      .join(', ');
  return {
    held: found / all,
    heldDetail: `${found} of ${all}: ${Object.keys(plantKinds).length} kinds in ${Object.keys(plantContexts).length} contexts`,
    known: named[0]?.share ?? 0,
    knownDetail: `least of the ${named.length} named kinds: ${told(named)}; of all ${shares.length}: ${told(shares)}`,
  };
}

function isCovered(scanner: DecodedScanner, { secret }: Plant, text: string): boolean {
  const covered = scanner.find(text).reduce((sum, { start, end }) => sum + end - start, 0);
  return covered >= secret.replace(/\s/gu, '').length - 2;
}

function inSource() {
  const scanner = new DecodedScanner(held);
  const files = source.flatMap((name) =>
    readdirSync(join('node_modules', name), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.[cm]?[tj]s$/.test(path))
      .map((path) => readFileSync(join('node_modules', name, path), 'utf8')),
  );
  const megabytes = files.reduce((sum, { length }) => sum + length, 0) / 1e6;
  const hits = files.flatMap((text) => scanner.find(text)).length;
  return {
    perMegabyte: hits / megabytes,
    detail: `${hits} in ${shorten(megabytes)} MB of ${source.join(', ')}`,
  };
}

/** Of the processor: whatever else runs on the machine only makes the clock go on. */
function msOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
