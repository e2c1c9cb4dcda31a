import { describe, expect, it } from 'vitest';

import {
  codeOf,
  givenAuthenticated,
  messageOf,
  testClock,
  testRandom,
} from '../../actors/given.fixture.ts';
import { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { Answer } from '../../actors/answer.ts';
import { builtInResources } from '../../actors/resources/built-in.ts';
import { ServedResources } from '../../actors/resources/served-resources.ts';
import { Metrics } from '../metrics/metrics.ts';
import { serverRoutes } from './server-routes.ts';

const served = new ServedResources(builtInResources(testClock()));
const route = serverRoutes({
  openId: () => undefined,
  debug: {
    clock: testClock(),
    random: testRandom(),
    startedAt: 0,
    flags: new Map(),
    profiling: true,
    setLogLevel: () => undefined,
  },
  served,
  checks: new HealthChecks(testClock()),
  metrics: new Metrics({ clock: testClock(), isServed: () => true }),
  address: () => '127.0.0.1:6443',
});

async function asked(url: string): Promise<Answer | undefined> {
  return await route(givenAuthenticated({ url }).request);
}

describe('the paths that are no resources', () => {
  it.each([
    '/',
    '/api',
    '/apis',
    '/apis/batch/v1',
    '/healthz',
    '/livez/ping',
    '/readyz',
    '/version',
    '/metrics',
    '/flagz',
    '/statusz',
    '/debug/pprof/',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
  ])('%s is known', async (url) => {
    expect(codeOf(await asked(url))).toBe(200);
  });

  it.each(['/nonesuch', '/apis/nonesuch', '/healthzz'])('%s is not', async (url) => {
    expect(await asked(url)).toBeUndefined();
  });

  it('knows no other verb of the version', async () => {
    const { request } = givenAuthenticated({ url: '/version', method: 'PUT' });
    expect(codeOf(await route(request))).toBe(405);
  });

  it('are named at the root, each once', async () => {
    const { paths } = JSON.parse(messageOf(await asked('/'))) as { paths: string[] };
    expect(paths).toEqual([...new Set(paths)].sort());
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/readyz', '/livez/ping'],
      ]),
    );
  });
});
