import { describe, expect, it } from 'vitest';
import { startActor } from '../request/actor.ts';
import { statusAnswer } from '../request/answer.ts';
import type { RoutedRequest } from '../request/request.ts';
import { success } from '../../api/meta/status.ts';
import { faultsTo } from '../request/faults.ts';
import { givenRouted, testClock, testFaults, testLogger } from '../request/given.fixture.ts';
import { SWEEP_MS, timeout } from './timeout.ts';

/** As kube-apiserver writes it. */
const TOO_LATE = {
  kind: 'Document',
  code: 504,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: Buffer.from(
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the ' +
      'allotted timeout","reason":"Timeout","details":{},"code":504}\n',
  ),
};

function givenFilter() {
  const clock = testClock();
  const passedOn: RoutedRequest[] = [];
  const filter = startActor(
    timeout({ clock, faults: testFaults() }, { send: (request) => void passedOn.push(request) }),
  );
  return { clock, filter, passedOn };
}

function givenRequest(deadline: number, url = '/api/v1/pods') {
  const given = givenRouted({ url });
  given.request.until(deadline);
  return given;
}

describe('timeout', () => {
  it('answers 504 when the deadline passes without an answer', () => {
    const { clock, filter, passedOn } = givenFilter();
    const { request, answers } = givenRequest(clock.now() + 500);
    filter.send(request);
    expect(passedOn).toEqual([request]);

    clock.advance(499);
    expect(answers).toEqual([]);
    clock.advance(SWEEP_MS);
    expect(answers).toEqual([TOO_LATE]);
  });

  it('answers 504 whatever comes after the deadline, before the next look', () => {
    const { clock, filter } = givenFilter();
    const { request, answers } = givenRequest(clock.now() + 5);
    filter.send(request);
    clock.advance(5);
    request.reply(statusAnswer(success()));
    expect(answers).toEqual([TOO_LATE]);
  });

  it('passes nothing on that is late when it comes', () => {
    const { clock, filter, passedOn } = givenFilter();
    const { request, answers } = givenRequest(clock.now());
    filter.send(request);
    expect([passedOn, answers]).toEqual([[], [TOO_LATE]]);
  });

  it('leaves alone what was answered in time, even if its bytes still flow', () => {
    const { clock, filter } = givenFilter();
    const { request, answers } = givenRequest(clock.now() + 500);
    filter.send(request);
    request.reply(statusAnswer(success()));
    clock.advance(10_000);
    expect(answers).toHaveLength(1);
  });

  it('never looks at long-running requests', () => {
    const { clock, filter, passedOn } = givenFilter();
    const { request, answers } = givenRequest(0, '/api/v1/pods?watch=1');
    filter.send(request);
    expect(passedOn).toEqual([request]);
    expect(clock.waiting).toBe(0);
    expect(answers).toEqual([]);
  });

  it('keeps one timer for all, and none when nothing is under way', () => {
    const { clock, filter } = givenFilter();
    const given = [1, 2, 3].map(() => givenRequest(clock.now() + 60_000));
    for (const { request } of given) filter.send(request);
    expect(clock.waiting).toBe(1);
    clock.advance(SWEEP_MS * 3);
    expect(clock.waiting).toBe(1);
    for (const { request } of given) request.finish({ code: 200, sizeBytes: 0 });
    clock.advance(SWEEP_MS);
    expect(clock.waiting).toBe(0);
  });

  it('answers the others where one connection throws', () => {
    const clock = testClock();
    const faults = faultsTo(testLogger());
    const filter = startActor(timeout({ clock, faults }, { send: () => undefined }));
    const broken = givenRequest(clock.now() + 1).request;
    Object.defineProperty(broken, 'reply', {
      value: () => {
        throw new Error('no door');
      },
    });
    const whole = givenRequest(clock.now() + 1);
    filter.send(broken);
    filter.send(whole.request);
    clock.advance(SWEEP_MS);
    expect(whole.answers).toHaveLength(1);
    expect(faults.count).toBe(1);
  });
});
