/** What a server sees to once its port is open, how it says so, and what it shows of itself. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { exposedFamilies, stabilityIn } from '../../gateway/metrics/exposed-families.fixture.ts';
import {
  upstreamFamilies,
  upstreamFigures,
} from '../../gateway/metrics/upstream-families.fixture.ts';
import { goIn, oracleBinary } from '../../tools/oracle-binary.fixture.ts';
import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { parseJson } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();

/** As kube-apiserver writes it at -v=3, but for the name of the source file. */
const LISTED = new RegExp(
  '^I\\d{4} [\\d:]{8}\\.\\d{6} +\\d+ httplog\\.ts:\\d+\\] "HTTP" verb="LIST" ' +
    'URI="/api/v1/namespaces" latency="[\\dmsµ.]+" userAgent="[^"]*" audit-ID="[-\\da-f]{36}" ' +
    'srcIP="127\\.0\\.0\\.1:\\d+" apf_pl="exempt" apf_fs="exempt" apf_iseats=1 apf_fseats=0 ' +
    'apf_additionalLatency="0s" apf_execution_time="[\\dmsµ.]+" resp=200$',
  'm',
);
/** Those come from prom-client. */
const OF_PROCESS = /^process_/;
/**
 * Of these nothing is counted yet: audit, rules, encryption, lists of the past, tokens, pods, webhooks.
 */
const SHOWN_LATER: readonly string[] = [
  'apiserver_audit_event_total',
  'apiserver_audit_requests_rejected_total',
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'apiserver_requested_deprecated_apis',
  'apiserver_storage_data_key_generation_duration_seconds',
  'apiserver_storage_data_key_generation_failures_total',
  'apiserver_storage_envelope_transformation_cache_misses_total',
  'apiserver_storage_list_evaluated_objects_total',
  'apiserver_storage_list_fetched_objects_total',
  'apiserver_storage_list_returned_objects_total',
  'apiserver_storage_list_total',
  'authentication_token_cache_active_fetch_count',
  'authentication_token_cache_fetch_total',
  'authentication_token_cache_request_duration_seconds',
  'authentication_token_cache_request_total',
  'rest_client_request_duration_seconds',
  'rest_client_request_size_bytes',
  'rest_client_requests_total',
  'rest_client_response_size_bytes',
];

async function textOf(path: string): Promise<string> {
  const client = adminClient(server());
  // As curl asks: what is for people is no JSON.
  const { body } = await client.get(path, { accept: '*/*' });
  client.close();
  return typeof body === 'string' ? body : JSON.stringify(body);
}

