import { closedNamespaces } from './bubblewrap';
import { homeInside, type SandboxView, sandboxArguments } from './sandbox-view';

/** How programs of one run are started on this machine so that they see no more of it than the view has. */
export interface LocalSandbox {
  readonly view: SandboxView;
  /** `bwrap` and its arguments, without the program to run; made anew each time, because the machine may have changed. */
  command(): readonly string[];
}

/** `program`: the path of `bwrap`. */
export function localSandbox(program: string, view: SandboxView): LocalSandbox {
  return { view, command: () => [program, ...sandboxArguments(view), ...closedNamespaces(program)] };
}

/** The environment inside: the home is the run's own, and folders for temporary files are those of the sandbox. */
export function sandboxEnvironment(
  { view }: LocalSandbox,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const { TMPDIR: _outside, ...inside } = environment;
  return { ...inside, HOME: homeInside(view) };
}
