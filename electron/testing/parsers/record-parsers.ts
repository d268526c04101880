import { nestsDeeper } from '@shared/base/json-depth';
import { readImage } from '@shared/context/image-header';
import { annotationOps } from '@shared/log/annotations';
import { outboxOps } from '@shared/log/outbox';
import { parseCopyAnswer } from '../../checkpoint/copy-answer';
import { FrameDecoder } from '../../computer/agent/frames';
import { parseHello } from '../../computer/agent/hello';
import { parseDirectories, parseLook, parseProcesses } from '../../computer/agent/session-answers';
import { parseExit, parseMeta } from '../../computer/sessions/layout';
import { parseMark } from '../../computer/sessions/session';
import { parseJumps } from '../../computer/ssh/config/jump-hosts';
import { parseGpus } from '../../computer/ssh/gpu';
import { jsonShape } from '../../dataset/importers/json-shape';
import { nodesOf } from '../../dataset/importers/researchgym/node';
import { parseObservation, scalarArguments } from '../../dataset/importers/researchgym/observation';
import { parsePolicy } from '../../demo/policy';
import { AnswerBuilder } from '../../model/read-stream';
import { answerSchemas } from '../../remote/answers/answer-schemas';
import { eventSchemas } from '../../remote/answers/events';
import { MessageDecoder } from '../../serve/frames';
import { decodeEvent } from '../../store/log/event-codec';
import { parseEntry } from '../../store/restore/backup-file';
import { parseTaskYaml } from '../../task/task-yaml';
import { again, bytesOf, counted, nested, type Parser, refusing } from './parser';

const json: Parser['shapes'] = {
  arrays: nested('[', ']'),
  'an array of objects': counted(() => '{}', '[', ']', ','),
  objects: nested('{"op":', '}', '1'),
  'different names': counted((index) => `"k${index}":${index}`, '{', '}', ','),
  'stored texts': counted((index) => `{"$text":"${index}"}`, '{"items":[', ']}', ','),
  'one long text': again('\\n', '{"text":"', '"}'),
};
const lines: Parser['shapes'] = {
  'short lines': again('a\n'),
  commas: again(','),
  'equal signs': again('a='),
  'one long line': again('0'),
  blanks: again(' '),
  'percent signs': again('%25%0A'),
  'numbers in lines': counted((index) => `${index} ${index} 1 S a\n`),
  'different names': counted((index) => `k${index}=v\n`),
};
/** As frames and entries come: nothing that nests without end reaches a schema. */
const read = (text: string): unknown =>
  nestsDeeper(text, 200) ? null : refusing(() => JSON.parse(text) as unknown);

function inPieces(bytes: Uint8Array, push: (piece: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; at += 100) push(bytes.subarray(at, at + 100));
}

/** One frame of this text, and as many small frames as it has room for. */
function serveFrames(text: string): void {
  const body = Buffer.from(JSON.stringify({ m: text }));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length, 0);
  const small = Buffer.from('\0\0\0\x07\0\0\0\0{"m":1}', 'latin1');
  const frames = Buffer.concat([
    head,
    body,
    ...Array.from({ length: Math.floor(text.length / small.length) }, () => small),
  ]);
  const decoder = new MessageDecoder(64 * 1024 * 1024);
  let seen = 0;
  inPieces(frames, (piece) => decoder.push(piece, () => (seen += 1)));
}

function agentFrames(text: string): void {
  const body = bytesOf(text).subarray(0, 1024 * 1024);
  const frame = Buffer.concat([Buffer.from(`1 ${body.length}\na`), body]);
  const small = Buffer.from('1 0\na');
  const frames = Buffer.concat([
    frame,
    ...Array.from({ length: Math.floor(text.length / small.length) }, () => small),
  ]);
  const decoder = new FrameDecoder();
  inPieces(frames, (piece) => decoder.push(piece, () => undefined));
}

