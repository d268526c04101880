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
    const [{ View, failed }, setState] = useState<{ View: typeof loaded; failed?: { by: unknown } }>({
      View: loaded,
    });
    useEffect(() => {
      if (View !== null) return;
      let gone = false;
      // It may have come since this was drawn: then that is what is waited for.
      preload().then(
        () => gone || setState({ View: loaded }),
        (by) => gone || setState({ View: null, failed: { by } }),
      );
      return () => {
        gone = true;
      };
    }, [View]);
    if (failed !== undefined) throw failed.by;
    return View === null ? waiting : <View {...(props as unknown as Props)} />;
  }
  return Object.assign(Shown, { preload });
}
