import { describe, expect, it } from 'vitest';
import {
  codeOf,
  givenAuthenticated,
  messageOf,
  testClock,
  testRandom,
} from '../../actors/request/given.fixture.ts';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import { zPagesRoute } from './zpages.ts';

const CONFIG = 'g=config.k8s.io';

async function ask(url: string, method = 'GET', headers: IncomingHeaders = {}) {
  const clock = testClock(Date.UTC(2026, 10, 2, 3, 4, 5));
  const startedAt = clock.now();
  clock.advance(3_723_000);
  const route = zPagesRoute({
    clock,
    random: { ...testRandom(), integer: () => 1 },
    startedAt,
    flags: new Map([
      ['secure-port', '6443'],
      ['data-dir', '/data'],
    ]),
    paths: () => ['/api/v1', '/livez/ping', '/livez', '/metrics'],
  });
  return route(givenAuthenticated({ url, method, headers }).request);
}

describe('zpages', () => {
  it('show the flags, sorted', async () => {
    expect(
      messageOf(await ask('/flagz'))
        .split('\n')
        .slice(3),
    ).toEqual(['data-dir: /data', 'secure-port: 6443', '']);
  });

  it('show what the process is', async () => {
    const text = messageOf(await ask('/statusz'));
    expect(text).toContain('\napiserver statusz\nWarning: This endpoint is not meant');
    expect(text).toContain('Started:  Mon Nov  2 03:04:05 UTC 2026\n');
    expect(text).toContain('Up:  1 hr 02 min 03 sec\n');
    expect(text).toContain('Paths:  /livez /metrics\n');
  });

  it.each([
    ['application/json;v=v1beta1;g=config.k8s.io;as=Flagz', '{\n  "kind": "Flagz",\n'],
    ['application/yaml;v=v1beta1;g=config.k8s.io;as=Flagz', 'apiVersion: config.k8s.io/v1beta1\n'],
    ['application/json, text/plain;q=0.1', '\napiserver flagz\n'],
    ['text/*', '\napiserver flagz\n'],
    ['*/*', '\napiserver flagz\n'],
    ['', '\napiserver flagz\n'],
  ])('give to %j what it wants', async (accept, beginning) => {
    expect(messageOf(await ask('/flagz', 'GET', { accept })).startsWith(beginning)).toBe(true);
  });

  it.each([
    'application/json',
    'text/html',
    'application/vnd.kubernetes.protobuf',
    `application/json;v=v1;${CONFIG};as=Flagz`,
    `application/json;v=v1beta1;${CONFIG};as=Statusz`,
    `text/plain;v=v1beta1;${CONFIG};as=Flagz`,
  ])('have nothing for %j', async (accept) => {
    const answer = await ask('/flagz', 'GET', { accept });
    expect([codeOf(answer), messageOf(answer)]).toEqual([
      406,
      'only the following media types are accepted: application/json, application/yaml, text/plain',
    ]);
  });

  it('are read by programs', async () => {
    const accept = `application/json;v=v1alpha1;${CONFIG};as=Statusz`;
    const answer = await ask('/statusz', 'GET', { accept });
    expect(answer).toMatchObject({
      headers: { 'Content-Type': 'application/json;g=config.k8s.io;v=v1alpha1;as=Statusz' },
    });
    expect(JSON.parse(messageOf(answer))).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1alpha1',
      metadata: { name: 'apiserver' },
      startTime: '2026-11-02T03:04:05Z',
      uptimeSeconds: 3723,
      goVersion: `node${process.versions.node}`,
      binaryVersion: '1.36.3',
      emulationVersion: '1.36',
      paths: ['/livez', '/metrics'],
    });
  });

  it('leave other paths alone, and no method', async () => {
    expect(await ask('/flagz/x')).toBeUndefined();
    expect(codeOf(await ask('/statusz', 'POST'))).toBe(200);
  });
});
