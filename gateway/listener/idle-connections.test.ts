import { afterEach, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { closeAll, http2Session, listening, overHttp2, text } from './given-listener.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

afterEach(closeAll);

const IDLE_MS = 90_000;

it('closes a connection that nothing was asked on for a while, and none with a stream open', async () => {
  const clock = testClock();
  const held: (() => void)[] = [];
  const { listener } = await listening(
    (request) => {
      if (request.path === '/held') held.push(() => request.reply(text('late')));
      else request.reply(text('ok'));
    },
    undefined,
    clock,
  );
  const idle = http2Session(listener);
  const silent = http2Session(listener);
  const busy = http2Session(listener);
  await overHttp2(idle);
  const late = overHttp2(busy, { path: '/held' });
  await until(() => held.length === 1);
  await until(() => !silent.connecting);

  clock.advance(IDLE_MS - 1);
  expect([idle.closed, silent.closed, busy.closed]).toEqual([false, false, false]);
  clock.advance(IDLE_MS);
  await until(() => idle.closed && silent.closed);
  expect(busy.closed).toBe(false);
  held[0]?.();
  expect((await late).body).toBe('late');

  clock.advance(IDLE_MS * 2);
  await until(() => busy.closed && clock.waiting === 0);
});
