import type { RestoredRun } from '@shared/contract/ipc/restore';
import type { Statements } from '../file/rows';
import { noteEnd, storedEnds } from '../log/annotation-ends';
import { forgetLostPlaces, noteLostPlace } from '../log/lost-places';
import {
  type AnnotationChains,
  annotationChains,
  type LostEntry,
  NO_RUN,
  type ReadEntry,
} from './annotation-chains';
import { outboxOf } from './outbox-chain';

/** "1 label", "2 labels". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

export function are(count: number): 'is' | 'are' {
  return count === 1 ? 'is' : 'are';
}

interface PeopleCopyParts {
  target: Statements;
  backup: Statements | null;
  damaged: Statements | null;
  /** What could not be brought back, and what a person should know though nothing is missing. */
  notes: string[];
  remarks: string[];
}

/** Copies what people said into a workspace that has its runs already: hints and requests, then the annotation log. */
export class PeopleCopy {
  readonly people = new Set<string>();
  labels = 0;
  hints = 0;

  constructor(
    private readonly parts: PeopleCopyParts,
    /** Grows by runs that nothing but labels name. */
    private readonly runs: RestoredRun[],
  ) {}

  /** `at`: of the restore, wall-clock ms. */
  copyOutbox(at: number): void {
    const { target, damaged, backup } = this.parts;
    for (const report of this.runs) {
      const { rows, lost, unread, unproved } = outboxOf(damaged, backup, report.id);
      if (lost > 0) {
        const why = unread.length === 0 ? '' : ` ${unread.join(' ')}`;
        report.notes.push(
          `${counted(lost, 'hint or request', 'hints or requests')} could not be restored: missing, altered, or about a hint that is lost. Everything after that was restored. Check the hints that are still waiting before you resume the run: what is lost may have changed or withdrawn one of them.${why}`,
        );
      }
      if (unproved.length > 0) {
        this.parts.remarks.push(
          `Run ${report.id}: ${counted(unproved.length, 'hint or request', 'hints or requests')} right behind a missing one ${are(unproved.length)} taken as stored; no chain proves ${unproved.length === 1 ? 'it' : 'them'}.`,
        );
      }
      const hints = rows.filter(({ body }) => isHint(body)).length;
      if (report.state === 'lost') {
        if (hints > 0)
          report.notes.push(
            `${counted(hints, 'hint')} ${are(hints)} not in the new workspace: without the run's log ${hints === 1 ? 'it has' : 'they have'} no place. The old folder or the backup still ${hints === 1 ? 'holds it' : 'holds them'}.`,
          );
        continue;
      }
      const run = this.numberOf(report.id);
      if (run !== undefined) forgetLostPlaces(target, run);
      for (const { id, ulid, purged, body, hash } of rows) {
        target.run(
          'INSERT INTO outbox (id, ulid, run, purged, body, hash) VALUES (?, ?, ?, ?, ?, ?)',
          ...[id, ulid, run, purged, body, hash],
        );
        if (run !== undefined && body === '' && report.state !== 'removed')
          noteLostPlace(target, run, id, at);
      }
      report.hints = hints;
      this.hints += hints;
    }
  }

  copyAnnotations(): void {
    const chains = annotationChains(this.parts.damaged, this.parts.backup);
    const runs = new Map(this.runs.map((run) => [run.id, run]));
    for (const entry of chains.entries) {
      if (!entry.placed && !runs.has(entry.run) && entry.run !== NO_RUN) {
        const notes = ['The list of runs does not name it, and its log is not there.'];
        const row: RestoredRun = {
          id: entry.run,
          title: '',
          state: 'lost',
          steps: 0,
          labels: 0,
          hints: 0,
          notes,
        };
        runs.set(entry.run, row);
        this.runs.push(row);
      }
      this.copyEntry(entry, runs.get(entry.run));
    }
    const { target } = this.parts;
    for (const end of storedEnds(target).values()) noteEnd(target, end);
    for (const { state, labels, notes } of this.runs) {
      if (state === 'lost' && labels > 0) notes.push(keptAside(labels));
    }
    this.report(chains);
  }

