import { closedNamespaces } from './bubblewrap';
import { type OpenedFolder, openedFolder, shownCheck } from './opened-folders';
import { homeInside, type SandboxView, sandboxArguments } from './sandbox-view';

/** How programs of one run are started on this machine so that they see no more of it than the view has. */
export interface LocalSandbox {
  readonly view: SandboxView;
  /**
   * `bwrap` and its arguments, made anew each time, because the machine may have changed. After `--`, if there is one, stands what
   * has to run first and starts the program (`spawnInside`).
   * @throws WaymarkError refused, when a shown folder has become another one that may not be shown
   */
  command(): readonly string[];
}

/** `program`: the path of `bwrap`. `refuse` throws for a folder that may not be shown; it is asked each time. */
export function localSandbox(
  program: string,
  view: SandboxView,
  refuse: (folder: OpenedFolder) => void = () => undefined,
): LocalSandbox {
  const command = () => {
    const folders = view.folders.map(openedFolder);
    folders.forEach(refuse);
    const check = shownCheck(folders);
    return [
      program,
      ...sandboxArguments({ ...view, folders }),
      ...closedNamespaces(program),
      ...(check.length === 0 ? [] : ['--', ...check]),
    ];
  };
  return { view, command };
}

/** The environment inside: the home is the run's own, and folders for temporary files are those of the sandbox. */
export function sandboxEnvironment(
  { view }: LocalSandbox,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const { TMPDIR: _outside, ...inside } = environment;
  return { ...inside, HOME: homeInside(view) };
}
