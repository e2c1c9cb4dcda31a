import { describe, expect, it } from 'vitest';

import { codeOf, messageOf } from './given.fixture.ts';
import { loopbackTo } from './loopback.ts';
import { configMap, givenControlPlane } from './registry/given-registry.fixture.ts';
import { statusAnswer, type AuthenticatedRequest, type BodyRead } from './request.ts';
import { badRequest } from '../api/meta/status.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('the server speaking to itself', () => {
  it('reads and writes as everybody does', async () => {
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
          request.readBody(1, (body) => bodies.push(body));
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

  it('leaves its name in the log', async () => {
    const { loopback, log, applied } = await givenControlPlane();
    await loopback({ method: 'POST', path: MAPS, body: configMap('a') });
    expect(log.at(applied.current)).toMatchObject({ user: 'system:apiserver', verb: 'create' });
  });
});