describe('hooks', () => {
  it('have a check each at readyz, livez and healthz, by the names of kube-apiserver', async () => {
    for (const endpoint of ['readyz', 'livez', 'healthz']) {
      const lines = (await textOf(`/${endpoint}?verbose`)).split('\n');
      expect(lines).toContain('[+]poststarthook/start-system-namespaces-controller ok');
      expect(lines).toContain('[+]poststarthook/scheduling/bootstrap-system-priority-classes ok');
      expect(lines).toContain('[+]poststarthook/start-apiextensions-controllers ok');
      expect(lines).toContain('[+]poststarthook/crd-informer-synced ok');
      expect(lines).toContain('[+]poststarthook/storage-readiness ok');
      const one = `/${endpoint}/poststarthook/scheduling/bootstrap-system-priority-classes`;
      expect(await textOf(one)).toBe('ok');
    }
    const excluded = await textOf(
      '/readyz?verbose&exclude=poststarthook/start-apiextensions-controllers',
    );
    expect(excluded).toContain('[+]poststarthook/start-apiextensions-controllers excluded: ok\n');
  });

  it('come behind the checks of what the server works with', async () => {
    for (const endpoint of ['readyz', 'livez', 'healthz']) {
      const [before = ''] = (await textOf(`/${endpoint}?verbose`)).split('[+]poststarthook/');
      const ofReady = endpoint === 'readyz' ? '[+]etcd-readiness ok\n[+]informer-sync ok\n' : '';
      expect(before).toBe(`[+]ping ok\n[+]log ok\n[+]etcd ok\n${ofReady}`);
      expect(await textOf(`/${endpoint}/log`)).toBe('ok');
      expect(await textOf(`/${endpoint}/etcd`)).toBe('ok');
    }
    expect(await textOf('/readyz/informer-sync')).toBe('ok');
    expect(await textOf('/metrics/slis')).toMatch(
      /^kubernetes_healthcheck\{name="informer-sync",type="readyz"\} 1$/m,
    );
  });

  it('are all in the docs', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [, health = ''] = page.split('\n## Health\n');
    const [served = ''] = health.split('\nA plain kube-apiserver has these too');
    const lines = (await textOf('/readyz?verbose')).match(/(?<=^\[\+\])\S+/gm) ?? [];
    const names = lines.map((name) => name.replace('poststarthook/', ''));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !served.includes(`\`${name}\``))).toEqual([]);
  });

  it('say that the server is there by a Lease, which ends with it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-identity-'));
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const leases = `${path}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`;
    const found: unknown[] = [];
    for (const identity of [true, false]) {
      const other = await startServer({ dataDir, identity });
      const client = adminClient(other);
      const spec = { leaseDurationSeconds: 3600, holderIdentity: expect.anything() as unknown };
      const isThere = async () => {
        const { body } = await client.get(leases);
        found.push(body);
        return JSON.stringify(body).includes('"spec"') || undefined;
      };
      if (identity) {
        await eventually('a Lease', isThere);
        const name = expect.stringMatching(/^apiserver-[a-z2-7]{26}$/) as unknown;
        expect(found.at(-1)).toMatchObject({ items: [{ metadata: { name }, spec }] });
        const { body } = await client.get('/readyz?verbose', { accept: '*/*' });
        expect(body).toContain('start-kube-apiserver-identity-lease-garbage-collector ok');
      } else {
        expect((await client.get(leases)).body).toMatchObject({ items: [] });
      }
      client.close();
      expect(await other.stop()).toBe(0);
    }
    rmSync(dataDir, { recursive: true });
  });

  it('make the priority classes of the system', async () => {
    const client = adminClient(server());
    const { body } = await client.get(
      '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
    );
    expect(body).toMatchObject({ value: 2_000_001_000 });
    client.close();
  });

  it('give the signal that the server has been ready', async () => {
    await eventually('HasBeenReady', () => server().logs().includes('"HasBeenReady"') || undefined);
  });
});

describe('figures', () => {
  const folder = join(import.meta.dirname, '../oracles/metrics-text');

  it("are read by Prometheus' own parser", async (context) => {
    const version = await goIn(folder, ['version']).catch(() => undefined);
    if (version === undefined && process.env['EVERWATCH_REQUIRE_ALL'] !== '1') {
      console.warn('SKIPPED metrics-text: install Go 1.26');
      context.skip();
    }
    const parser = await oracleBinary(folder, 'program');
    for (const path of ['/metrics', '/metrics/slis']) {
      const { stdout } = spawnSync(parser, { input: await textOf(path), encoding: 'utf8' });
      const found = JSON.parse(stdout) as { families: Record<string, string>; error?: string };
      expect(found.error).toBeUndefined();
      if (path === '/metrics') {
        expect(found.families).toMatchObject({
          apiserver_request_total: 'counter',
          apiserver_request_duration_seconds: 'histogram',
          apiserver_client_certificate_expiration_seconds: 'histogram',
          apiserver_current_inflight_requests: 'gauge',
          apiserver_tls_handshake_errors_total: 'counter',
          authorization_attempts_total: 'counter',
          authorization_duration_seconds: 'histogram',
          kubernetes_build_info: 'gauge',
          kubernetes_feature_enabled: 'gauge',
          process_cpu_seconds_total: 'counter',
        });
      } else {
        expect(found.families).toEqual({
          kubernetes_healthcheck: 'gauge',
          kubernetes_healthchecks_total: 'counter',
        });
      }
    }
  });
});

