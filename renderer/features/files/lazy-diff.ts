import { lazily } from '../../components/lazily';

/** The diff, which brings Monaco with it: loaded when the first one is shown. */
export const DiffPane = lazily(() => import('./DiffPane').then((m) => m.DiffPane));
