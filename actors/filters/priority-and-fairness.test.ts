import { describe, expect, it } from 'vitest';
import { givenViews } from '../../projections/given.fixture.ts';
import { type Ref, startActor } from '../request/actor.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import { codeOf, givenAuthenticated, messageOf, testFaults } from '../request/given.fixture.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { priorityAndFairness } from './priority-and-fairness.ts';

const JANE = { name: 'jane', groups: ['system:authenticated'] };
const LIMITS = { maxRequestsInFlight: 400, maxMutatingRequestsInFlight: 200 };
const ENDED = { code: 200, sizeBytes: 0 };

/** The mandatory levels alone: catch-all has all the seats, and no queue. */
async function given(serverSeats: number) {
  const { followed, objects, clock } = await givenViews();
  const turns: (() => void)[] = [];
  let ms = 0;
  const thread = { now: () => ms, nextTurn: (callback: () => void) => void turns.push(callback) };
  const parts = { followed, objects, clock, serverSeats, requestTimeoutMs: 60_000, thread };
  const flowControl = new FlowControl(parts);
  const passedOn: AuthenticatedRequest[] = [];
  const next: Ref<AuthenticatedRequest> = { send: (request) => void passedOn.push(request) };
  const filter = startActor(
    priorityAndFairness({ flowControl, limits: LIMITS, faults: testFaults() }, next),
  );
  function send(url: string, user = JANE) {
    const one = givenAuthenticated({ url }, user);
    filter.send(one.request);
    return one;
  }
  return {
    send,
    passedOn,
    flowControl,
    /** The thread is busy for so long. */
    work: (tookMs: number) => void (ms += tookMs),
    nextTurn: () => {
      turns.splice(0).forEach((turn) => {
        turn();
      });
    },
  };
}

describe('priority and fairness', () => {
  it('turns away a request that finds no seat, as kube-apiserver says it', async () => {
    const { send, passedOn } = await given(1);
    const first = send('/api/v1/namespaces/a');
    const second = send('/api/v1/namespaces/b');

    expect(passedOn).toEqual([first.request]);
    const [answer] = second.answers;
    expect(codeOf(answer)).toBe(429);
    expect(messageOf(answer)).toBe('Too many requests, please try again later.\n');
    expect(second.request.responseHeaders).toMatchObject({
      'Retry-After': '1',
      'X-Kubernetes-Pf-Flowschema-Uid': '',
      'X-Kubernetes-Pf-Prioritylevel-Uid': '',
    });
  });

  it('has the seat back when the last byte has gone', async () => {
    const { send, passedOn } = await given(1);
    const first = send('/api/v1/namespaces/a');
    first.request.finish(ENDED);
    const second = send('/api/v1/namespaces/b');

    expect(passedOn).toEqual([first.request, second.request]);
  });

  it('has the seat of a watch back when it has sent what it begins with', async () => {
    const { send, flowControl } = await given(1);
    const watch = send('/api/v1/pods?watch=1');
    expect(codeOf(send('/api/v1/namespaces/a').answers[0])).toBe(429);
    watch.request.initialized();

    expect(send('/api/v1/namespaces/a').answers).toEqual([]);
    const { info } = givenAuthenticated({
      method: 'POST',
      url: '/api/v1/namespaces/a/pods',
    }).request;
    expect(flowControl.watches.of(info)).toBe(1);
    watch.request.finish(ENDED);
    expect(flowControl.watches.of(info)).toBe(0);
  });

  it('wants no seat of other long-running requests, nor of system:masters', async () => {
    const { send, passedOn } = await given(1);
    send('/api/v1/namespaces/a');
    send('/api/v1/namespaces/a/pods/b/log?follow=1');
    send('/api/v1/namespaces/a', { name: 'root', groups: ['system:masters'] });

    expect(passedOn).toHaveLength(3);
  });

  it('lets others in first when one has filled a turn of the event loop', async () => {
    const { send, passedOn, work, nextTurn } = await given(600);
    const first = send('/api/v1/namespaces/a');
    work(5);
    const second = send('/api/v1/namespaces/b');
    const gone = send('/api/v1/namespaces/c');
    gone.request.finish(ENDED);
    const exempt = send('/api/v1/namespaces/a', { name: 'root', groups: ['system:masters'] });
    expect(passedOn).toEqual([first.request, exempt.request]);

    nextTurn();
    expect(passedOn).toEqual([first.request, exempt.request, second.request]);
    expect(send('/api/v1/namespaces/d').request).toBe(passedOn.at(-1));
  });
});
