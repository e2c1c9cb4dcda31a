/** Figures beside how many and how long: what others cost, what was cut short, what the server asks itself. */
import { expect, it } from 'vitest';
import { warnOfDeprecation } from '../../actors/request/deprecation.ts';
import { givenRouted, type GivenRequest } from '../../actors/request/given.fixture.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type { RoutedRequest } from '../../actors/request/request.ts';
import { RequestMeters } from './request-meters.ts';

const PODS = '/api/v1/namespaces/n/pods';

function given() {
  const meters = new RequestMeters(() => true);
  const lines = (start: string) =>
    meters
      .format(0)
      .split('\n')
      .filter((line) => line.startsWith(start));
  const end = (request: RoutedRequest, code = 200, ms = 10) => {
    meters.begun(request);
    meters.ended(request, { code, sizeBytes: 0 }, ms);
  };
  const ask = (
    asked: GivenRequest,
    prepare: (request: RoutedRequest) => void = () => undefined,
  ) => {
    const { request } = givenRouted(asked);
    prepare(request);
    end(request);
    return request;
  };
  return { meters, lines, ask };
}

it('leaves out of the own time what was spent at webhooks and in queues, and dry runs', () => {
  const { lines, ask } = given();
  ask({ url: PODS, method: 'POST' }, (request) => {
    request.took('mutating-webhook', 3);
    request.took('apf-queue-wait', 4);
  });
  ask({ url: `${PODS}?dryRun=All`, method: 'POST' });
  expect(lines('apiserver_request_sli_duration_seconds_sum')).toEqual([
    expect.stringMatching(/\{component="apiserver",.*verb="POST",version="v1"\} 0\.003$/),
  ]);
  expect(lines('apiserver_request_sli_duration_seconds_count')).toHaveLength(1);
});

it('names what is deprecated and was asked for, once', () => {
  const { lines, ask } = given();
  const name = 'apiserver_requested_deprecated_apis';
  ask({ url: PODS }, (request) => {
    request.warn('of something else');
  });
  expect(lines(name)).toEqual([]);
  for (let times = 0; times < 2; times += 1) {
    ask({ url: '/api/v1/endpoints' }, (request) => {
      warnOfDeprecation(request, 'it is old');
    });
  }
  expect(lines(name)).toEqual([
    `${name}{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1`,
  ]);
});

it('measures bodies by group, resource and verb', () => {
  const { lines, ask } = given();
  for (const url of [PODS, `${PODS}?dryRun=All`]) {
    ask({ url, method: 'POST', body: 'x'.repeat(60_000) }, (request) => {
      void request.readBody(100_000);
    });
  }
  ask({ url: PODS });
  const name = 'apiserver_request_body_size_bytes';
  const labels = 'group="",resource="pods",verb="create"';
  expect(lines(`${name}_sum`)).toEqual([`${name}_sum{${labels}} 120000`]);
  expect(lines(`${name}_bucket`).slice(0, 2)).toEqual([
    `${name}_bucket{${labels},le="50000"} 0`,
    `${name}_bucket{${labels},le="150000"} 2`,
  ]);
  expect(lines(`${name}_bucket`).at(-2)).toBe(`${name}_bucket{${labels},le="3.05e+06"} 2`);
});

it('counts what was given up to save the server, and whose client was too slow', () => {
  const { meters, lines, ask } = given();
  for (const url of [PODS, `${PODS}?dryRun=All`]) meters.terminated(ask({ url }), 429);
  meters.aborted(ask({ url: PODS }));
  const labels =
    'group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"';
  expect(lines('apiserver_request_terminations_total')).toEqual([
    `apiserver_request_terminations_total{code="429",component="apiserver",${labels}} 2`,
  ]);
  expect(lines('apiserver_request_aborts_total')).toEqual([
    `apiserver_request_aborts_total{${labels}} 1`,
  ]);
});

it('counts what the server asks itself', () => {
  const { meters, lines } = given();
  const asked = (method: string, path: string) => {
    meters.selfAsked(resolveRequestInfo(method, path, ''));
  };
  asked('POST', '/api/v1/namespaces');
  asked('POST', '/api/v1/namespaces');
  asked('PUT', '/apis/apps/v1/namespaces/n/deployments/a/status');
  expect(lines('apiserver_selfrequest_total')).toEqual([
    'apiserver_selfrequest_total{group="",resource="namespaces",subresource="",verb="POST"} 2',
    'apiserver_selfrequest_total{group="apps",resource="deployments",subresource="status",verb="PUT"} 1',
  ]);
});
