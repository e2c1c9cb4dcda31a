import { describe, expect, it } from 'vitest';
import { givenAuthenticated, testClock } from '../../actors/request/given.fixture.ts';
import { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { DocumentAnswer } from '../../actors/request/answer.ts';
import { Metrics } from '../metrics/metrics.ts';
import { healthRoute, metricsRoute, rootIndexRoute } from './server-routes.ts';
import { firstOf, type Route } from './route.ts';
import { versionRoute } from './version.ts';

async function asked(route: Route, url: string, method = 'GET') {
  const answer = await route(givenAuthenticated({ url, method }).request);
  if (answer === undefined) return undefined;
  expect(answer.kind).toBe('Document');
  const { code, headers, body } = answer as DocumentAnswer; // As the line above expects.
  return { code, type: headers['Content-Type'], text: Buffer.from(body).toString() };
}

describe('/healthz, /livez, /readyz', () => {
  let problem: string | undefined;
  const checks = new HealthChecks(testClock());
  checks.add({ name: 'poststarthook/a', problem: () => problem });
  const route = healthRoute(checks);
  const plain = 'text/plain; charset=utf-8';

  it.each(['/healthz', '/livez', '/readyz', '/livez/ping', '/readyz/poststarthook/a'])(
    '%s is ok',
    async (url) => {
      expect(await asked(route, url)).toEqual({ code: 200, type: plain, text: 'ok' });
    },
  );

  it.each(['/livez?verbose', '/livez?verbose=1'])('%s says more', async (url) => {
    expect((await asked(route, url))?.text).toBe(
      '[+]ping ok\n[+]poststarthook/a ok\nlivez check passed\n',
    );
  });

  it('always says more when something is wrong', async () => {
    problem = 'still at it';
    expect(await asked(route, '/readyz')).toEqual({
      code: 500,
      type: plain,
      text: '[+]ping ok\n[-]poststarthook/a failed: reason withheld\nreadyz check failed\n',
    });
    expect(await asked(route, '/readyz/poststarthook/a')).toEqual({
      code: 500,
      type: plain,
      text: 'internal server error: still at it\n',
    });
    expect(await asked(route, '/readyz?exclude=poststarthook/a')).toMatchObject({
      code: 200,
      text: 'ok',
    });
    problem = undefined;
  });

  it.each(['/', '/livezz', '/livez/', '/livez/none', '/api/v1/livez'])(
    '%s is not one of them',
    async (url) => {
      expect(await asked(route, url)).toBeUndefined();
    },
  );
});

describe('/version', () => {
  it('is that of a Kubernetes 1.36', async () => {
    const answer = await asked(versionRoute(), '/version');
    expect(answer).toMatchObject({ code: 200, type: 'application/json' });
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: expect.stringMatching(/^v1\.36\.3\+everwatch\.\d+\.\d+\.\d+$/) as string,
      goVersion: expect.stringMatching(/^node\d/) as string,
      platform: expect.stringContaining('/') as string,
    });
    expect(answer?.text).toMatch(/^{\n {2}"major": "1",\n/);
  });

  it('is one path', async () => {
    expect(await asked(versionRoute(), '/versions')).toBeUndefined();
  });
});

describe('/', () => {
  const route = rootIndexRoute(() => ['/version', '/api', '/api', '/healthz']);

  it.each(['/', '/index.html'])('%s lists all paths, sorted, each once', async (url) => {
    expect(await asked(route, url)).toEqual({
      code: 200,
      type: 'application/json',
      text: '{\n  "paths": [\n    "/api",\n    "/healthz",\n    "/version"\n  ]\n}',
    });
  });

  it('is nothing else', async () => {
    expect(await asked(route, '/foo')).toBeUndefined();
  });
});

describe('/metrics', () => {
  it('shows the figures of the server and of the process', async () => {
    const checks = new HealthChecks(testClock());
    const metrics = new Metrics({ clock: testClock(), isServed: () => true });
    metrics.gauge('everwatch_watchers', 'Watchers now.', () => 3);
    metrics.counter('everwatch_appends_total', 'Appends.', () => [
      { labels: { outcome: 'say "ok"' }, value: 2 },
    ]);
    const answer = await asked(metricsRoute(metrics, checks), '/metrics');
    expect(answer?.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer?.text).toContain(
      '# HELP everwatch_watchers Watchers now.\n# TYPE everwatch_watchers gauge\n' +
        'everwatch_watchers 3\n',
    );
    expect(answer?.text).toContain('everwatch_appends_total{outcome="say \\"ok\\""} 2\n');
    expect(answer?.text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});

it('asks one route after the other', async () => {
  const route = firstOf([versionRoute(), rootIndexRoute(() => [])]);
  expect((await asked(route, '/'))?.text).toContain('paths');
  expect((await asked(route, '/version'))?.text).toContain('gitVersion');
  expect(await asked(route, '/nothing')).toBeUndefined();
});
