import { nestsDeeper } from '@shared/base/json-depth';
import { WaymarkError } from '@shared/contract/errors';
import { isPlainLabel } from '@shared/labels/plain-label';
import { beyondLimits } from '@shared/log/annotation-limits';
import { annotationEntrySchema } from '@shared/log/annotations';
import type { z } from 'zod';
import { storeFailure } from '../file/database';
import { type AnnotationSource, openAnnotationSource } from './annotation-source';
import { CHAIN_START_LINK, chainLink, LOST } from './hashing';
import type { SourceEntry } from './stored-entries';

/** What goes over to the writing thread at a time: entries, and characters of their bodies. */
const PAGE_ENTRIES = 500;
const PAGE_LENGTH = 512 * 1024;
/** How long whoever uses the same thread is kept waiting, ms. */
const TURN_MS = 5;

/** Another annotation log, checked as it is read: nothing of it is to be taken before it has come to its end. */
export interface ForeignLog {
  /**
   * The next entries, each device's in their order; null: there are no more.
   * @throws WaymarkError not_found, bad_input, workspace_newer, workspace_corrupt, unsupported: nothing of it is to be taken then
   */
  next(): Promise<SourceEntry[] | null>;
  close(): Promise<void>;
}

/** @throws WaymarkError as `next` does */
export type OpenForeignLog = (path: string) => Promise<ForeignLog>;

/**
 * Opens another annotation log. What is checked of it: each device's entries without a gap from its first, the chain over them, and
 * their form.
 */
export const openForeignLog: OpenForeignLog = async (path) => {
  const source = openedSource(path);
  const pages = pagesOf(source, path);
  let turn = performance.now();
  return {
    next: async () => {
      if (performance.now() - turn > TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        turn = performance.now();
      }
      try {
        const page = pages.next();
        return page.done === true ? null : page.value;
      } catch (thrown) {
        throw storeFailure(thrown, path);
      }
    },
    close: async () => source.close(),
  };
};

function openedSource(path: string): AnnotationSource {
  try {
    return openAnnotationSource(path);
  } catch (thrown) {
    throw storeFailure(thrown, path);
  }
}

function* pagesOf(source: AnnotationSource, path: string): Generator<SourceEntry[], void, undefined> {
  const chains = new Chains(path);
  let page: SourceEntry[] = [];
  let length = 0;
  for (const entry of source.entries()) {
    chains.check(entry);
    checkForm(entry, path);
    page.push(entry);
    length += entry.body.length;
    if (page.length === PAGE_ENTRIES || length > PAGE_LENGTH) {
      yield page;
      page = [];
      length = 0;
    }
  }
  if (page.length > 0) yield page;
}

class Chains {
  private readonly ended = new Set<string>();
  private device = '';
  private seq = 0;
  private hash = CHAIN_START_LINK;

  constructor(private readonly where: string) {}

  check(entry: SourceEntry): void {
    if (entry.device !== this.device) {
      this.ended.add(this.device);
      this.device = entry.device;
      this.seq = 0;
      this.hash = CHAIN_START_LINK;
    }
    if (this.ended.has(entry.device) || entry.deviceSeq !== this.seq + 1) {
      throw broken(this.where, entry, `comes after number ${this.seq}`);
    }
    if (entry.body !== '' && this.hash !== LOST && chainLink(this.hash, entry.body) !== entry.hash) {
      throw broken(this.where, entry, 'or one before it was changed after it was stored');
    }
    this.seq = entry.deviceSeq;
    this.hash = entry.hash;
  }
}

/** Where and what, of the first thing that is wrong. */
function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'the entry'}: ${issue?.message ?? 'not understood'}`;
}

/** An entry nests to six; a correction holds its arguments as a text. */
const MOST_LEVELS = 64;

/** Undefined for what is no JSON, which is then of no known kind. */
function parsedBody(body: string): unknown {
  if (nestsDeeper(body, MOST_LEVELS)) return undefined;
  try {
    return JSON.parse(body);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** The form of what is taken over is checked as that of what is written here. */
function checkForm({ body, ulid, device, deviceSeq, run }: SourceEntry, where: string): void {
  if (body === '') return;
  const stored = parsedBody(body);
  const parsed = isPlainLabel(stored)
    ? { success: true as const, data: stored }
    : annotationEntrySchema.safeParse(stored);
  if (!parsed.success) {
    throw new WaymarkError(
      'unsupported',
      `Entry ${deviceSeq} of device ${device.slice(0, 80)} in ${where} is of a kind this application does not know. Update it. Nothing was merged.`,
      firstIssue(parsed.error),
    );
  }
  const entry = parsed.data;
  const beyond = beyondLimits(entry);
  if (beyond !== null) {
    throw new WaymarkError(
      'bad_input',
      `Entry ${deviceSeq} of device ${JSON.stringify(device.slice(0, 80))} in ${where} was written by no Waymark: ${beyond}. Nothing was merged.`,
    );
  }
  const same =
    entry.ulid === ulid &&
    entry.device === device &&
    entry.deviceSeq === deviceSeq &&
    entry.target.run === run &&
    entry.target.from <= entry.target.to;
  if (!same) {
    throw broken(where, { device, deviceSeq }, 'contradicts its row');
  }
}

function broken(
  where: string,
  { device, deviceSeq }: Pick<SourceEntry, 'device' | 'deviceSeq'>,
  why: string,
): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `The annotation log in ${where} is damaged: entry ${deviceSeq} of device ${device} ${why}. Nothing was merged. Run "verify" there.`,
  );
}
