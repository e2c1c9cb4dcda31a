import { expect, it } from 'vitest';
import { givenRouted, testClock, testFaults, sendThrough } from '../request/given.fixture.ts';
import { latencyTrackers } from './latency-trackers.ts';

it('tells the meters of the beginning at once and of the end when it comes', () => {
  const clock = testClock();
  const told: unknown[] = [];
  const metrics = {
    begun: (request: unknown) => void told.push(['begun', request]),
    ended: (_request: unknown, outcome: unknown, ms: number) => void told.push([outcome, ms]),
  };
  const given = givenRouted();
  given.request.received(clock.now());
  sendThrough(given, (next) => latencyTrackers({ clock, metrics, faults: testFaults() }, next));
  expect(told).toEqual([['begun', given.request]]);

  clock.advance(25);
  given.request.finish({ code: 200, sizeBytes: 7 });
  expect(told.slice(1)).toEqual([[{ code: 200, sizeBytes: 7 }, 25]]);
});
