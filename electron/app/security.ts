import type { Session, WebContents } from 'electron';
import { app, session } from 'electron';
import type { Asking } from '../ipc/register';
import { appOrigin } from './protocol';

/** True for a page of ours: `app://waymark/…` or another origin of ours, or the development server when there is one. */
export function isOwnUrl(url: string, devServer: string | null, origin = appOrigin): boolean {
  return url.startsWith(`${origin}/`) || (devServer !== null && url.startsWith(`${devServer}/`));
}

/** The sender must be the main frame of these contents of ours, showing the page that belongs there. */
export function trustsSender(
  event: Asking,
  own: WebContents | null,
  devServer: string | null,
  origin = appOrigin,
): boolean {
  const frame = event.senderFrame;
  return (
    own !== null && event.sender === own && frame === own.mainFrame && isOwnUrl(frame.url, devServer, origin)
  );
}

/** Where nobody listens. */
const nowhere = 'socks5://127.0.0.1:9';

/**
 * No permissions, no navigation, no new windows, no webviews, for every contents there will ever be; and no network: what
 * the page shows comes by `app:` and the bridge, which know no proxy, and what would not ask the policy (WebRTC) gets no
 * UDP and a proxy that is not there. Resolves when that holds.
 */
export async function lockDown(devServer: string | null): Promise<void> {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('will-navigate', (event, url) => {
      if (!isOwnUrl(url, devServer)) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
  });
  await lockSession(session.defaultSession, devServer);
}

/** What of `lockDown` belongs to one session; every session that a page of ours runs in is given to this first. */
export async function lockSession(locked: Session, devServer: string | null): Promise<void> {
  locked.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(permission === 'clipboard-sanitized-write'),
  );
  locked.setPermissionCheckHandler((_contents, permission) => permission === 'clipboard-sanitized-write');
  if (devServer === null) await locked.setProxy({ proxyRules: nowhere, proxyBypassRules: '<-loopback>' });
}
