import { takeFromCodeCache } from '../../code-cache';

/** Entry of the thread of an export, and of one that looks for secrets: its code is loaded once the cache of it is in use. */
takeFromCodeCache(__dirname);
void import('./export-serving').then(({ serveExports }) => serveExports());
