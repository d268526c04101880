import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';

export const appOrigin = 'app://waymark';

/**
 * No `unsafe-eval`, nothing from outside. Inline styles are needed by Monaco, xterm and React's `style`. Markup and
 * script addresses come from the two policies of `renderer/features/files/monaco-environment.ts` only, which the page makes
 * before anything else, so that nobody makes them a second time. `webrtc` is for engines that know it; what holds on all of them is in `security.ts`.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types waymark-editor waymark-worker',
  "webrtc 'block'",
].join('; ');

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
};

/** Must run before the application is ready. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/**
 * Serves files below `root` only, each with the security headers. Resolves when a page has got its scripts, so that it
 * is busy with them: until then its requests wait for whatever else this thread does.
 */
export function serveApp(root: string): Promise<void> {
  let scripts = 0;
  let waiting = 0;
  let pageHasScripts: () => void = () => undefined;
  const served = new Promise<void>((resolve) => {
    pageHasScripts = resolve;
  });
  protocol.handle('app', async (request) => {
    waiting += 1;
    try {
      return await answer(root, request);
    } finally {
      waiting -= 1;
      if (extname(new URL(request.url).pathname) === '.js') scripts += 1;
      // A page asks for all of its first files at once.
      if (scripts > 0 && waiting === 0) setImmediate(pageHasScripts);
    }
  });
  return served;
}

async function answer(root: string, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = normalize(join(root, decodeURIComponent(url.pathname === '/' ? '/index.html' : url.pathname)));
  if (url.host !== 'waymark' || !path.startsWith(root + sep))
    return new Response('Forbidden', { status: 403 });
  try {
    const bytes = await readFile(path);
    return new Response(new Uint8Array(bytes), {
      headers: {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Response('Not found', { status: 404 });
    throw error;
  }
}
