/** Where requests for pods, nodes and services lead, which checks stand before, and what is refused. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { badRequest } from '../../api/meta/status.ts';
import { NO_NODES } from '../../gateway/server/given-plane.fixture.ts';
import type { AdmissionAttributes } from '../admission/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import type { Attributes, Decision } from '../authorization/authorizer.ts';
import { ALLOW, NO_OPINION } from '../authorization/authorizer.ts';
import { givenVirtual } from '../handlers/given-virtual.fixture.ts';
import type { Backend, NodeConnections, StreamWish } from './node-connections.ts';

const PODS = '/api/v1/namespaces/default/pods';

interface Passed {
  readonly to: Backend;
  readonly wish?: StreamWish;
}

let passed: Passed[];
let asked: Attributes['request'][];
beforeEach(() => {
  passed = [];
  asked = [];
});

const answer = (to: Backend, wish?: StreamWish) => {
  passed.push(wish === undefined ? { to } : { to, wish });
  return NO_NODES.proxy(undefined as never, to);
};
const nodes: NodeConnections = {
  ...NO_NODES,
  preferredAddressTypes: ['Hostname', 'InternalIP'],
  proxy: (_request, to) => answer(to),
  log: (_request, to) => answer(to),
  stream: (_request, to, wish) => answer(to, wish),
};

async function given(
  parts: {
    plugin?: AdmissionPlugin;
    decide?: (request: Attributes['request']) => Decision;
  } = {},
) {
  const { plugin, decide = () => ALLOW } = parts;
  const { ask, post } = await givenVirtual({
    nodes,
    authorize: ({ request }) => {
      asked.push(request);
      return decide(request);
    },
    plugins: () => (plugin === undefined ? [] : [plugin]),
  });
  const addresses = [{ type: 'InternalIP', address: '10.0.0.9' }];
  const daemonEndpoints = { kubeletEndpoint: { Port: 10_255 } };
  const status = { addresses, daemonEndpoints, declaredFeatures: ['ExtendWebSocketsToKubelet'] };
  await post('/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' }, status });
  await pod('p', { nodeName: 'n', containers: [container('c', [8080]), container('d')] });
  await hasAddresses('p', '10.1.0.1', 'fd00::1');
  async function hasAddresses(name: string, ...ips: string[]) {
    const podIPs = ips.map((ip) => ({ ip }));
    const status = { podIPs, podIP: ips[0] ?? '' };
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec: SPEC, status };
    await ask('PUT', `${PODS}/${name}/status`, object);
  }
  async function pod(name: string, spec: JsonObject) {
    await post(PODS, { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec });
  }
  return { ask, post, pod, hasAddresses };
}

const SPEC = { containers: [{ name: 'c', image: 'a' }] };

function container(name: string, ports: number[] = []): JsonObject {
  return { name, image: 'a', ports: ports.map((containerPort) => ({ containerPort })) };
}

const KUBELET = { scheme: 'https', host: '10.0.0.9', port: '10255', trust: 'node' } as const;

describe('a request', () => {
  it.each<[method: string, url: string, to: Partial<Backend>]>([
    [
      'GET',
      `${PODS}/p/log?container=c&follow=1`,
      { ...KUBELET, path: '/containerLogs/default/p/c', query: 'follow=true' },
    ],
    [
      'GET',
      `${PODS}/p/log?container=d&insecureSkipTLSVerifyBackend=1`,
      { ...KUBELET, trust: 'unverified node' },
    ],
    [
      'POST',
      `${PODS}/p/exec?container=c&command=a%20b&command=%26&stdin=1&tty=1`,
      { ...KUBELET, path: '/exec/default/p/c', query: 'command=a+b&command=%26&input=1&tty=1' },
    ],
    [
      'GET',
      `${PODS}/p/attach?container=d&stdout=1&stderr=1`,
      { ...KUBELET, path: '/attach/default/p/d', query: 'error=1&output=1' },
    ],
    [
      'POST',
      `${PODS}/p/portforward?ports=80,81`,
      { ...KUBELET, path: '/portForward/default/p', query: 'port=80%2C81' },
    ],
    [
      'GET',
      '/api/v1/nodes/n/proxy/pods/../x/?a=b',
      { ...KUBELET, path: '/x/', query: 'a=b', globalOnly: true },
    ],
    ['GET', '/api/v1/nodes/n:10255/proxy', { ...KUBELET, path: '', trust: 'node' }],
    [
      'GET',
      '/api/v1/nodes/https:n:9100/proxy/metrics',
      { scheme: 'https', host: '10.0.0.9', port: '9100', trust: 'workload', globalOnly: true },
    ],
    [
      'DELETE',
      `${PODS}/p/proxy/a/b`,
      { scheme: 'http', host: '10.1.0.1', port: '8080', path: '/a/b', trust: 'workload' },
    ],
    [
      'PATCH',
      `${PODS}/https:p:443/proxy/`,
      { scheme: 'https', host: '10.1.0.1', port: '443', path: '/' },
    ],
  ])('%s %s leads there', async (method, url, to) => {
    const { ask } = await given();
    expect((await ask(method, url)).message).toBe('no node is there');
    expect(passed).toMatchObject([{ to }]);
  });

  it('tells the node which streams are wanted, and knows what the node can do', async () => {
    const { ask } = await given();
    await ask('GET', `${PODS}/p/exec?container=c&stdin=1&stdout=1&tty=1&command=x`);
    expect(passed[0]?.wish).toEqual({
      ...{ kind: 'exec', stdin: true, stdout: true, stderr: false, tty: true },
      nodeTakesWebSockets: true,
    });
  });

  it.each([
    [
      'GET',
      `${PODS}/p/log`,
      400,
      'a container name must be specified for pod p, choose one of: [c d]',
    ],
    [
      'GET',
      `${PODS}/p/log?container=c&sinceSeconds=1&sinceTime=2026-11-23T10:00:00Z`,
      422,
      'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    [
      'PUT',
      `${PODS}/p/exec`,
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'HEAD',
      `${PODS}/p/exec`,
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'POST',
      `${PODS}/p/log`,
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'TRACE',
      `${PODS}/p/proxy/`,
      405,
      'the server does not allow this method on the requested resource',
    ],
    ['GET', `${PODS}/p/exec/more`, 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/namespaces/default/services/s/proxy/', 404, 'services "s" not found'],
    ['GET', '/api/v1/nodes/x/proxy/', 404, 'nodes "x" not found'],
  ])('%s %s is refused', async (method, url, code, message) => {
    const { ask } = await given();
    expect(await ask(method, url)).toMatchObject({ code, message });
    expect(passed).toEqual([]);
  });

  it('for a service leads to its pods and to nothing else that stands among its endpoints', async () => {
    const { ask, post } = await given();
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'p' };
    const addresses = [
      { ip: '10.9.9.9', targetRef },
      { ip: '10.1.0.1', targetRef: { ...targetRef, namespace: 'other' } },
      { ip: '10.1.0.2' },
      { ip: '10.1.0.1', targetRef },
    ];
    const subsets = [{ addresses, ports: [{ name: 'web', port: 8080 }] }];
    const object = { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 's' }, subsets };
    await post('/api/v1/namespaces/default/endpoints', object);
    await ask('GET', '/api/v1/namespaces/default/services/s:web/proxy/x');
    expect(passed).toMatchObject([{ to: { scheme: 'http', host: '10.1.0.1', port: '8080' } }]);
  });

  it('for a pod whose address is none of a pod is not passed on', async () => {
    const { ask, pod, hasAddresses } = await given();
    await pod('local', { nodeName: 'n', containers: [container('c', [80])] });
    for (const ip of ['127.0.0.1', '169.254.169.254', '::1', '224.0.0.1', '::ffff:127.0.0.1']) {
      await hasAddresses('local', ip);
      const { code, message } = await ask('GET', `${PODS}/local/proxy/`);
      expect([code, message]).toEqual([400, 'address not allowed']);
    }
  });
});

describe('before a request leaves', () => {
  const STREAMS = ['exec', 'attach', 'portforward'] as const;

  it.each(STREAMS.flatMap((one) => [['GET', one] as const, ['POST', one] as const]))(
    '%s of %s needs the verb create, and what is shown was authorized',
    async (method, one) => {
      const decide = ({ verb }: Attributes['request']) => (verb === 'create' ? NO_OPINION : ALLOW);
      const { ask } = await given({ decide });
      asked = [];
      const { code, message } = await ask(method, `${PODS}/p/${one}?container=c`);
      if (method === 'POST') {
        // The filter in front has asked for that verb already.
        expect([asked.length, passed.length]).toEqual([0, 1]);
        return;
      }
      expect([code, message, passed.length]).toEqual([403, 'pods "p" is forbidden: ', 0]);
      expect(asked).toMatchObject([
        { verb: 'create', resource: 'pods', subresource: one, name: 'p' },
      ]);
    },
  );

  it('admission sees the options as CONNECT, and may change and refuse them', async () => {
    const seen: Partial<AdmissionAttributes>[] = [];
    const plugin: AdmissionPlugin = {
      name: 'test',
      mutatesAt: ({ operation }) =>
        operation === 'CONNECT'
          ? (attributes) => {
              seen.push(attributes);
              if (attributes.object !== undefined)
                Object.assign(attributes.object, { container: 'd' });
              return undefined;
            }
          : undefined,
      validatesAt: ({ operation, subresource }) =>
        operation === 'CONNECT' && subresource === 'attach' ? () => badRequest('never') : undefined,
    };
    const { ask } = await given({ plugin });
    await ask('POST', `${PODS}/p/exec?container=c&command=id&stdout=1`);
    const kind = { kind: 'PodExecOptions', apiVersion: 'v1' };
    const object = { ...kind, container: 'd', command: ['id'], stdout: true };
    expect(seen).toMatchObject([{ operation: 'CONNECT', name: 'p', namespace: 'default', object }]);
    expect(passed).toMatchObject([{ to: { path: '/exec/default/p/d' } }]);
    // Selectors of webhooks and policies look at labels; what they are sent has no metadata.
    expect(seen[0]?.object?.metadata.labels).toBeUndefined();
    expect(JSON.parse(JSON.stringify(seen[0]?.object))).toEqual(object);
    expect((await ask('POST', `${PODS}/p/attach`)).message).toBe('never');
    await ask('GET', '/api/v1/nodes/n/proxy/a/b?path=/c');
    expect(seen.at(-1)).toMatchObject({ object: { kind: 'NodeProxyOptions', path: '/a/b' } });
    expect(passed.length).toBe(2);
  });
});
