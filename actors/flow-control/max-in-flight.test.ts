import { describe, expect, it } from 'vitest';
import { type Ref, startActor } from '../request/actor.ts';
import { codeOf, givenAuthenticated, testFaults } from '../request/given.fixture.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { maxInFlight } from './max-in-flight.ts';

const ENDED = { code: 200, sizeBytes: 0 };

describe('max in flight', () => {
  function givenLimits(readsMax: number, writesMax: number) {
    const passedOn: AuthenticatedRequest[] = [];
    const next: Ref<AuthenticatedRequest> = { send: (request) => void passedOn.push(request) };
    const filter = startActor(maxInFlight({ readsMax, writesMax, faults: testFaults() }, next));
    function send(method: string, groups: string[] = [], url = '/api/v1/namespaces/a') {
      const one = givenAuthenticated({ method, url }, { groups });
      filter.send(one.request);
      return { ...one, code: codeOf(one.answers[0]) };
    }
    return { send, passedOn };
  }

  it('counts reads and writes each for themselves', () => {
    const { send } = givenLimits(1, 1);
    const read = send('GET');
    expect([read.code, send('PUT').code]).toEqual([undefined, undefined]);
    const refused = [send('GET'), send('DELETE')];
    expect(refused.map(({ code }) => code)).toEqual([429, 429]);
    expect(refused[0]?.request.responseHeaders['Retry-After']).toBe('1');

    read.request.finish(ENDED);
    expect(send('GET').code).toBeUndefined();
  });

  it('counts no watches, and always lets system:masters in', () => {
    const { send, passedOn } = givenLimits(1, 0);
    send('GET');
    send('GET', [], '/api/v1/pods?watch=1');
    send('GET', ['system:masters']);
    for (let at = 0; at < 5; at += 1) send('PUT');

    expect(passedOn).toHaveLength(8);
  });
});
