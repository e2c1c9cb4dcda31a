/**
 * Servers that say anything: frames of all types that are right, wrong and broken in the middle, in any order. Each request
 * is over once, an answer that looks whole was whole, and no more of it is kept than its window.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FLAG, FRAME } from '../frames.ts';
import { block, data, frame, number32 } from '../given-connection.fixture.ts';
import { answer, type Asked, GivenServer, WINDOW_BYTES } from './given-server.fixture.ts';

const REQUESTS = 3;

const open = fc.constantFrom(1, 3, 5);
const streams = fc.oneof({ arbitrary: open, weight: 9 }, fc.constantFrom(0, 2, 7));
const fields = fc.array(
  fc.constantFrom(
    ...([
      [':status', '200'],
      [':status', '100'],
      [':status', '204'],
      ['content-length', '3'],
      ['content-length', '0'],
      ['a', 'b'],
      ['connection', 'close'],
    ] as const),
  ),
  { maxLength: 3 },
);
const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array));
const right = fc.oneof(
  fc.tuple(open, fc.boolean()).map(([stream, isEnd]) => answer(stream, isEnd)),
  fc.tuple(open, fc.boolean(), bytes).map(([stream, isEnd, body]) => data(stream, body, isEnd)),
);
const wrong = fc.oneof(
  fc.tuple(streams, fc.boolean(), fields).map(([stream, isEnd, all]) => answer(stream, isEnd, all)),
  fc.tuple(streams, fc.boolean(), bytes).map(([stream, isEnd, body]) => data(stream, body, isEnd)),
  fc
    .tuple(streams, fc.nat(13))
    .map(([stream, code]) => frame(FRAME.rstStream, stream, number32(code))),
  fc
    .tuple(streams, fc.constantFrom(0, 1, 2 ** 31 - 1))
    .map(([stream, more]) => frame(FRAME.windowUpdate, stream, number32(more))),
  fc
    .tuple(streams, fc.nat(2))
    .map(([last, code]) => frame(FRAME.goAway, 0, Buffer.concat([number32(last), number32(code)]))),
  streams.map((stream) => frame(FRAME.headers, stream, block([[':status', '200']]), 0)),
  streams.map((stream) => frame(FRAME.continuation, stream, Buffer.alloc(0), FLAG.endHeaders)),
  fc
    .tuple(fc.nat(12), fc.nat(255), streams, bytes)
    .map(([type, flags, stream, payload]) => frame(type, stream, payload, flags)),
  bytes,
);

const frames = fc.oneof({ arbitrary: right, weight: 5 }, wrong);

function judged(one: Asked): void {
  const { stream } = one;
  expect(one.overs).toBe(1);
  expect(stream.closed).toBe(true);
  expect(stream.isReceived).toBe(stream.error === undefined);
  expect(stream.unreadBytes).toBeLessThanOrEqual(WINDOW_BYTES);
  if (stream.isReceived) expect(stream.code).toBeGreaterThanOrEqual(200);
}

it('leave no request without an end, and none with two', async () => {
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(frames, { maxLength: 12 }), async (said) => {
      const given = await new GivenServer().ready();
      const asked: Asked[] = [];
      for (let nth = 0; nth < REQUESTS; nth += 1) asked.push(await given.asked());
      given.send(...said);
      await new Promise(setImmediate);
      given.wire.end();
      await given.over();
      for (const one of asked) judged(one);
      whole += asked.filter(({ stream }) => stream.isReceived).length;
      expect(given.connection.size).toBe(0);
      given.clock.advance(60_000);
    }),
    { numRuns: 400 },
  );
  // They do not only say what is wrong.
  expect(whole).toBeGreaterThan(10);
});