describe('families', () => {
  const theirs = new Map(upstreamFamilies().map((family) => [family.name, family]));

  /** Also some of what an idle kube-apiserver does by itself. */
  async function shownFamilies() {
    const client = adminClient(server());
    const maps = '/api/v1/namespaces/default/configmaps';
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const watch = await client.open(`${maps}?watch=1&${initial}&allowWatchBookmarks=true`);
    await once(watch, 'data');
    await client.post(maps, { metadata: { name: 'counted' } });
    watch.destroy();
    await client.get(maps);
    await client.get(`${maps}/counted?resourceVersion=1`);
    await client.delete(`${maps}/counted`);
    client.close();
    await textOf('/readyz');
    return exposedFamilies(`${await textOf('/metrics')}${await textOf('/metrics/slis')}`);
  }

  it('have the types, labels and promises of kube-apiserver', async () => {
    const shown = (await shownFamilies()).filter(({ name }) => theirs.has(name));
    expect(shown.length).toBeGreaterThan(90);
    const told = shown.map(({ name, type, labels, help }) => {
      const stability = OF_PROCESS.test(name) ? theirs.get(name)?.stability : stabilityIn(help);
      return { name, type, stability, labels };
    });
    expect(told).toEqual(shown.map(({ name }) => theirs.get(name)));
  });

  it('are those that an idle kube-apiserver shows, or wait for something to show', async () => {
    const shown = new Set((await shownFamilies()).map(({ name }) => name));
    const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
    const [, notServed = ''] = page.split('## Not served');
    const missing = upstreamFigures()
      .idle.map(({ name }) => name)
      .filter((name) => !shown.has(name) && !notServed.includes(`\`${name}\``));
    expect(missing).toEqual(SHOWN_LATER);
  });
});

describe('what the process shows of itself', () => {
  it('are its flags, its state and profiles by V8', async () => {
    expect(await textOf('/flagz')).toMatch(/^controllers(:|: |=| )-\*$/m);
    expect(await textOf('/statusz')).toContain('\napiserver statusz\n');
    const client = adminClient(server());
    const { status, body } = await client.get('/debug/pprof/profile?seconds=0.2');
    expect(status).toBe(200);
    expect(body).toHaveProperty('nodes');
    client.close();
  });

  it('is how much it logs, which can be changed', async () => {
    const client = adminClient(server());
    expect((await client.send('PUT', '/debug/flags/v', { body: '5' })).body).toBe(
      'successfully set klog.logging.verbosity to 5\n',
    );
    await client.get('/api/v1/namespaces');
    await eventually('a line of the request', () => LISTED.test(server().logs()) || undefined);
    await client.send('PUT', '/debug/flags/v', { body: '0' });
    client.close();
  });

  it('are no profiles where they are switched off', async () => {
    const other = await startServer({ args: ['--profiling=false'] });
    const client = adminClient(other);
    expect((await client.get('/debug/pprof/')).status).toBe(404);
    expect((await client.get('/debug/flags/v')).status).toBe(404);
    client.close();
    await other.stop();
  });
});

