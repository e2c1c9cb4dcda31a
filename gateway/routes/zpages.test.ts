import { describe, expect, it } from 'vitest';
import {
  givenAuthenticated,
  messageOf,
  testClock,
  testRandom,
} from '../../actors/given.fixture.ts';
import { zPagesRoute } from './zpages.ts';

async function ask(url: string, method = 'GET') {
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
  return route(givenAuthenticated({ url, method }).request);
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
    expect(text).toContain('\nkube-apiserver statusz\nWarning: This endpoint is not meant');
    expect(text).toContain('Started:  Mon Nov  2 03:04:05 UTC 2026\n');
    expect(text).toContain('Up:  1 hr 02 min 03 sec\n');
    expect(text).toContain('Paths:  /livez /metrics\n');
  });

  it('leave other paths and methods alone', async () => {
    expect(await ask('/flagz/x')).toBeUndefined();
    expect(await ask('/statusz', 'POST')).toBeUndefined();
  });
});
