import { expect, it } from 'vitest';
import { givenRouted, testClock } from '../../actors/request/given.fixture.ts';
import { SlowClients, type WatchedExchange } from './slow-clients.ts';

const TAKE_MS = 60_000;
const FOREVER = Number.POSITIVE_INFINITY;

function given() {
  const clock = testClock();
  const aborted: string[] = [];
  const told: number[] = [];
  const clients = new SlowClients({
    clock,
    takeMs: TAKE_MS,
    aborted: ({ deadline }) => told.push(deadline),
  });
  /** As a request that has just come. */
  const open = (
    name: string,
    { deadline = FOREVER, ...more }: Partial<WatchedExchange> & { deadline?: number } = {},
  ) => {
    const exchange = {
      isEnded: false,
      isBehindOthers: false,
      abort: () => void aborted.push(name),
      ...more,
    };
    const { request } = givenRouted({ url: '/api/v1/pods' });
    request.until(deadline);
    return { exchange, closed: clients.watch(exchange, request) };
  };
  return { clock, aborted, told, open };
}

it('lets go of what is not taken two seconds after its deadline', () => {
  const { clock, aborted, told, open } = given();
  const deadline = clock.now() + 5_000;
  open('slow', { deadline });
  open('fast', { deadline: clock.now() + 5_000 }).closed();
  clock.advance(7_000);
  expect(aborted).toEqual([]);
  clock.advance(1_000);
  expect(aborted).toEqual(['slow']);
  expect(told).toEqual([deadline]);
});

it('leaves watches alone as long as they are open', () => {
  const { clock, aborted, open } = given();
  const { exchange } = open('watch');
  clock.advance(10 * TAKE_MS);
  expect(aborted).toEqual([]);
  exchange.isEnded = true;
  clock.advance(TAKE_MS);
  expect(aborted).toEqual([]);
  clock.advance(2_000);
  expect(aborted).toEqual(['watch']);
});

it('does not count the time that an answer waits for others on its connection', () => {
  const { clock, aborted, open } = given();
  const { exchange } = open('second', {
    deadline: clock.now() + 1_000,
    isEnded: true,
    isBehindOthers: true,
  });
  clock.advance(5 * TAKE_MS);
  expect(aborted).toEqual([]);
  exchange.isBehindOthers = false;
  clock.advance(1_000);
  expect(aborted).toEqual(['second']);
});

it('looks at all of them by one timer, and has none when nothing is open', () => {
  const { clock, open } = given();
  const ends = ['a', 'b', 'c'].map((name) => open(name).closed);
  expect(clock.waiting).toBe(1);
  clock.advance(3_000);
  expect(clock.waiting).toBe(1);
  for (const end of ends) end();
  clock.advance(1_000);
  expect(clock.waiting).toBe(0);
});
