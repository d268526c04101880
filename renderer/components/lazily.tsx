import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/** Loads once; a failure is told to whoever asked, and the next one tries again. */
export type Loader<Props extends object> = () => Promise<ComponentType<Props>>;

export interface Lazily<Props extends object> {
  (props: Props & { waiting?: ReactNode }): ReactNode;
  /** Loads it before it is shown. */
  preload: () => Promise<void>;
}

/**
 * A component whose code is loaded when it is first shown; `waiting` stands in its place until then. It is there at once when it
 * has been loaded, and as soon as it is loaded otherwise: React's own `lazy` holds what follows a fallback back for up to 300 ms.
 * @throws where it is shown, what the loading failed with
 */
export function lazily<Props extends object>(load: Loader<Props>): Lazily<Props> {
  let loaded: ComponentType<Props> | null = null;
  let loading: Promise<ComponentType<Props>> | null = null;
  const preload = async () => {
    loading ??= load();
    try {
      loaded = await loading;
    } catch (error) {
      loading = null;
      throw error;
    }
  };
  function Shown({ waiting = null, ...props }: Props & { waiting?: ReactNode }): ReactNode {
    const [state, setState] = useState<{ failed?: unknown }>({});
    useEffect(() => {
      if (loaded !== null) return;
      let gone = false;
      preload().then(
        () => gone || setState({}),
        (failed) => gone || setState({ failed }),
      );
      return () => {
        gone = true;
      };
    }, []);
    if ('failed' in state) throw state.failed;
    const View = loaded;
    return View === null ? waiting : <View {...(props as unknown as Props)} />;
  }
  return Object.assign(Shown, { preload });
}
