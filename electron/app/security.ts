import type { WebContents } from 'electron';
import { app, session } from 'electron';
import type { Asking } from '../ipc/register';
import { appOrigin } from './protocol';

/** True for our own pages: `app://waymark/…`, or the development server when there is one. */
export function isOwnUrl(url: string, devServer: string | null): boolean {
  return url.startsWith(`${appOrigin}/`) || (devServer !== null && url.startsWith(`${devServer}/`));
}

/** The sender must be the main frame of our window, showing our own page. */
export function trustsSender(event: Asking, own: WebContents | null, devServer: string | null): boolean {
  const frame = event.senderFrame;
  return own !== null && event.sender === own && frame === own.mainFrame && isOwnUrl(frame.url, devServer);
}

/** Where nobody listens. */
const nowhere = 'socks5://127.0.0.1:9';

/**
 * No permissions, no navigation, no new windows, no webviews, for every contents there will ever be; and no network: what
 * the page shows comes by `app:` and the bridge, which know no proxy, and what would not ask the policy (WebRTC) gets no
 * UDP and a proxy that is not there. Resolves when that holds.
 */
export async function lockDown(devServer: string | null): Promise<void> {
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(permission === 'clipboard-sanitized-write'),
  );
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission) => permission === 'clipboard-sanitized-write',
  );
  app.on('web-contents-created', (_event, contents) => {
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('will-navigate', (event, url) => {
      if (!isOwnUrl(url, devServer)) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
  });
  if (devServer === null)
    await session.defaultSession.setProxy({ proxyRules: nowhere, proxyBypassRules: '<-loopback>' });
}
