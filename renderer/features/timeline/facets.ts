import type { StepFacets } from '@shared/contract/ipc/timeline';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../../state/toasts';

/** What the filters of a run can be set to, with counts; read when the panel opens. Null until read. */
export const useFacets = create<{ run: string | null; facets: StepFacets | null }>()(() => ({
  run: null,
  facets: null,
}));

/** Reads the facets of a run; those of the same run stay on the screen meanwhile. */
export function loadFacets(run: string): void {
  useFacets.setState((state) => (state.run === run ? {} : { run, facets: null }));
  call('timeline.facets', { run }).then(
    (facets) => {
      if (useFacets.getState().run === run) useFacets.setState({ facets });
    },
    (thrown: unknown) => toastFailure(thrown),
  );
}
