import { describe, expect, it } from 'vitest';

import { givenAudit } from '../audit/given-audit.fixture.ts';
import { codeOf, messageOf } from '../request/given.fixture.ts';
import { loopbackTo } from './loopback.ts';
import { configMap, givenControlPlane } from '../registry/given-registry.fixture.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest, BodyRead } from '../request/request.ts';
import { badRequest } from '../../api/meta/status.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('the server speaking to itself', () => {
  it('reads and writes as every client does', async () => {
    const { loopback, get } = await givenControlPlane();
    const made = await loopback({ method: 'POST', path: MAPS, body: configMap('a', { k: '1' }) });
    expect(codeOf(made)).toBe(201);
    const changed = configMap('a', { k: '2' });
    expect(codeOf(await loopback({ method: 'PUT', path: `${MAPS}/a`, body: changed }))).toBe(200);
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ k: '2' });
    expect(codeOf(await loopback({ method: 'DELETE', path: `${MAPS}/a` }))).toBe(200);
    const gone = await loopback({ method: 'GET', path: `${MAPS}/a` });
    expect([codeOf(gone), messageOf(gone)]).toEqual([404, 'configmaps "a" not found']);
  });

  it('is the user that upstream uses for it, and has a minute', async () => {
    const seen: AuthenticatedRequest[] = [];
    const bodies: BodyRead[] = [];
    const loopback = loopbackTo(
      {
        send(request) {
          seen.push(request);
          const body = request.readBody(1);
          if (!(body instanceof Promise)) bodies.push(body);
          request.reply(statusAnswer(badRequest('no')));
          request.reply(statusAnswer(badRequest('twice')));
        },
      },
      () => 5_000,
    );
    const answer = await loopback({ method: 'POST', path: '/api/v1/nodes', body: { a: 1 } });
    expect(messageOf(answer)).toBe('no');
    expect(seen[0]).toMatchObject({
      deadline: 65_000,
      user: { name: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] },
      info: { verb: 'create', resource: 'nodes' },
    });
    expect(bodies).toEqual([{ ok: true, bytes: Buffer.from('{"a":1}') }]);
  });

  it('stands below the place of its control plane', async () => {
    const seen: AuthenticatedRequest[] = [];
    const dispatch = {
      send(request: AuthenticatedRequest) {
        seen.push(request);
        request.reply(statusAnswer(badRequest('no')));
      },
    };
    const loopback = loopbackTo(dispatch, () => 5_000, undefined, '/forks/try');
    await loopback({ method: 'GET', path: '/api/v1/nodes/a' });
    expect(seen[0]).toMatchObject({
      path: '/forks/try/api/v1/nodes/a',
      info: { fork: 'try', path: '/api/v1/nodes/a', resource: 'nodes', name: 'a' },
    });
  });

  it('applies for a manager, whichever manager has what it applies', async () => {
    const { loopback, get, put } = await givenControlPlane();
    await loopback({ method: 'POST', path: MAPS, body: configMap('a', { k: '1' }) });
    await put(`${MAPS}/a`, configMap('a', { k: '2' }));
    const body = configMap('a', { k: '3' });
    const applied = await loopback({
      ...{ method: 'PATCH', path: `${MAPS}/a`, body },
      appliedBy: 'some one',
    });
    expect(codeOf(applied)).toBe(200);
    const { data, metadata } = (await get(`${MAPS}/a`)).object;
    expect(data).toEqual({ k: '3' });
    expect(metadata['managedFields']).toContainEqual(
      expect.objectContaining({ manager: 'some one', operation: 'Apply' }),
    );
  });

  it('is written down as what clients ask is, and goes on when that is done', async () => {
    const { audit, events } = givenAudit({ rules: [{ level: 'Request' }] });
    const asked: string[] = [];
    let keep: (isKept: boolean) => void = () => undefined;
    const kept = new Promise<boolean>((resolve) => (keep = resolve));
    const begin = (request: AuthenticatedRequest) => {
      void audit.begin(request);
      return kept;
    };
    const sent: AuthenticatedRequest[] = [];
    const dispatch = {
      send(request: AuthenticatedRequest) {
        sent.push(request);
        request.record?.requested({ kind: 'Node' });
        request.reply(statusAnswer(badRequest('no')));
      },
    };
    const loopback = loopbackTo(dispatch, () => 5_000, {
      audit: { begin },
      random: { uuid: () => 'an-id' },
      asked: ({ resource }) => asked.push(resource),
    });
    const answer = loopback({ method: 'POST', path: '/api/v1/nodes', body: { a: 1 } });
    expect([asked, sent]).toEqual([['nodes'], []]);
    keep(false);
    expect(messageOf(await answer)).toBe('no');
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(events[1]).toMatchObject({
      auditID: 'an-id',
      verb: 'create',
      user: { username: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] },
      sourceIPs: ['::1'],
      userAgent: 'kube-apiserver',
      objectRef: { resource: 'nodes' },
      requestObject: { kind: 'Node' },
      responseStatus: { code: 400 },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
  });

  it('leaves its name in the log', async () => {
    const { loopback, log, applied } = await givenControlPlane();
    await loopback({ method: 'POST', path: MAPS, body: configMap('a') });
    expect(log.at(applied.current)).toMatchObject({ user: 'system:apiserver', verb: 'create' });
  });
});
