import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { type Protocol, protocol } from 'electron';

/** The window's page. */
export const appOrigin = 'app://waymark';
/** The page of the view in which own terminals are typed into: the same files, another origin and another process. */
export const ownTerminalOrigin = 'app://own-terminal';

/**
 * No `unsafe-eval`, nothing from outside. Inline styles are needed by Monaco, xterm and React's `style`. Markup and
 * script addresses come from the two policies of `renderer/features/files/monaco-environment.ts` only, which the page makes
 * before anything else, so that nobody makes them a second time. `webrtc` is for engines that know it; what holds on all of them is in `security.ts`.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // `blob:`: bytes of a run's images, which the page itself got from main (`renderer/features/images/image-url.ts`).
  "img-src 'self' data: blob:",
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
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/**
 * Serves files below `root` only, each with the security headers. Resolves when the page has got all files that it names,
 * so that it is busy with them: until then its requests wait for whatever else this thread does.
 *
 * Not `protocol.handle`: its requests and responses are those of `fetch`, whose code takes as long to load as the window
 * takes to open.
 */
export function serveApp(root: string): Promise<void> {
  return serveFiles(protocol, appOrigin, root);
}

/** Serves `root` to the pages of a session, at one origin and no other. Resolves as `serveApp` does. */
export function serveFiles(
  through: Pick<Protocol, 'registerStreamProtocol'>,
  origin: string,
  root: string,
): Promise<void> {
  let awaited: Set<string> | null = null;
  let pageHasFiles: () => void = () => undefined;
  const served = new Promise<void>((resolve) => {
    pageHasFiles = resolve;
  });
  through.registerStreamProtocol('app', (request, respond) => {
    const url = new URL(request.url);
    void answer(origin, root, url).then(({ bytes, ...head }) => {
      if (url.pathname === '/index.html') awaited ??= namedFiles(bytes);
      const data = Readable.from([bytes], { objectMode: false });
      data.once('close', () => {
        if (awaited?.delete(url.pathname) && awaited.size === 0) setImmediate(pageHasFiles);
      });
      respond({ ...head, data });
    });
  });
  return served;
}

/** Paths of the scripts and sheets that stand in the page itself. */
function namedFiles(page: Buffer): Set<string> {
  const names = [...page.toString('utf8').matchAll(/ (?:src|href)="\.?(\/[^"]+)"/g)];
  return new Set(names.flatMap(([, path]) => path ?? []));
}

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Never rejects. */
async function answer(origin: string, root: string, url: URL): Promise<Answer> {
  try {
    const path = normalize(join(root, decodeURIComponent(url.pathname)));
    if (`${url.protocol}//${url.host}` !== origin || !path.startsWith(root + sep))
      return refusal(403, 'Forbidden');
    const bytes = await readFile(path);
    return {
      statusCode: 200,
      headers: {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
      bytes,
    };
  } catch (error) {
    if (error instanceof URIError) return refusal(400, 'Bad address');
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return refusal(404, 'Not found');
    return refusal(500, String(error));
  }
}

function refusal(statusCode: number, text: string): Answer {
  return { statusCode, headers: { 'content-type': 'text/plain; charset=utf-8' }, bytes: Buffer.from(text) };
}
