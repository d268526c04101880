import type { AnnotationEntry } from '@shared/log/annotations';
import type { OutboxEntry } from '@shared/log/outbox';
import { outboxEntry } from '../log/outbox-log';
import type { StoredEntry } from '../values';
import { findRun, type ReadContext } from './read-context';

export function readOutbox(context: ReadContext, run: string, afterId: number): OutboxEntry[] {
  return context.statements
    .all<{ id: number; body: string }>(
      "SELECT id, body FROM outbox WHERE run = ? AND id > ? AND body <> '' ORDER BY id LIMIT 1000",
      findRun(context, run).id,
      afterId,
    )
    .map(outboxEntry);
}

export function readOutboxHead(context: ReadContext, run: string): number {
  const head = context.statements.get<{ id: number | null }>(
    "SELECT max(id) AS id FROM outbox WHERE run = ? AND body <> ''",
    findRun(context, run).id,
  );
  return head?.id ?? 0;
}

export function readAnnotations(context: ReadContext, run: string): AnnotationEntry[] {
  return context.statements
    .all<{ body: string }>(
      'SELECT body FROM annotation WHERE run = ? AND purged = 0 ORDER BY id',
      findRun(context, run).id,
    )
    .map(({ body }) => JSON.parse(body) as AnnotationEntry);
}

export function readEntry({ statements }: ReadContext, ulid: string): StoredEntry | null {
  const posted = statements.get<{ id: number; body: string }>(
    "SELECT id, body FROM outbox WHERE ulid = ? AND body <> ''",
    ulid,
  );
  if (posted !== undefined) return { outbox: outboxEntry(posted) };
  const annotated = statements.get<{ body: string }>(
    'SELECT body FROM annotation WHERE ulid = ? AND purged = 0',
    ulid,
  );
  return annotated === undefined ? null : { annotation: JSON.parse(annotated.body) as AnnotationEntry };
}
