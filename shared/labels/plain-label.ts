import { type AnnotationEntry, labelValue } from '../log/annotations';

const VALUES: ReadonlySet<unknown> = new Set([...labelValue.options, 'clear']);

/**
 * Whether the value is what most entries of an annotation log are: one person's label on one range, with nothing else in it.
 * The schema says the same of it and takes several times as long; what is not judged here, the schema has to judge.
 */
export function isPlainLabel(value: unknown): value is AnnotationEntry {
  if (!isRecord(value, 8)) return false;
  const { ulid, at, author, device, deviceSeq, target, supersedes, body } = value;
  return (
    isUlid(ulid) &&
    Number.isFinite(at) &&
    isRecord(author, 2) &&
    isFilled(author.uuid) &&
    typeof author.name === 'string' &&
    isFilled(device) &&
    Number.isSafeInteger(deviceSeq) &&
    Number(deviceSeq) >= 0 &&
    isRecord(target, 3) &&
    isUlid(target.run) &&
    isStep(target.from) &&
    isStep(target.to) &&
    Array.isArray(supersedes) &&
    supersedes.every(isUlid) &&
    isRecord(body, 3) &&
    body.op === 'label' &&
    VALUES.has(body.value) &&
    (body.reason === null || typeof body.reason === 'string')
  );
}

function isRecord(value: unknown, fields: number): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === fields
  );
}

function isUlid(value: unknown): value is string {
  return typeof value === 'string' && value.length === 26;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isStep(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