/** A stream of so many characters in small pieces, with calls and a block of thinking. */
function streamed(text: string): void {
  const builder = new AnswerBuilder(() => undefined);
  for (let at = 0; at < text.length; at += 40) {
    const piece = text.slice(at, at + 40);
    const calls = [{ index: at / 40, id: 'c', function: { name: 'n', arguments: piece } }];
    builder.add({ choices: [{ delta: { content: piece, tool_calls: calls } }] });
  }
  builder.add({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  refusing(() => builder.answer());
}

const event = { id: 1, version: 1, kind: 'action.observed', at: 0, epoch: 1, purged: 0 } as const;
const run = '01KRVN00000000000000000001';
const answer = (text: string) => ({ fields: text.split('\n'), body: bytesOf(text) });

/** Everything that reads records: files, rows, frames, answers of hosts, servers and models. */
export const recordParsers: readonly Parser[] = [
  {
    names: ['parseTaskYaml'],
    most: 1024 * 1024,
    shapes: {
      'flow lists': again('['),
      'nested lists': again('- '),
      'different fields': counted((index) => `f${index}: 1\n`),
      'one field again': again('id: a\n'),
      anchors: counted(
        (index) => `a${index}: &a${index} [*a${Math.max(0, index - 1)}, *a${Math.max(0, index - 1)}]\n`,
      ),
      tags: again('! '),
      'multi-line text': again('  a\n', 'description: |\n'),
      'open quote': again('a\n', 'description: "'),
      comments: again('# a\n'),
      documents: again('---\n'),
      indentation: counted((index) => `${' '.repeat(index % 500)}a:\n`),
    },
    parse: parseTaskYaml,
  },
  {
    names: ['jsonShape', 'nodesOf', 'parseObservation', 'scalarArguments'],
    shapes: {
      ...json,
      'a deep tree': nested('{"id":"a","children":[', ']}'),
      'many children': counted((index) => `{"id":"n${index}"}`, '{"id":"a","children":[', ']}', ','),
      'many messages': counted(() => '{"role":"user","content":"a"}', '{"id":"a","messages":[', ']}', ','),
    },
    parse: (text) => {
      const shape = jsonShape(bytesOf(text), 20_000_000);
      return [
        shape,
        shape.problem === null &&
          nodesOf(
            refusing(() => JSON.parse(text) as unknown),
            'a',
          ),
        parseObservation(text),
        scalarArguments(text),
      ];
    },
  },
  {
    names: ['decodeEvent'],
    shapes: json,
    parse: (text) => refusing(() => decodeEvent({ ...event, body: text }, run, () => 'text')),
  },
  {
    names: ['parseEntry', 'parseAnnotation', 'parseOutboxOp'],
    shapes: json,
    parse: (text) => [parseEntry(text), annotationOps.safeParse(read(text)), outboxOps.safeParse(read(text))],
  },
  {
    names: ['answerSchemas', 'eventSchemas'],
    shapes: json,
    parse: (text) => {
      const value = read(text);
      const frames = Object.values(eventSchemas);
      for (const schema of [answerSchemas['runs.list'], answerSchemas['timeline.heads'], ...frames])
        schema.safeParse(value);
    },
  },
  {
    names: ['FrameDecoder', 'MessageDecoder'],
    shapes: lines,
    parse: (text) => [serveFrames(text), agentFrames(text)],
  },
  {
    names: ['AnswerBuilder'],
    shapes: { ...lines, thinking: again('<think>'), 'open blanks': again(' ', '', '<think') },
    parse: streamed,
  },
  {
    names: ['parseLook', 'parseProcesses', 'parseDirectories', 'parseHello'],
    shapes: lines,
    parse: (text) => [
      refusing(() =>
        parseLook({ ...answer(text), fields: ['a', 'alive', '', '0', ...again('1 ')(24).trim().split(' ')] }),
      ),
      refusing(() => parseProcesses(answer(text))),
      refusing(() => parseDirectories(answer(text))),
      refusing(() => parseHello(text.split('\n'))),
    ],
  },
  {
    names: ['parseMeta', 'parseExit', 'parseMark', 'parseGpus', 'parseJumps', 'parseCopyAnswer'],
    shapes: lines,
    parse: (text) => [
      parseMeta(text),
      parseExit(text),
      parseMark(`1 1 A 1 ${text}`),
      parseGpus(text),
      refusing(() => parseJumps(text, 'a host')),
      refusing(() => parseCopyAnswer(`waymark-checkpoint 1\n${text}\nend\n`, 'a host')),
    ],
  },
  {
    names: ['readImage'],
    shapes: {
      'PNG chunks without end': again(
        '\0\0\0\0tEXt\0\0\0\0',
        '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01',
      ),
      'JPEG segments': again('\xff\xe1\0\x02', '\xff\xd8'),
      'JPEG fill bytes': again('\xff', '\xff\xd8'),
      'a JPEG scan without end': again(
        '\xff\0',
        '\xff\xd8\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0\xff\xda\0\x02',
      ),
      'GIF blocks': again('\x21\xfe\x01a\0', 'GIF89a\x01\0\x01\0\0\0\0'),
      'GIF frames': again('\x2c\0\0\0\0\x01\0\x01\0\0\x02\0', 'GIF89a\x01\0\x01\0\0\0\0'),
      'WebP chunks': again('ALPH\0\0\0\0', 'RIFF\xff\xff\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0'),
    },
    parse: (text) => readImage(Buffer.from(text, 'latin1')),
  },
  { names: ['parsePolicy'], shapes: json, parse: (text) => refusing(() => parsePolicy(text, 'policy.json')) },
];
