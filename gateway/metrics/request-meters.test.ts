import { describe, expect, it } from 'vitest';
import { givenRouted, type GivenRequest } from '../../actors/request/given.fixture.ts';
import { passedOn } from '../../actors/request/passed-requests.ts';
import { RequestMeters } from './request-meters.ts';

const NOW = 1_000_000;

function meters() {
  return new RequestMeters((group, _version, resource) => {
    return `${group}/${resource}` === '/pods' || `${group}/${resource}` === 'apps/deployments';
  });
}

interface Measured extends GivenRequest {
  readonly code?: number;
  readonly ms?: number;
  readonly bytes?: number;
}

function measure(into: RequestMeters, { code = 200, ms = 1, bytes = 0, ...given }: Measured) {
  const { request } = givenRouted(given);
  request.received(NOW);
  into.begun(request);
  into.ended(request, { code, sizeBytes: bytes }, ms);
}

function linesOf(into: RequestMeters, start: string): string[] {
  return into
    .format(NOW)
    .split('\n')
    .filter((line) => line.startsWith(start));
}

it('counts no watch that another server answers while it is open, as upstream', () => {
  const into = meters();
  const { request } = givenRouted({ url: '/apis/bench.example.com/v1/things?watch=1' });
  into.begun(request);
  passedOn(request);
  expect(linesOf(into, 'apiserver_longrunning_requests')).toEqual([]);
});

it('counts no request that another server answers, as upstream', () => {
  const into = meters();
  const { request } = givenRouted({ url: '/apis/bench.example.com/v1/things' });
  into.begun(request);
  passedOn(request);
  into.ended(request, { code: 503, sizeBytes: 0 }, 1);
  const counted = into.format(NOW).split('\n');
  expect(counted.filter((line) => line.includes('verb="'))).toEqual([]);
});

describe('apiserver_request_total', () => {
  const cases: [given: Measured, labels: string][] = [
    [
      { url: '/api/v1/namespaces/n/pods/a' },
      'code="200",component="apiserver",dry_run="",group="",resource="pods",' +
        'scope="resource",subresource="",verb="GET",version="v1"',
    ],
    [
      { url: '/api/v1/namespaces/n/pods' },
      'code="200",component="apiserver",dry_run="",group="",resource="pods",' +
        'scope="namespace",subresource="",verb="LIST",version="v1"',
    ],
    [
      { url: '/api/v1/pods?fieldSelector=metadata.name=a' },
      'code="200",component="apiserver",dry_run="",group="",resource="pods",' +
        'scope="cluster",subresource="",verb="LIST",version="v1"',
    ],
    [
      { url: '/apis/apps/v1/deployments?watch=1' },
      'code="200",component="apiserver",dry_run="",group="apps",resource="deployments",' +
        'scope="cluster",subresource="",verb="WATCH",version="v1"',
    ],
    [
      { url: '/api/v1/namespaces/n/pods?dryRun=All', method: 'POST', code: 201 },
      'code="201",component="apiserver",dry_run="All",group="",resource="pods",' +
        'scope="resource",subresource="",verb="POST",version="v1"',
    ],
    [
      { url: '/api/v1/namespaces/n/pods/a?dryRun=Some', method: 'PATCH', code: 400 },
      'code="400",component="apiserver",dry_run="invalid",group="",resource="pods",' +
        'scope="resource",subresource="",verb="PATCH",version="v1"',
    ],
    [
      {
        url: '/api/v1/namespaces/n/pods/a/status',
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
      },
      'code="200",component="apiserver",dry_run="",group="",resource="pods",' +
        'scope="resource",subresource="status",verb="APPLY",version="v1"',
    ],
    [
      { url: '/api/v1/namespaces/n/pods/a/log' },
      'code="200",component="apiserver",dry_run="",group="",resource="pods",' +
        'scope="resource",subresource="log",verb="CONNECT",version="v1"',
    ],
    [
      { url: '/livez/ping' },
      'code="200",component="apiserver",dry_run="",group="",resource="",scope="",' +
        'subresource="/livez",verb="GET",version=""',
    ],
    [
      { url: '/whatever/path', method: 'BREW', code: 404 },
      'code="404",component="apiserver",dry_run="",group="",resource="",scope="",' +
        'subresource="",verb="other",version=""',
    ],
  ];

  it.each(cases)('%j counts towards %s', (given, labels) => {
    const into = meters();
    measure(into, given);
    measure(into, given);
    expect(linesOf(into, 'apiserver_request_total')).toEqual([
      `apiserver_request_total{${labels}} 2`,
    ]);
  });

  it('does not grow with what clients invent', () => {
    const into = meters();
    for (let i = 0; i < 100; i += 1) {
      measure(into, { url: `/apis/g${String(i)}/v1/things${String(i)}`, code: 404 });
      measure(into, { url: `/path${String(i)}`, code: 404 });
      measure(into, { url: `/constructor/__proto__${String(i)}`, code: 404 });
    }
    expect(linesOf(into, 'apiserver_request_total')).toEqual([
      'apiserver_request_total{code="404",component="apiserver",dry_run="",group="",' +
        'resource="",scope="cluster",subresource="",verb="LIST",version=""} 100',
      'apiserver_request_total{code="404",component="apiserver",dry_run="",group="",' +
        'resource="",scope="",subresource="",verb="GET",version=""} 200',
    ]);
  });
});

