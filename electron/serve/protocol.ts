import { errorCodes, readOnlyReasons, refusedActs } from '@shared/contract/errors';
import { idSchema } from '@shared/contract/id';
import { endpointSchema } from '@shared/contract/settings';
import { z } from 'zod';

/**
 * What window and server say to each other; see `docs/remote.md`. Raised whenever either would misread the other, a new error code or
 * kind of finding included: the other would take the whole answer for a broken one.
 */
export const protocolVersion = 6;

/** A window's message may be this long, bytes; hints and labels are short. */
export const requestLimit = 1024 * 1024;
/** A server's message may be this long, bytes: a step with long texts, a page of a terminal. */
export const answerLimit = 64 * 1024 * 1024;
/** What a login shell may print before the server's first line, bytes. */
export const preambleLimit = 256 * 1024;
/** How long a server waits for a sign of its window, ms; a window asks every 5 s. */
export const silenceMs = 120_000;

/** The server's first line. All versions of the protocol begin with it, so that each can name the other's. */
export function firstLine(version: string, protocol = protocolVersion): string {
  return `waymark-serve protocol ${protocol} version ${version}\n`;
}

const firstLinePattern = /(?:^|\n)waymark-serve protocol (\d{1,9}) version ([\w.+-]{1,60})\r?\n/;

/** Protocol and program version of a server, and where its first line ends; null while it has not come. */
export function readFirstLine(text: string): { protocol: number; version: string; end: number } | null {
  const found = firstLinePattern.exec(text);
  if (found === null) return null;
  return { protocol: Number(found[1]), version: found[2] ?? '', end: found.index + found[0].length };
}

const id = z.int().nonnegative();
/** More than a person reads of a failure. */
const words = z.string().transform((text) => text.slice(0, 20_000));
const failureSchema = z.object({
  code: z.enum(errorCodes),
  message: words,
  detail: words.optional(),
  words: z
    .object({
      is: z.enum(readOnlyReasons),
      folder: z.string().max(4_096),
      act: z.enum(refusedActs),
    })
    .optional(),
});

/** Who looks, from where: labels and hints carry it. Endpoints hold no secrets; keys are the server's. */
export const helloSchema = z.object({
  kind: z.literal('hello'),
  protocol: z.int(),
  version: z.string().max(60),
  author: z.object({ uuid: z.string().max(80), name: z.string().max(80) }),
  device: z.string().max(80),
  endpoints: z.array(endpointSchema).max(100),
});
export type Hello = z.infer<typeof helloSchema>;

export const fromWindow = z.discriminatedUnion('kind', [
  helloSchema,
  z.object({
    kind: z.literal('request'),
    id,
    command: z.string().max(80),
    input: z.unknown().optional(),
    /** Id of the entry the command writes: the same one again writes nothing. */
    entry: idSchema.optional(),
  }),
  z.object({ kind: z.literal('ping'), id }),
]);
export type FromWindow = z.infer<typeof fromWindow>;

export const fromServer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('welcome'), folder: z.string().max(4_096), version: z.string().max(60) }),
  z.object({ kind: z.literal('refused'), failure: failureSchema }),
  z.object({
    kind: z.literal('answer'),
    id,
    result: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), value: z.unknown().optional() }),
      z.object({ ok: z.literal(false), error: failureSchema }),
    ]),
  }),
  z.object({ kind: z.literal('event'), name: z.string().max(80), payload: z.unknown() }),
  z.object({ kind: z.literal('pong'), id }),
]);
export type FromServer = z.infer<typeof fromServer>;
