import { lazily } from '../../components/lazily';

/** The experiments page: its code is loaded once the window is idle, or when it is asked for. */
export const ExperimentsPage = lazily(() => import('./ExperimentsPage').then((m) => m.ExperimentsPage));
