import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointSchema } from '@shared/contract/settings';
import type { ChatMessage, ContentPart } from '@shared/log/chat';
import { imageRef } from '@shared/log/image-part';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportDataset } from '../dataset/export-dataset';
import type { ScriptedAnswer, ScriptedRequest } from '../model/scripted-answer';
import { author, EngineStand, unisolated } from '../testing/engine-stand';
import { imagePart, pngFile, seededPng } from '../testing/images';

const sha = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** What the model does at each of its steps, by run: the script of the run that asks. */
let script: ScriptedAnswer[] = [];
let stand: EngineStand;
let out = '';

const open = (path: string): NonNullable<ScriptedAnswer['calls']>[number] => ({
  name: 'open_file',
  arguments: { path },
});
const finish: ScriptedAnswer = { calls: [{ name: 'finish', arguments: {} }] };

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'waymark-images-'));
  stand = await EngineStand.open({
    policy: ({ answers }) => script[answers] ?? finish,
    files: {},
    aliases: [],
  });
});
afterAll(async () => {
  await stand.close();
  await rm(out, { recursive: true, force: true });
});

/** A run whose workspace got `files`, driven to its end; what was sent to the model. */
async function drive(
  files: Record<string, Buffer>,
  answers: (at: (name: string) => string) => ScriptedAnswer[],
  images = true,
): Promise<{ run: string; sent: ScriptedRequest[] }> {
  const endpoint = endpointSchema.parse({
    name: 'Scripted',
    baseUrl: stand.model.baseUrl,
    model: 'scripted',
    parallelCalls: true,
    images,
  });
  const run = await stand.start({}, 'off', { ...unisolated, endpoint });
  const [created] = await stand.store.reader.events(run, 1, 1);
  if (created?.kind !== 'run.created') throw new Error('no run');
  const root = created.body.workspaceRoot;
  const at = (name: string) => join(root, name);
  // The workspace is made when the run is driven first: the files come by commands of the agent.
  const writes = Object.entries(files).map(([name, bytes]) => ({
    name: 'run_command',
    arguments: {
      session_id: 'a',
      computer_ip: 'localhost',
      wait_for_completion: true,
      command: `echo ${bytes.toString('base64')} | base64 -d > ${at(name)}`,
    },
  }));
  script = [
    { calls: [{ name: 'create_session', arguments: { session_id: 'a', computer_ip: 'localhost' } }] },
    ...writes.map((call) => ({ calls: [call] })),
    ...answers(at),
    finish,
  ];
  const before = stand.model.requests.length;
  await stand.drive(run);
  return { run, sent: stand.model.requests.slice(before) };
}

const partsOf = (message: ChatMessage | undefined): ContentPart[] =>
  message !== undefined && typeof message.content !== 'string' ? message.content : [];