describe('the histograms', () => {
  it('count into rising buckets', () => {
    const into = meters();
    for (const ms of [1, 5, 30, 70_000]) measure(into, { url: '/api/v1/pods/a', ms, bytes: 2_000 });
    const durations = linesOf(into, 'apiserver_request_duration_seconds');
    const counts = durations.map((line) => line.replace(/{.*?(le="[^"]*")?}/, '{$1}'));
    expect(counts.slice(0, 3)).toEqual([
      'apiserver_request_duration_seconds_bucket{le="0.005"} 2',
      'apiserver_request_duration_seconds_bucket{le="0.025"} 2',
      'apiserver_request_duration_seconds_bucket{le="0.05"} 3',
    ]);
    expect(counts.slice(-4)).toEqual([
      'apiserver_request_duration_seconds_bucket{le="60"} 3',
      'apiserver_request_duration_seconds_bucket{le="+Inf"} 4',
      'apiserver_request_duration_seconds_sum{} 70.036',
      'apiserver_request_duration_seconds_count{} 4',
    ]);
    const sizes = linesOf(into, 'apiserver_response_sizes_bucket');
    expect(sizes.map((line) => /le="([^"]*)"} (\d+)/.exec(line)?.slice(1))).toEqual([
      ['1000', '0'],
      ['10000', '4'],
      ['100000', '4'],
      ['1e+06', '4'],
      ['1e+07', '4'],
      ['1e+08', '4'],
      ['1e+09', '4'],
      ['+Inf', '4'],
    ]);
  });

  it('measure no sizes of writes', () => {
    const into = meters();
    measure(into, { url: '/api/v1/namespaces/n/pods', method: 'POST', bytes: 5 });
    expect(linesOf(into, 'apiserver_response_sizes')).toEqual([]);
  });
});

describe('what is under way', () => {
  it('counts open watches up and down', () => {
    const into = meters();
    const { request } = givenRouted({ url: '/api/v1/pods?watch=1' });
    into.begun(request);
    const line =
      'apiserver_longrunning_requests{component="apiserver",group="",resource="pods",' +
      'scope="cluster",subresource="",verb="WATCH",version="v1"}';
    expect(linesOf(into, 'apiserver_longrunning_requests')).toEqual([`${line} 1`]);
    into.ended(request, { code: 200, sizeBytes: 0 }, 5);
    expect(linesOf(into, 'apiserver_longrunning_requests')).toEqual([`${line} 0`]);
  });

  it('remembers the most of the last second, reads and writes apart', () => {
    const into = meters();
    const reads = [1, 2, 3].map(() => givenRouted({ url: '/api/v1/pods' }).request);
    const write = givenRouted({ url: '/api/v1/pods', method: 'POST' }).request;
    for (const request of [...reads, write]) {
      request.received(NOW);
      into.begun(request);
    }
    for (const request of reads) into.ended(request, { code: 200, sizeBytes: 0 }, 1);
    const inFlight = (now: number): string[] =>
      into
        .format(now)
        .split('\n')
        .filter((line) => line.startsWith('apiserver_current_inflight_requests'));
    expect(inFlight(NOW + 1_000)).toEqual([
      'apiserver_current_inflight_requests{request_kind="mutating"} 1',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 3',
    ]);
    expect(inFlight(NOW + 5_000)).toEqual([
      'apiserver_current_inflight_requests{request_kind="mutating"} 1',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 0',
    ]);
  });
});
