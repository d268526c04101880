import { takeFromCodeCache } from '../../code-cache';

/** Entry of the two reading threads: their code is loaded once the cache of it is in use. */
takeFromCodeCache(__dirname);
void import('./reader-thread').then(({ serveReads }) => serveReads(__dirname));
