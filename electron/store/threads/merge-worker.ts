import { takeFromCodeCache } from '../../code-cache';

/** Entry of the thread that reads another annotation log for a merge: its code is loaded once the cache of it is in use. */
takeFromCodeCache(__dirname);
void import('./merge-reading').then(({ serveMerge }) => serveMerge());
