import { z } from 'zod';

/** Which files are compared before and after each command, so that a change of one of them is recorded. */
export interface FollowedFiles {
  /** The computer that holds the workspace. */
  computer: string;
  /** Absolute. */
  folders: readonly string[];
}

/** Folders of code that others wrote; nothing in them is followed, nor what is hidden. */
export const unfollowedParts =
  /\/(?:node_modules|__pycache__|site-packages|venv|\.git|[^/]*\.egg-info)(?:\/|$)/;

export function isFollowed(path: string, { folders }: FollowedFiles): boolean {
  return folders.some(
    (folder) =>
      path.startsWith(`${folder}/`) &&
      !path.slice(folder.length).includes('/.') &&
      !unfollowedParts.test(path),
  );
}

const specSchema = z.object({
  code_folders: z.array(z.string()),
  workspace: z.object({ holder: z.string().nullish() }).catch({}),
  computers: z.array(z.object({ name: z.string(), evaluator: z.boolean().catch(false) })).catch([]),
});

/** As the run's driver reads its pinned task (`actionTaskView`); null where none of ours drove it, so that nobody compared. */
export function followedFiles(spec: Record<string, unknown>, root: string): FollowedFiles | null {
  const parsed = specSchema.safeParse(spec);
  if (!parsed.success) return null;
  const { code_folders: folders, workspace, computers } = parsed.data;
  const usable = computers.filter(({ evaluator }) => !evaluator).map(({ name }) => name);
  const computer = usable.find((name) => name === workspace.holder) ?? usable[0] ?? '';
  return { computer, folders: folders.length === 0 ? [root] : folders.map((folder) => `${root}/${folder}`) };
}
