import { z } from 'zod';
import { count, limitsSchema, modelRefSchema, step, ulid } from './event-parts';

/** What a secret in a text is, as far as a person needs to know it. `known`: one that this installation holds. */
const secretKinds = [
  'known',
  'model_key',
  'cloud_key',
  'service_token',
  'login_token',
  'private_key',
  'password',
] as const;
export type SecretKind = (typeof secretKinds)[number];

/** What a person, or a computer, changes about a run while it goes on. */
export const runChangeEvents = {
  /** At a step boundary: later requests go to this model with these parameters. Same segment, same messages. */
  'model.changed': z.object({
    model: modelRefSchema,
    /** As in `segment.started`. */
    request: z.record(z.string(), z.unknown()),
    by: z.string(),
  }),
  'limits.changed': z.object({ limits: limitsSchema, by: z.string() }),
  /**
   * The condition of a hint that waits for one has come true; from now on it is due. `entry`: the outbox entry that set this
   * condition; one that an edit has replaced since makes nothing due.
   */
  'hint.due': z.object({ id: ulid, entry: ulid, why: z.string() }),
  /** The wall clock was set back while the driver worked: it showed `from` and shows `to` (< `from`) from then on. */
  'clock.jumped': z.object({ from: count, to: count }),
  /**
   * The observation of `step` holds secrets that were not seen before in this drive: how many of each kind. Never the secrets.
   */
  'secret.seen': z.object({
    step,
    kinds: z.array(z.object({ kind: z.enum(secretKinds), count })),
  }),
  /**
   * GPUs of a computer went idle or to work again, or are in use by others. Recorded on change only. `since`: wall-clock ms
   * from which it holds.
   */
  'gpu.changed': z.object({
    computer: z.string(),
    state: z.enum(['idle', 'busy', 'unknown']),
    since: count,
    gpus: z.array(z.object({ index: count, utilization: z.number(), memoryUsedMb: z.number() })),
  }),
} as const;
