/**
 * What the dashboard and the alerts of kubernetes-mixin ask about an API server finds data here. The selectors
 * are facts: names of families and the labels and values by which the queries choose their series. `job` and
 * `cluster` are labels that Prometheus adds itself.
 */
import { expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

type Labels = Readonly<Record<string, string>>;

/** Regular expressions over whole values, by label; a label that is not there is ''. `!` before one: not it. */
type Selector = readonly [family: string, labels?: Labels];

const SUBRESOURCES = '!proxy|attach|log|exec|portforward';
const WRITES = 'POST|PUT|PATCH|DELETE';

/** The rules by which availability, error budget and latency are recorded. */
const RULES: readonly Selector[] = [
  ['apiserver_request_total', { verb: 'LIST|GET', code: '2..' }],
  ['apiserver_request_total', { verb: WRITES, code: '2..' }],
  ['apiserver_request_total', { code: '4..', resource: '.+' }],
  ...['', 'resource', 'namespace', 'cluster'].flatMap((scope): Selector[] => {
    const labels = { verb: 'LIST|GET', subresource: SUBRESOURCES, scope };
    return [
      ['apiserver_request_sli_duration_seconds_count', labels],
      ['apiserver_request_sli_duration_seconds_bucket', { ...labels, le: '1(\\.0)?' }],
      ['apiserver_request_sli_duration_seconds_bucket', { ...labels, le: '5(\\.0)?' }],
      ['apiserver_request_sli_duration_seconds_bucket', { ...labels, le: '30(\\.0)?' }],
    ];
  }),
  [
    'apiserver_request_sli_duration_seconds_bucket',
    { verb: WRITES, subresource: SUBRESOURCES, le: '1(\\.0)?' },
  ],
];

/** Panels and alerts that ask the server itself. */
const PANELS: readonly Selector[] = [
  ['workqueue_adds_total', { name: '.+' }],
  ['workqueue_depth', { name: '.+' }],
  ['workqueue_queue_duration_seconds_bucket', { name: '.+', le: '.+' }],
  ['process_resident_memory_bytes'],
  ['process_cpu_seconds_total'],
  ['process_start_time_seconds'],
  ['apiserver_client_certificate_expiration_seconds_count'],
  ['apiserver_client_certificate_expiration_seconds_bucket', { le: '.+' }],
  ['kubernetes_build_info', { git_version: 'v[0-9]*\\.[0-9]*.*' }],
  ['apiserver_storage_objects', { resource: '.+' }],
  ['etcd_request_duration_seconds_bucket', { operation: '.+', resource: '.+', le: '.+' }],
];

/** Without data, and why. */
const WITHOUT: readonly (readonly [family: string, why: string])[] = [
  ['go_goroutines', 'the process has none; nodejs_… tells of the event loop'],
  ['rest_client_requests_total', 'of clients in other components'],
  ['apiserver_request_terminations_total', 'a series begins with the first request that is ended'],
  ['aggregator_unavailable_apiservice_total', 'a series begins with the first failure'],
];

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function seriesIn(text: string): Map<string, Labels[]> {
  const families = new Map<string, Labels[]>();
  for (const [, name = '', labels = ''] of text.matchAll(SERIES)) {
    const entries = [...labels.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]);
    const one = Object.fromEntries(entries) as Labels;
    families.set(name, [...(families.get(name) ?? []), one]);
  }
  return families;
}

function hasData(families: Map<string, Labels[]>, [family, wanted = {}]: Selector): boolean {
  return (families.get(family) ?? []).some((labels) =>
    Object.entries(wanted).every(([label, text]) => {
      const isNegated = text.startsWith('!');
      const pattern = new RegExp(`^(?:${isNegated ? text.slice(1) : text})$`);
      return pattern.test(labels[label] ?? '') !== isNegated;
    }),
  );
}

const server = serverForThisFile({ controllers: '*' });

it('the queries of the dashboard and the alerts return data, and those that cannot are known', async () => {
  const client = adminClient(server());
  const settings = '/api/v1/namespaces/default/configmaps';
  const body = JSON.stringify({ metadata: { name: 'asked' } });
  expect((await client.send('POST', settings, { body })).status).toBe(201);
  for (const path of [settings, `${settings}/asked`, '/api/v1/configmaps', '/version']) {
    expect((await client.get(path)).status).toBe(200);
  }
  expect((await client.get(`${settings}/nonesuch`)).status).toBe(404);
  const { body: text } = await client.get('/metrics');
  const families = seriesIn(typeof text === 'string' ? text : '');
  client.close();
  const without = [...RULES, ...PANELS].filter((selector) => !hasData(families, selector));
  expect(without).toEqual([]);
  expect(WITHOUT.filter(([family]) => families.has(family))).toEqual([]);
  expect(hasData(families, ['apiserver_request_total', { verb: 'NONE' }])).toBe(false);
});
