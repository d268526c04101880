import { z } from 'zod';

/** A path inside the package or the workspace: relative, `/` between parts, never climbing out. */
function isInnerPath(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.includes('\0')) return false;
  if (/^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((part) => part !== '..' && part !== '');
}

export const innerPath = z
  .string()
  .refine(isInnerPath, 'must be a relative path that stays inside its folder (no leading /, no ..)');
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** What is done on a computer before the first step, every entry one visible, resumable step, and what its sessions begin with. */
export const setupSchema = z
  .strictObject({
    /** Package path → workspace path, besides `task/` and `data/`, which are always copied. */
    copy: z.array(z.strictObject({ from: innerPath, to: innerPath })).default([]),
    /** Existing absolute path on the computer → workspace path, as a symbolic link. */
    link: z
      .array(z.strictObject({ from: z.string().regex(/^\//, 'must be an absolute path'), to: innerPath }))
      .default([]),
    /** Shell commands that prepare the environment, run once in the workspace, in order. */
    environment: z.array(z.string().min(1)).default([]),
    /** Shell commands that every session of the agent begins with, in order: an environment to activate, for instance. */
    each_session: z.array(z.string().min(1)).default([]),
    /** Environment variables of every session on this computer. Not for secrets. */
    variables: z.record(variable, z.string()).default({}),
  })
  .prefault({});
