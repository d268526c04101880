import { takeFromCodeCache } from '../../code-cache';

/** Entry of the thread that renders rows and counts their tokens: its code is loaded once the cache of it is in use. */
takeFromCodeCache(__dirname);
void import('./token-serving').then(({ serveTokens }) => serveTokens());
