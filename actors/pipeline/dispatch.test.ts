import { describe, expect, it } from 'vitest';

import type { RequestInfo } from '../request/request.ts';
import { startActor } from '../request/actor.ts';
import { dispatch, type DispatchParts } from './dispatch.ts';
import { codeOf, givenAuthenticated, messageOf, testClock } from '../request/given.fixture.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import type { ResourceRequest } from '../registry/registry.ts';
import type { ObjectHistory } from '../../projections/store/object-history.ts';
import type { Answer } from '../request/answer.ts';
import type { AcceptedMedia } from '../request/request-line.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from '../served-resources/served-resources.ts';

const served = new ServedResources(builtInResources(testClock()));
const { context: readContext, clock } = await givenControlPlane();
const ACCEPTED: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'None',
};

interface Fork {
  /** Which registries got something, as `core/pods`. */
  readonly registries: readonly string[];
  readonly code: number | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

async function fork(
  method: string,
  url: string,
  parts: Partial<DispatchParts> & {
    readonly accepted?: AcceptedMedia | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Fork> {
  const registries: string[] = [];
  const accepted = 'accepted' in parts ? parts.accepted : ACCEPTED;
  const headers = { 'content-type': 'application/merge-patch+json', ...parts.headers };
  const door = { readBody: () => new Promise<never>(() => undefined) };
  const { request, answers } = givenAuthenticated({ method, url, headers, accepted, door });
  const context = dispatch({
    aggregation: undefined,
    lookup: (info: RequestInfo) => served.lookup(info),
    registryOf: (storage) => ({
      send: ({ type }: ResourceRequest) => registries.push(`${storage} ${type}`),
    }),
    route: () => undefined,
    context: readContext,
    ...parts,
  });
  startActor(context).send(request);
  await new Promise((resolve) => setImmediate(resolve));
  const [answer] = answers;
  return {
    registries: registries.map((one) => one.replace(' resourceRequest', '')),
    code: codeOf(answer),
    message: messageOf(answer),
    headers: request.responseHeaders,
    warnings: request.warnings,
  };
}

describe('a request for a resource', () => {
  it.each([
    ['GET', '/api/v1/pods', 'core/pods'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da', 'core/pods'],
    ['GET', '/api/v1/pods?watch=1', 'core/pods'],
    ['GET', '/api/v1/watch/pods', 'core/pods'],
    ['GET', '/api/v1/watch/namespaces/n/pods/a', 'core/pods'],
    ['GET', '/api/v1/namespaces/n/pods/a', 'core/pods'],
    ['PUT', '/api/v1/namespaces/n/pods/a/status', 'core/pods'],
    ['DELETE', '/api/v1/namespaces/n/pods', 'core/pods'],
    ['GET', '/api/v1/namespaces', 'core/namespaces'],
    ['GET', '/api/v1/watch/namespaces/n', 'core/namespaces'],
    ['GET', '/api/v1/namespaces/namespaces/', 'core/namespaces'],
    ['DELETE', '/api/v1/namespaces/n', 'core/namespaces'],
    ['PUT', '/api/v1/namespaces/n/finalize', 'core/namespaces'],
    ['POST', '/apis/apps/v1/namespaces/n/deployments', 'apps/deployments'],
    ['PATCH', '/apis/apps/v1/namespaces/n/deployments/a/scale', 'apps/deployments'],
    [
      'GET',
      '/apis/autoscaling/v1/horizontalpodautoscalers',
      'autoscaling/horizontalpodautoscalers',
    ],
    ['GET', '/apis/events.k8s.io/v1/events', 'core/events'],
    ['DELETE', '/apis/storage.k8s.io/v1/storageclasses', 'storage.k8s.io/storageclasses'],
  ])('%s %s goes to the registry of what is stored', async (method, url, storage) => {
    expect(await fork(method, url)).toMatchObject({ registries: [storage], code: undefined });
  });

  it('is warned of what is deprecated', async () => {
    const { warnings } = await fork('GET', '/api/v1/endpoints');
    expect(warnings).toEqual([
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    ]);
    const status = await fork('GET', '/api/v1/componentstatuses');
    expect(status.warnings).toEqual(['v1 ComponentStatus is deprecated in v1.19+']);
    expect((await fork('GET', '/api/v1/pods')).warnings).toEqual([]);
    // Where a handler refuses the form, but not where the router does.
    for (const [accept, count] of [
      ['application/json;as=Nope;v=v1;g=meta.k8s.io', 1],
      ['image/png', 0],
    ] as const) {
      const refused = { accepted: undefined, headers: { accept } };
      const answer = await fork('GET', '/api/v1/endpoints', refused);
      expect([answer.code, answer.warnings.length]).toEqual([406, count]);
    }
  });

  it.each([
    ['GET', '/api/v1/nodes/a/nonesuch'],
    ['GET', '/api/v1/nonesuch'],
    ['GET', '/apis/apps/v1beta1/deployments'],
    ['GET', '/apis/nonesuch/v1/pods'],
    // A scope that the resource does not have.
    ['GET', '/api/v1/pods/a'],
    ['GET', '/api/v1/namespaces/n/nodes'],
    ['GET', '/api/v1/namespaces/n/namespaces/m'],
    ['GET', '/api/v1/namespaces/n/namespaces/n'],
    ['GET', '/api/v1/namespaces/n/namespaces?fieldSelector=metadata.name%3Dn'],
    ['GET', '/api/v1/watch/namespaces/n/namespaces/n'],
    // Too long, or without a name in the middle.
    ['GET', '/api/v1/namespaces/n/pods/a/status/b'],
    ['GET', '/api/v1/namespaces/n/pods//status'],
    ['GET', '/apis/__proto__/v1/pods'],
    ['GET', '/api/v1/constructor'],
  ])('%s %s is not there', async (method, url) => {
    expect(await fork(method, url)).toMatchObject({
      registries: [],
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });

  it.each([
    ['PUT', '/api/v1/namespaces/n/pods', 'POST, DELETE, GET'],
    ['PATCH', '/api/v1/namespaces/n/pods', 'POST, DELETE, GET'],
    ['POST', '/api/v1/namespaces/n/pods/a', 'DELETE, GET, PATCH, PUT'],
    ['POST', '/api/v1/pods', 'GET'],
    // No client is to delete the objects of all namespaces with one request.
    ['DELETE', '/api/v1/pods', 'GET'],
    ['DELETE', '/api/v1/namespaces', 'POST, GET'],
    ['OPTIONS', '/api/v1/pods', 'GET'],
    ['HEAD', '/api/v1/namespaces/n/pods/a', 'DELETE, GET, PATCH, PUT'],
    ['POST', '/api/v1/namespaces/n/pods/a/status', 'GET, PATCH, PUT'],
  ])('%s %s cannot be done', async (method, url, allow) => {
    expect(await fork(method, url)).toEqual({
      registries: [],
      code: 405,
      message: 'the server does not allow this method on the requested resource',
      headers: { Allow: allow },
      warnings: [],
    });
  });

  it.each([
    ['PUT', '/api/v1/namespaces/n/bindings/a'],
    ['GET', '/api/v1/namespaces/n/bindings/a'],
    ['DELETE', '/apis/authorization.k8s.io/v1/subjectaccessreviews/a'],
    ['GET', '/apis/authorization.k8s.io/v1/localsubjectaccessreviews'],
    ['POST', '/api/v1/bindings'],
  ])('%s %s: what is posted alone has no such path', async (method, url) => {
    expect(await fork(method, url)).toMatchObject({ code: 404, headers: {} });
  });

  const OBJECT_TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

  it.each([
    ['GET', '/api/v1/pods', 'text/html', `${OBJECT_TYPES}, ${STREAMS}`],
    ['GET', '/api/v1/pods?watch=1', 'text/html', `${OBJECT_TYPES}, ${STREAMS}`],
    ['GET', '/api/v1/namespaces/n/pods/a', 'image/*;q=0.5, application/*', OBJECT_TYPES],
    ['DELETE', '/api/v1/namespaces/n/pods/a', 'text/html', OBJECT_TYPES],
    ['GET', '/api/v1/namespaces/n/pods/a/log', 'image/png', `text/plain, ${OBJECT_TYPES}`],
  ])(
    '%s %s is refused when %s is all that the client takes',
    async (method, url, accept, types) => {
      const accepted = accept.includes('application/*') ? ACCEPTED : undefined;
      const answer = await fork(method, url, { accepted, headers: { accept } });
      expect(answer).toMatchObject({ registries: [], code: 406 });
      expect(answer.message).toBe(`406: Not Acceptable\n\nAvailable representations: ${types}`);
    },
  );

  it('is refused in other words when it is the form that is not known', async () => {
    const headers = { accept: 'application/json;as=Nope;v=v1;g=meta.k8s.io' };
    const answer = await fork('GET', '/api/v1/pods?watch=1', { accepted: undefined, headers });
    expect(answer).toMatchObject({ registries: [], code: 406 });
    expect(answer.message).toBe(`only the following media types are accepted: ${OBJECT_TYPES}`);
    const text = { accepted: undefined, headers: { accept: 'text/plain' } };
    const log = await fork('GET', '/api/v1/namespaces/n/pods/a/log', text);
    expect([log.code, log.message]).toEqual([406, answer.message]);
  });

  it.each(['', 'text/plain', 'application/json', 'application/cbor'])(
    'is refused when it is a patch in the form %j',
    async (type) => {
      const headers = { 'content-type': type };
      expect(await fork('PATCH', '/api/v1/namespaces/n/pods/a', { headers })).toMatchObject({
        registries: [],
        code: 415,
        message: '415: Unsupported Media Type',
      });
    },
  );

  it.each(['application/apply-patch+yaml', 'application/json-patch+json; charset=utf-8'])(
    'is passed on when it is a patch in the form %s',
    async (type) => {
      const headers = { 'content-type': type };
      const answer = await fork('PATCH', '/api/v1/namespaces/n/pods/a', { headers });
      expect(answer.registries).toEqual(['core/pods']);
    },
  );

  it.each(['//api/v1/namespaces/n/pods/a', '//api/v1/pods?watch=1'])(
    'is nowhere behind two slashes: %s',
    async (url) => {
      expect((await fork('GET', url)).code).toBe(404);
    },
  );

  it('is nowhere below the prefix that pods were once reached through', async () => {
    expect((await fork('GET', '/api/v1/proxy/namespaces/n/pods/a')).code).toBe(404);
  });

  it('is answered when its registry throws', async () => {
    const registryOf = (): never => {
      throw new Error('broken');
    };
    const answer = await fork('GET', '/api/v1/pods', { registryOf });
    expect(answer).toMatchObject({ code: 500, message: 'Internal error occurred: broken' });
  });
});

describe('a path that is no resource', () => {
  const document: Answer = { kind: 'Document', code: 200, headers: {}, body: Buffer.from('ok') };

  it('is answered by the route that knows it', async () => {
    const route = (): Answer => document;
    expect(await fork('GET', '/healthz', { route })).toMatchObject({ code: 200, message: 'ok' });
  });

  it('may take a while', async () => {
    const route = (): Promise<Answer> => Promise.resolve(document);
    expect(await fork('GET', '/metrics', { route })).toMatchObject({ code: 200, message: 'ok' });
  });

  it('is 500 when the route that knows it fails', async () => {
    const route = (): Promise<Answer> => Promise.reject(new Error('broken'));
    expect((await fork('GET', '/metrics', { route })).code).toBe(500);
    const throwing = (): Answer => {
      throw new Error('broken');
    };
    expect((await fork('GET', '/metrics', { route: throwing })).code).toBe(500);
  });

  it('is 404 when no route does', async () => {
    expect((await fork('GET', '/nonesuch')).code).toBe(404);
  });

  it('may be one that looks like a resource', async () => {
    const route = (): Answer => document;
    expect((await fork('GET', '/apis/nonesuch/v1/things', { route })).message).toBe('ok');
  });
});

describe('a request below /at/', () => {
  const READ_ONLY = 'the control plane as of 3 is read-only: below /at/ nothing can be written';

  it.each([
    ['GET', '/at/3/api/v1/pods', 'core/pods'],
    ['GET', '/at/3/api/v1/pods?watch=1', 'core/pods'],
    ['GET', '/at/3/api/v1/watch/pods', 'core/pods'],
    ['GET', '/at/3/apis/apps/v1/namespaces/n/deployments/a/scale', 'apps/deployments'],
    ['GET', '/forks/try/at/3/api/v1/namespaces/n/pods/a', 'core/pods'],
    // What is never stored has no past.
    ['GET', '/at/3/api/v1/componentstatuses', 'core/componentstatuses'],
    // Nothing comes of a dry run.
    ['PATCH', '/at/3/api/v1/namespaces/n/pods/a?dryRun=All', 'core/pods'],
    ['PUT', '/at/3/api/v1/namespaces/n/pods/a/status?dryRun=All', 'core/pods'],
    ['POST', '/at/3/api/v1/namespaces/n/pods?fieldManager=x&dryRun=All', 'core/pods'],
    // Nor of a question.
    ...[
      'authorization.k8s.io/v1/selfsubjectaccessreviews',
      'authorization.k8s.io/v1/selfsubjectrulesreviews',
      'authentication.k8s.io/v1/selfsubjectreviews',
      'authentication.k8s.io/v1/tokenreviews',
    ].map((path) => ['POST', `/at/3/apis/${path}`, path.replace('/v1', '')]),
  ])('%s %s goes where it would go now', async (method, url, storage) => {
    expect(await fork(method, url)).toMatchObject({ registries: [storage], code: undefined });
  });

  it.each([
    ['POST', '/at/3/api/v1/namespaces/n/pods'],
    ['PUT', '/at/3/api/v1/namespaces/n/pods/a'],
    ['PATCH', '/at/3/api/v1/namespaces/n/pods/a?dryRun=all'],
    ['PATCH', '/at/3/api/v1/namespaces/n/pods/a?dryRun=All&dryRun='],
    ['DELETE', '/at/3/api/v1/namespaces/n/pods/a'],
    // Its body may say that it is none.
    ['DELETE', '/at/3/api/v1/namespaces/n/pods/a?dryRun=All'],
    ['DELETE', '/at/3/api/v1/namespaces/n/pods?dryRun=All'],
    ['OPTIONS', '/at/3/api/v1/pods'],
    ['DELETE', '/at/3/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['POST', '/at/3/api/v1/namespaces/n/pods/a/eviction?dryRun=All'],
    ['POST', '/at/3/healthz'],
    ['DELETE', '/at/3/nonesuch'],
    ['POST', '/forks/try/at/3/api/v1/namespaces'],
  ])('%s %s would be a write', async (method, url) => {
    expect(await fork(method, url)).toEqual({
      registries: [],
      code: 405,
      message: READ_ONLY,
      headers: { Allow: 'GET' },
      warnings: [],
    });
  });

  it('tells the paths that are no resources which moment it is', async () => {
    const route = ({ moment, momentTime, info }: AuthenticatedRequest): Answer => {
      const text = `${info.path} ${String(moment)} ${String(momentTime)}`;
      return { kind: 'Document', code: 200, headers: {}, body: Buffer.from(text) };
    };
    const { message } = await fork('GET', '/at/3/openapi/v3', { route });
    expect(message).toBe(`/openapi/v3 3 ${String(clock.now())}`);
  });

  it.each(['/at/3/nonesuch', '/at/3', '/at/3/at/3/api/v1/pods', '/at/3/apis/x/v1/y'])(
    '%s is not there',
    async (url) => {
      expect((await fork('GET', url)).code).toBe(404);
    },
  );

  it.each(['yesterday', '-1', '2026-02-30T00:00:00Z', '2026-11-20', '99999999999999999999', '%22'])(
    'is refused when %s is no moment',
    async (at) => {
      const { code, message } = await fork('GET', `/at/${at}/api/v1/pods`);
      expect(code).toBe(400);
      expect(message).toMatch(/^invalid moment ".*": behind \/at\/ must stand a resourceVersion/);
    },
  );

  it('warns a client that asks for discovery, and would show no message of an error', async () => {
    const { message, warnings } = await fork('GET', '/at/yesterday/api');
    expect(warnings).toEqual([message]);
    expect((await fork('GET', '/at/yesterday/api/v1/pods')).warnings).toEqual([]);
  });

  it('is answered when the history cannot be read', async () => {
    const settled = (): Promise<void> => Promise.reject(new Error('no such disk'));
    const history = Object.assign(Object.create(readContext.history) as ObjectHistory, { settled });
    for (const at of ['3', '1970-01-01T00:00:00Z']) {
      const context = { ...readContext, history };
      const answer = await fork('GET', `/at/${at}/api/v1/pods`, { context });
      expect(answer).toMatchObject({
        code: 500,
        message: 'Internal error occurred: no such disk',
      });
    }
  });
});

describe('what another server of the log may serve', () => {
  const asked: string[] = [];
  const peers = {
    proxy: ({ info }: AuthenticatedRequest) => {
      asked.push(info.path);
      const isThere = info.apiGroup === 'new.example';
      return isThere ? Promise.resolve(answerOf(202)) : undefined;
    },
  };
  const answerOf = (code: number): Answer => ({
    ...{ kind: 'Document', code, headers: {}, body: Buffer.alloc(0) },
  });
  const services = { forPath: () => undefined } as never;
  const aggregation = { services, servers: undefined, peers };

  it.each([
    ['/apis/new.example/v1/things/a', 202, 1],
    ['/apis/newer.example/v1/things', 404, 1],
    ['/api/v1/nodes', undefined, 0],
    ['/api/v1/nodes/a/nonesuch', 404, 0],
    ['/apis/new.example/v1', 404, 0],
  ])('%s: %j, asked %i times', async (url, code, times) => {
    asked.length = 0;
    expect(await fork('GET', url, { aggregation })).toMatchObject({ code });
    expect(asked).toHaveLength(times);
  });
});
