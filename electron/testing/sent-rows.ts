import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatMessage } from '@shared/log/chat';

/** A line of an exported file. */
export interface ExportedRow {
  messages: (ChatMessage & { step_loss_mask?: 0 | 1 })[];
  tools: unknown[];
  metadata: {
    kind: 'react' | 'summary';
    run: string;
    segment: number;
    steps: { step: number; mask: 0 | 1; reason?: string; given_reason?: string }[];
    not_as_sent?: { why: string; messages: string; steps: string }[];
    refused?: { answer: ChatMessage; told: string }[];
  };
}

export async function exportedRows(folder: string): Promise<ExportedRow[]> {
  const text = await readFile(join(folder, 'train.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ExportedRow);
}

/** `3, 5-7` → 3, 5, 6, 7. */
function listed(ranges: string): number[] {
  return ranges.split(', ').flatMap((piece) => {
    const [from = 0, to = from] = piece.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

export interface ComparedRow {
  /** Messages of requests that were compared, and those that the row says to differ and do. */
  equal: number;
  named: number;
  /** What is wrong; empty = the row is what was sent. */
  wrong: string[];
}

/**
 * An exported row against the bodies that a server got, knowing nothing of how rows are made. `bodyOf`: what a step of the run
 * answered; null where it was asked elsewhere (imports).
 */
export function compareRow(row: ExportedRow, bodyOf: (step: number) => string | null): ComparedRow {
  const { metadata, messages } = row;
  const found: ComparedRow = { equal: 0, named: 0, wrong: [] };
  const plain = messages.map(({ step_loss_mask: _, ...message }) => JSON.stringify(message));
  const answers = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const own = answers.slice(-metadata.steps.length);
  for (const [nth, { step }] of metadata.steps.entries()) {
    const body = bodyOf(step);
    if (body === null) continue;
    const sent = JSON.parse(body) as { messages: ChatMessage[]; tools?: unknown[] };
    const where = `${metadata.kind} row of segment ${metadata.segment}, step ${step}`;
    if (JSON.stringify(sent.tools ?? []) !== JSON.stringify(row.tools)) found.wrong.push(`${where}: tools`);
    if (sent.messages.length !== own[nth]) {
      found.wrong.push(`${where}: ${sent.messages.length} messages were sent, the row has ${own[nth]}`);
    }
    const last = nth === metadata.steps.length - 1;
    for (const [place, message] of sent.messages.entries()) {
      const names = (metadata.not_as_sent ?? []).some(
        (each) => listed(each.messages).includes(place) && listed(each.steps).includes(step),
      );
      if (JSON.stringify(message) === plain[place]) found.equal += 1;
      else if (names && !last) found.named += 1;
      else found.wrong.push(`${where}, message ${place}: ${JSON.stringify(message).slice(0, 200)} was sent`);
    }
  }
  return found;
}