async function rowsOf(run: string): Promise<{ messages: Record<string, unknown>[] }[]> {
  const folder = join(out, run);
  await exportDataset(stand.store.reader, { format: 'slime', runs: [run], undecided: 'train', out: folder });
  const text = await readFile(join(folder, 'train.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const unmasked = ({ step_loss_mask: _, ...message }: Record<string, unknown>) => message;

describe('open_file on an image', () => {
  test('shows it to a model that takes images, in event, blob, step, head, request, prompt and row', async () => {
    const png = pngFile(64, 48);
    const { run, sent } = await drive({ 'plot.png': png }, (at) => [{ calls: [open(at('plot.png'))] }]);
    const events = await stand.events(run);
    const observed = events.find(({ kind, body }) => kind === 'action.observed' && 'images' in body);
    if (observed?.kind !== 'action.observed') throw new Error(`none: ${JSON.stringify(events.slice(-6))}`);
    const [image] = observed.body.images ?? [];
    const { name } = image ?? { name: '' };
    expect(image).toEqual(imagePart(name, png));
    const { step } = observed.body;
    const detail = await stand.store.reader.step(run, step);
    expect(detail.observations[0]?.images).toEqual([imageRef(imagePart(name, png))]);
    expect(detail.observations[0]?.text).toContain('PNG image, 64 × 48 pixels');
    expect(detail.head.image).toEqual(imageRef(imagePart(name, png)));
    expect(await stand.store.reader.image(run, sha(png))).toEqual({ mediaType: 'image/png', bytes: png });
    const last = sent.at(-1);
    expect(partsOf(last?.messages.at(-1))).toEqual([
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
      { type: 'text', text: expect.stringContaining(`[Image: ${name}, PNG, 64 × 48 pixels.]`) },
    ]);
    const prompt = await stand.store.reader.prompt(run, step + 1);
    expect(prompt.verified).toBe(true);
    expect(prompt.messages.at(-1)?.images).toEqual([imageRef(imagePart(name, png))]);
    const [row] = await rowsOf(run);
    const held = row?.messages.map(unmasked).slice(0, last?.messages.length);
    expect(held).toEqual(last?.messages);
    expect((await stand.store.reader.verify([run])).runs[0]?.problems).toEqual([]);
    // The command that made the file is found by its base64, the step that shows it is not.
    expect(await stand.store.reader.stepsMatching(run, png.toString('base64').slice(0, 24))).toEqual([2]);
  });

  test('the bytes go with the texts that are purged, unless another run shows them too', async () => {
    const png = seededPng(900);
    const opening = (at: (name: string) => string) => [{ calls: [open(at('a.png'))] }];
    const one = await drive({ 'a.png': png }, opening);
    const two = await drive({ 'a.png': png }, opening);
    await stand.store.writer.remove(one.run, 'text', author);
    await expect(stand.store.reader.image(one.run, sha(png))).rejects.toMatchObject({ code: 'not_found' });
    expect((await stand.store.reader.image(two.run, sha(png))).bytes).toEqual(png);
    const heads = await stand.store.reader.heads(one.run, 1, 10);
    expect(heads.some(({ image }) => image !== undefined)).toBe(false);
    const kept = (await stand.events(one.run)).flatMap((event) =>
      event.kind === 'action.observed' ? (event.body.images ?? []) : [],
    );
    expect(kept).toEqual([{ ...imagePart('', png), data: '' }]);
    await stand.store.writer.remove(two.run, 'run', author);
    await expect(stand.store.reader.image(two.run, sha(png))).rejects.toMatchObject({ code: 'not_found' });
    const report = await stand.store.reader.verify();
    expect([...report.workspace, ...report.runs.flatMap(({ problems }) => problems)]).toEqual([]);
  });

  test('tells a model that takes none what it is, and sends none', async () => {
    const { run, sent } = await drive(
      { 'plot.png': pngFile(9, 7) },
      (at) => [{ calls: [open(at('plot.png'))] }],
      false,
    );
    expect(sent.some(({ raw }) => raw.includes('image_url'))).toBe(false);
    const told = (await stand.events(run)).flatMap((event) =>
      event.kind === 'action.observed' && event.body.name === 'open_file' ? [event.body] : [],
    );
    expect(told[0]).toMatchObject({ ok: false, error: { code: 'unsupported' } });
    expect(told[0]?.text).toMatch(/is an image \(PNG image, 9 × 7 pixels, .* you cannot see images/u);
    expect(sent[0]?.raw).not.toContain('shows an image');
  });

  test.each<[string, Buffer, RegExp]>([
    ['a script in SVG is text', Buffer.from('<svg><script>1</script></svg>'), /1\|<svg>/u],
    ['another kind by name', Buffer.from([0x42, 0x4d, 0, 0, 1]), /not a text file/u],
    ['cut off', pngFile(9, 9).subarray(0, 60), /cannot be shown as an image: it is damaged or cut off/u],
    ['a bomb', bomb(), /cannot be shown as an image: it has 30,000 × 30,000 pixels/u],
  ])('refuses what is no whole image of a size we take: %s', async (_, bytes, said) => {
    const { run, sent } = await drive({ 'x.png': bytes }, (at) => [{ calls: [open(at('x.png'))] }]);
    expect(sent.some(({ raw }) => raw.includes('image_url'))).toBe(false);
    const [told] = (await stand.events(run)).flatMap((event) =>
      event.kind === 'action.observed' && event.body.name === 'open_file' ? [event.body.text] : [],
    );
    expect(told).toMatch(said);
  });
});

describe('more images than a request may hold', () => {
  const leftOutIn = (text: string) => text.split('No longer shown: newer images took its place.').length - 1;
  const contents = (messages: readonly ChatMessage[]) => {
    const parts = messages.flatMap(partsOf);
    const plain = messages.map(({ content }) => (typeof content === 'string' ? content : ''));
    const texts = [...plain, ...parts.map((part) => (part.type === 'text' ? part.text : ''))].join('\n');
    return { shown: parts.filter(({ type }) => type === 'image_url').length, leftOut: leftOutIn(texts) };
  };

  async function expectSound(run: string, asked: number[]): Promise<void> {
    expect((await stand.store.reader.verify([run])).runs[0]?.problems).toEqual([]);
    for (const step of asked) {
      expect(await stand.store.reader.prompt(run, step)).toMatchObject({ verified: true });
    }
  }

  test('the oldest are only named from then on, and the row is what was sent last and says since when', async () => {
    const opened = 30;
    const { run, sent } = await drive({ 'a.png': pngFile(2, 2) }, (at) =>
      Array.from({ length: 5 }, () => ({ calls: Array.from({ length: opened }, () => open(at('a.png'))) })),
    );
    const all = sent.map(({ messages }) => contents(messages));
    // Two requests make session and file; then each answer opens 30 images.
    expect(all.slice(2)).toEqual([
      { shown: 0, leftOut: 0 },
      { shown: 30, leftOut: 0 },
      { shown: 60, leftOut: 0 },
      { shown: 90, leftOut: 0 },
      { shown: 50, leftOut: 70 },
      { shown: 80, leftOut: 70 },
    ]);
    const left = (await stand.events(run)).filter(({ kind }) => kind === 'context.images_left_out');
    expect(left.map(({ body }) => body)).toEqual([{ segment: 1, step: 5, call: 9, images: 70, left: 50 }]);
    await expectSound(run, [6, 7, 8]);
    const prompt = await stand.store.reader.prompt(run, 7);
    expect(prompt.messages.flatMap(({ images = [] }) => images)).toHaveLength(50);
    expect(leftOutIn(prompt.messages.map(({ content }) => content).join('\n'))).toBe(70);
    const heads = await stand.store.reader.heads(run, 1, 10);
    expect(heads.flatMap(({ after }) => after)).toContainEqual({
      kind: 'images_left_out',
      images: 70,
      left: 50,
    });
    const [row] = await rowsOf(run);
    const last = sent.at(-1)?.messages ?? [];
    expect(row?.messages.map(unmasked).slice(0, last.length)).toEqual(last);
    const { metadata } = row as unknown as { metadata: { not_as_sent: { why: string; steps: string }[] } };
    expect(metadata.not_as_sent.map(({ why, steps }) => [why, steps])).toEqual([
      ['images', '4-6'],
      ['images', '5-6'],
      ['images', '6'],
    ]);
  });

  test('bytes count as well as images, and no request grows past what services take', async () => {
    const [begin, end] = bigPng();
    const pad = `head -c 3000000 /dev/zero`;
    const { run, sent } = await drive({ begin, end }, (at) => [
      {
        calls: [
          {
            name: 'run_command',
            arguments: {
              session_id: 'a',
              computer_ip: 'localhost',
              wait_for_completion: true,
              command: `( cat ${at('begin')}; ${pad}; cat ${at('end')} ) > ${at('big.png')}`,
            },
          },
        ],
      },
      ...Array.from({ length: 6 }, () => ({ calls: [open(at('big.png'))] })),
    ]);
    const shown = sent.slice(4).map(({ messages }) => contents(messages));
    expect(shown.map((each) => each.shown)).toEqual([0, 1, 2, 3, 4, 2, 3]);
    expect(shown.at(-1)).toEqual({ shown: 3, leftOut: 3 });
    expect(Math.max(...sent.map(({ raw }) => raw.length))).toBeLessThan(20_000_000);
    await expectSound(run, [10, 11]);
  });
});

/** A PNG around 3,000,000 bytes of a chunk that no reader knows; that chunk's bytes come from elsewhere. */
function bigPng(): [begin: Buffer, end: Buffer] {
  const png = pngFile(2, 2);
  const iend = png.length - 12;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(3_000_000);
  const begin = Buffer.concat([png.subarray(0, iend), length, Buffer.from('paDd', 'latin1')]);
  return [begin, Buffer.concat([Buffer.alloc(4), png.subarray(iend)])];
}

function bomb(): Buffer {
  const png = Buffer.from(pngFile(1, 1));
  png.writeUInt32BE(30_000, 16);
  png.writeUInt32BE(30_000, 20);
  return png;
}

test('what is rebuilt is what came over the wire, and rows hold it, whatever is opened in whatever order', {
  timeout: 120_000,
}, async () => {
  const names = ['a.png', 'b.png', 'missing.png', 'text.txt'] as const;
  const files = { 'a.png': seededPng(1), 'b.png': pngFile(700, 20), 'text.txt': Buffer.from('hello\n') };
  const answer = fc.array(fc.constantFrom(...names), { minLength: 0, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 5 }), async (steps) => {
      const { run, sent } = await drive(files, (at) =>
        steps.map((opened) => ({ text: 'Look.', calls: opened.map((name) => open(at(name))) })),
      );
      const requested = (await stand.events(run)).flatMap((event) =>
        event.kind === 'model.requested' ? [event.body] : [],
      );
      expect(requested.map(({ sha256 }) => sha256)).toEqual(sent.map(({ raw }) => sha(raw)));
      for (const { step } of requested) {
        expect(await stand.store.reader.prompt(run, step)).toMatchObject({ verified: true });
      }
      const [row] = await rowsOf(run);
      const last = sent.at(-1)?.messages ?? [];
      expect(row?.messages.map(unmasked).slice(0, last.length)).toEqual(last);
      expect((await stand.store.reader.verify([run])).ok).toBe(true);
    }),
    { numRuns: 6 },
  );
});
