import { describe, expect, it } from 'vitest';

import {
  codeOf,
  givenAuthenticated,
  messageOf,
  testClock,
  testRandom,
} from '../../actors/request/given.fixture.ts';
import { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { Metrics } from '../metrics/metrics.ts';
import { serverRoutes } from './server-routes.ts';

const served = new ServedResources(builtInResources(testClock()));
const route = serverRoutes({
  openId: () => undefined,
  page: () => undefined,
  debug: {
    clock: testClock(),
    random: testRandom(),
    startedAt: 0,
    flags: new Map(),
    profiling: true,
    setVerbosity: () => undefined,
  },
  served,
  checks: new HealthChecks(testClock()),
  metrics: new Metrics({ clock: testClock(), isServed: () => true }),
  address: () => '127.0.0.1:6443',
  featureGates: new FeatureGates(),
});

const NOT_FOUND = Buffer.from('404 page not found\n');
const TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const ROUTED = `406: Not Acceptable\n\nAvailable representations: ${TYPES}`;
const NEGOTIATED = `only the following media types are accepted: ${TYPES}`;

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

  it.each(['/nonesuch', '/apis/nonesuch', '/healthzz', '/metrics/', '/apix', '/apis/batchx/v1'])(
    '%s is not, which is said in plain text',
    async (url) => {
      expect(await asked(url)).toMatchObject({ kind: 'Document', code: 404, body: NOT_FOUND });
    },
  );

  it.each(['/openapi/v3/nope', '/openapi/v3/'])(
    '%s is not, of which nothing is said',
    async (url) => {
      expect(await asked(url)).toMatchObject({ code: 404, headers: {}, body: Buffer.alloc(0) });
    },
  );

  it.each(['/api/v2', '/version/x', '/apis/batch/v9', '/apis/batch/v1/nope'])(
    '%s is left to what answers with a Status',
    async (url) => {
      expect(await asked(url)).toBeUndefined();
    },
  );

  it.each([
    ['/api', ROUTED],
    ['/apis/batch/v1', ROUTED],
    ['/apis', NEGOTIATED],
    ['/apis/batch', NEGOTIATED],
    ['/version', '406: Not Acceptable\n\nAvailable representations: application/json'],
  ])('%s is not given as something else', async (url, message) => {
    const headers = { accept: 'text/html' };
    const answer = await route(givenAuthenticated({ url, headers }).request);
    expect(messageOf(answer)).toBe(message);
  });

  it.each(['PUT', 'HEAD'])('knows no %s of the version', async (method) => {
    const { request } = givenAuthenticated({ url: '/version', method });
    expect(codeOf(await route(request))).toBe(405);
  });

  it.each(['/', '/index.html', '/metrics', '/metrics/slis', '/flagz', '/statusz'])(
    '%s is shown whatever the method',
    async (url) => {
      for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS']) {
        const { request } = givenAuthenticated({ url, method });
        expect(codeOf(await route(request))).toBe(200);
      }
    },
  );

  it('has no figures that are set back', async () => {
    const { request } = givenAuthenticated({ url: '/metrics', method: 'DELETE' });
    expect(codeOf(await route(request))).toBe(404);
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
