import { MOST_RUBRIC_BYTES } from '@shared/judging/rubric-text';

/** A file that was chosen for a rubric: its text, or why it holds none. */
export type RubricFile =
  | { name: string; text: string; problem?: undefined }
  | { name: string; problem: 'empty' | 'long' | 'binary'; text?: undefined };

/** Reads a file that the person chose. The page learns its name and its text, and no path. */
export async function readRubricFile(file: File): Promise<RubricFile> {
  const { name } = file;
  if (file.size > MOST_RUBRIC_BYTES) return { name, problem: 'long' };
  const text = decoded(await file.arrayBuffer());
  if (text === null || text.includes('\0')) return { name, problem: 'binary' };
  return text.trim() === '' ? { name, problem: 'empty' } : { name, text };
}

function decoded(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null; // it is no UTF-8, which is said in its place
  }
}