describe('what can be switched off', () => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-switches-'));
  const debugSocket = join(directory, 'debug');
  const other = serverForThisFile({
    args: [
      '--runtime-config=apps/v1=false,apps/v1/deployments=true,batch/v1=false',
      '--runtime-config=networking.k8s.io/v1beta1=true,coordination.k8s.io/v1beta1=true',
      '--runtime-config=certificates.k8s.io/v1beta1=true',
      '--feature-gates=WatchList=false,APIResponseCompression=false',
      '--feature-gates=OpenAPIEnums=false,StorageVersionHash=false',
      ...['--debug-socket-path', debugSocket],
      ...['--logging-format=json', '-v=3'],
    ],
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('are APIs, in discovery, in OpenAPI and in what is served', async () => {
    const client = adminClient(other());
    expect((await client.get('/apis/apps/v1/deployments')).status).toBe(200);
    expect((await client.get('/apis/apps/v1/statefulsets')).status).toBe(404);
    expect((await client.get('/apis/batch/v1')).status).toBe(404);
    const { body } = await client.get('/apis/apps/v1');
    expect(JSON.stringify(body)).not.toContain('statefulsets');
    const { body: text } = await client.get('/openapi/v3');
    const index = parseJson(typeof text === 'string' ? text : '');
    expect(index).not.toHaveProperty(['paths', 'apis/batch/v1']);
    expect(index).toHaveProperty(['paths', 'apis/apps/v1']);
    client.close();
  });

  it('and on: versions of kinds that are off by default', async () => {
    const client = adminClient(other());
    const beta = '/apis/networking.k8s.io/v1beta1/ipaddresses';
    const apiVersion = 'networking.k8s.io/v1beta1';
    const parentRef = { resource: 'services', namespace: 'default', name: 'a' };
    const head = { apiVersion, kind: 'IPAddress', metadata: { name: '192.0.2.7' } };
    const made = await client.post(beta, { ...head, spec: { parentRef } });
    expect(made).toMatchObject({ status: 201, body: { apiVersion, spec: { parentRef } } });
    expect(made.headers['warning']).toBe(
      '299 - "networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+"',
    );
    const stable = await client.get('/apis/networking.k8s.io/v1/ipaddresses/192.0.2.7');
    expect(stable).toMatchObject({ status: 200, body: { apiVersion: 'networking.k8s.io/v1' } });
    expect(stable.headers['warning']).toBeUndefined();
    const candidates = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
    const spec = { leaseName: 'a', binaryVersion: '1.36.0', strategy: 'example.com/a' };
    const candidate = { kind: 'LeaseCandidate', metadata: { name: 'a' }, spec };
    expect((await client.post(candidates, candidate)).status).toBe(201);
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body: rows } = await client.get(candidates, table);
    expect(rows).toMatchObject({ rows: [{ cells: ['a', 'a', '1.36.0', '', expect.any(String)] }] });
    const { body: groups } = await client.get('/apis');
    expect(JSON.stringify(groups)).toContain('"coordination.k8s.io/v1beta1"');
    expect(JSON.stringify(groups)).not.toContain('"certificates.k8s.io/v1beta1"');
    expect(other().logs()).toContain(
      'ClusterTrustBundle storage is disabled because the ClusterTrustBundle feature gate is disabled',
    );
    client.close();
  });

  it('are lines for people: requests are JSON from -v=3 on', async () => {
    const client = adminClient(other());
    await client.get('/api/v1/namespaces?limit=7');
    client.close();
    const line = await eventually('a line of the request', () =>
      other()
        .logs()
        .split('\n')
        .find((one) => one.includes('"URI":"/api/v1/namespaces?limit=7"')),
    );
    expect(parseJson(line)).toMatchObject({
      ...{ ts: expect.any(Number) as number, msg: 'HTTP', v: 3, verb: 'LIST', resp: 200 },
      caller: expect.stringMatching(/^filters\/httplog\.ts:\d+$/) as string,
    });
    const others = other()
      .logs()
      .split('\n')
      .filter((one) => !one.startsWith('{"ts":'));
    expect(others.filter((one) => !/^(?:export KUBECONFIG=.*)?$/.test(one))).toEqual([]);
  });

  it('are features, by their gates', async () => {
    const client = adminClient(other());
    const lists = '/api/v1/namespaces?watch=1&sendInitialEvents=true';
    const watch = await client.get(`${lists}&resourceVersionMatch=NotOlderThan`);
    expect(watch).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(JSON.stringify(watch.body)).toContain(
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
    const resources = JSON.stringify((await client.get('/api/v1')).body);
    expect(resources).toContain('"configmaps"');
    expect(resources).not.toContain('storageVersionHash');
    const schemas = JSON.stringify((await client.get('/openapi/v3/api/v1')).body);
    expect(schemas).not.toContain('"enum":["SCTP"');
    const { body } = await client.get('/metrics', { accept: 'text/plain' });
    expect(body).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0\n');
    client.close();
  });

  it('are privileged containers, as long as no flag allows them', async () => {
    const client = adminClient(other());
    const containers = [{ name: 'c', image: 'i', securityContext: { privileged: true } }];
    const spec = { selector: { matchLabels: { a: 'b' } } };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
    const refused = await client.post('/apis/apps/v1/namespaces/default/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { ...spec, template },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        message:
          'Deployment.apps "web" is invalid: ' +
          'spec.template.spec.containers[0].securityContext.privileged: ' +
          'Forbidden: disallowed by cluster policy',
      },
    });
    client.close();
  });

  it('is not the way to it for processes that may open its socket', async () => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const path = '/debug/pprof/';
      request({ socketPath: debugSocket, path }, resolve).on('error', reject).end();
    });
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(statSync(debugSocket).mode & 0o777).toBe(0o600);
  });
});
