import { takeFromCodeCache } from '../../code-cache';

/** Entry of the thread with the writing connection: its code is loaded once the cache of it is in use. */
takeFromCodeCache(__dirname);
void import('./writer-thread').then(({ serveWrites }) => serveWrites(__dirname));
