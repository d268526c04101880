import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect } from '@playwright/test';
import { policyViolations, test } from './application';

test('a page that was taken over makes no markup, no script and no policy of its own', async ({ place }) => {
  const { page, complaints } = await place.start();
  await page.waitForLoadState();
  await expect(page.locator('.rail, main, #root > *').first()).toBeVisible();
  expect(complaints).toEqual([]);
  place.breaksPolicy();
  // A debugger's own evaluation may be exempt; what it leaves behind in a timer is not.
  const ways = await page.evaluate(
    () =>
      new Promise<Record<string, string>>((resolve) => {
        setTimeout(() => {
          const seen: Record<string, string> = {};
          const attempt = (name: string, act: () => unknown) => {
            try {
              act();
              seen[name] = 'done';
            } catch (error) {
              seen[name] = error instanceof Error ? error.name : 'other';
            }
          };
          const types = Reflect.get(window, 'trustedTypes');
          const box = document.createElement('div');
          attempt('innerHTML', () => {
            box.innerHTML = '<img src=x onerror="document.title=1">';
          });
          attempt('insertAdjacentHTML', () => box.insertAdjacentHTML('beforeend', '<b>x</b>'));
          attempt('srcdoc', () => {
            document.createElement('iframe').srcdoc = '<b>x</b>';
          });
          attempt('script text', () => {
            document.createElement('script').text = 'document.title = 1';
          });
          attempt('script src', () => {
            document.createElement('script').src = '/assets/x.js';
          });
          attempt('document.write', () => document.write('<b>x</b>'));
          attempt('worker', () => new Worker('/assets/x.js'));
          attempt('parser', () => new DOMParser().parseFromString('<b>x</b>', 'text/html'));
          attempt('fragment', () => document.createRange().createContextualFragment('<b>x</b>'));
          attempt('own policy', () => types.createPolicy('own', { createHTML: (value: string) => value }));
          attempt('default policy', () =>
            types.createPolicy('default', { createHTML: (value: string) => value }),
          );
          attempt('the worker policy again', () =>
            types.createPolicy('waymark-worker', { createScriptURL: (value: string) => value }),
          );
          resolve(seen);
        });
      }),
  );
  expect(Object.entries(ways).filter(([, how]) => how !== 'TypeError')).toEqual([]);
  await expect.poll(() => policyViolations(place.data).length).toBeGreaterThan(8);
});

test('no packet leaves the page by WebRTC', async ({ place }) => {
  const heard: string[] = [];
  const udp = createSocket('udp4', (message) => heard.push(`udp ${message.length}`));
  const tcp = createServer((socket) => {
    heard.push('tcp');
    socket.destroy();
  });
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const ports = { udp: udp.address().port, tcp: (tcp.address() as AddressInfo).port };
  const { page } = await place.start();
  await page.waitForLoadState();
  const gathered = await page.evaluate(
    ({ udp: stun, tcp: turn }) =>
      new Promise<string>((resolve) => {
        const who = { username: 'u', credential: 'c' };
        try {
          const link = new RTCPeerConnection({
            iceServers: [
              { urls: `stun:127.0.0.1:${stun}` },
              { urls: `turn:127.0.0.1:${stun}`, ...who },
              { urls: `turn:127.0.0.1:${turn}?transport=tcp`, ...who },
            ],
          });
          link.createDataChannel('out');
          link.onicegatheringstatechange = () => {
            if (link.iceGatheringState === 'complete') resolve('complete');
          };
          void link.createOffer().then((offer) => link.setLocalDescription(offer));
        } catch (error) {
          resolve(String(error));
        }
      }),
    ports,
  );
  udp.close();
  tcp.close();
  expect({ gathered: typeof gathered, heard }).toEqual({ gathered: 'string', heard: [] });
});