  private copyEntry(entry: ReadEntry, here: RestoredRun | undefined): void {
    const { target } = this.parts;
    const { parsed, ulid, device, deviceSeq, body, hash } = entry;
    const run = this.numberOf(entry.run);
    const counts = parsed !== null && here?.state === 'log' && parsed.target.to <= here.steps;
    if (run !== undefined && (counts || here?.state === 'removed')) {
      const kept = counts ? parsed : null;
      target.run(
        `INSERT INTO annotation (ulid, run, author, op, undoes, device, device_seq, purged, body, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[ulid, run, kept?.author.uuid ?? '', kept?.body.op ?? ''],
        kept?.body.op === 'undo' ? kept.body.entry : null,
        ...[device, deviceSeq, kept === null ? 1 : 0, kept === null ? '' : body, hash],
      );
    } else {
      target.run(
        'INSERT INTO kept_annotation (device, device_seq, ulid, run, body, hash) VALUES (?, ?, ?, ?, ?, ?)',
        ...[device, deviceSeq, ulid, entry.run, body, hash],
      );
    }
    if (parsed !== null && here?.state !== 'removed') {
      this.labels += 1;
      this.people.add(parsed.author.name);
      if (here !== undefined) here.labels += 1;
    }
  }

  private numberOf(run: string): number | undefined {
    return this.parts.target.get<{ id: number }>('SELECT id FROM run WHERE ulid = ?', run)?.id;
  }

  private report({ lost, unproved, forks, unread }: AnnotationChains): void {
    const { notes, remarks } = this.parts;
    if (lost.length > 0) {
      const what = counted(lost.length, 'label or comment', 'labels or comments');
      notes.push(`${what} could not be restored, missing or altered: ${whose(lost)}.`);
      notes.push(...placesOf(lost), ...unread.map((why) => `Labels: ${why}`));
    }
    const behind = new Map<string, number[]>();
    for (const { device, deviceSeq } of unproved) {
      behind.set(device, [...(behind.get(device) ?? []), deviceSeq]);
    }
    for (const [device, numbers] of behind) {
      remarks.push(
        `The chain of device ${device} cannot be proved from entry ${numbers[0]} on, because entries before it are missing. Entries right after a gap were taken as stored: ${numbers.slice(0, 10).join(', ')}${numbers.length > 10 ? ` and ${numbers.length - 10} more` : ''}.`,
      );
    }
    for (const { device, from, folder, backup, as } of forks) {
      remarks.push(
        `The folder and the backup diverge at entry ${from} of device ${device}: ${counted(folder, 'entry', 'entries')} from there on ${are(folder)} in the folder, ${backup} other ${backup === 1 ? 'one is' : 'ones are'} in the backup. Both sides were restored, those of the backup as device ${as}. Where they contradict each other the step shows as a disagreement.`,
      );
    }
  }
}

function keptAside(labels: number): string {
  const one = labels === 1;
  return `Its ${counted(labels, 'label')} ${one ? 'is' : 'are'} set aside: ${one ? 'it counts' : 'they count'} only for this very run. Importing its files again makes another run, without ${one ? 'it' : 'them'}; "label export" writes ${one ? 'it' : 'them'} into a file.`;
}

/** "Ann 4 (run X), Bob 2 (run Y), 1 by nobody knows whom". */
function whose(lost: readonly LostEntry[]): string {
  const groups = new Map<string, number>();
  for (const { author, run } of lost) {
    const key = `${author ?? 'by an unknown person'}${run === null ? ' (run unknown)' : ` (run ${run})`}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  return [...groups].map(([key, count]) => `${count} ${key}`).join(', ');
}

function placesOf(lost: readonly LostEntry[]): string[] {
  const places = new Map<string, number[]>();
  for (const { device, deviceSeq } of lost) places.set(device, [...(places.get(device) ?? []), deviceSeq]);
  return [...places].map(([device, numbers]) => {
    const named = numbers.slice(0, 10).join(', ');
    const rest = numbers.length > 10 ? ` and ${numbers.length - 10} more` : '';
    return `On device ${device}: ${numbers.length === 1 ? 'entry' : 'entries'} ${named}${rest}. Everything after that was restored.`;
  });
}

function isHint(body: string): boolean {
  return body !== '' && (JSON.parse(body) as { body?: { op?: unknown } }).body?.op === 'hint.queued';
}
