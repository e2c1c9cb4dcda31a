/** What clients take, and what they are held to where they send. */
import { describe, expect, it } from 'vitest';
import { until } from '../../tools/until.fixture.ts';
import { CODE, FRAME } from './frames.ts';
import { data, frame, get, GivenConnection, number32, post } from './given-connection.fixture.ts';

describe('windows', () => {
  it('of a stream and of the connection hold back what is sent', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.head(200, {});
      stream.end(Buffer.alloc(100_000, 'x'));
    });
    given.send(frame(FRAME.settings, 0, Buffer.concat([Buffer.from([0, 4]), number32(10)])));
    given.send(get(1), get(3));
    await given.settled();
    expect(given.answer(1).body).toHaveLength(10);
    given.send(frame(FRAME.windowUpdate, 1, number32(200_000)));
    await given.settled();
    // 65,535 are what a connection has at first, ten of which went to the other stream.
    expect(given.answer(1).body).toHaveLength(65_525);
    given.send(frame(FRAME.windowUpdate, 0, number32(200_000)));
    await until(() => given.answer(1).isEnded);
    given.send(frame(FRAME.windowUpdate, 3, number32(200_000)));
    await until(() => given.answer(3).isEnded);
    expect(given.answer(3).body).toHaveLength(100_000);
  });

  it('that get negative by a setting open again', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.head(200, {});
      stream.end(Buffer.alloc(100, 'x'));
    });
    const setTo = (bytes: number): Buffer =>
      frame(FRAME.settings, 0, Buffer.concat([Buffer.from([0, 4]), number32(bytes)]));
    given.send(setTo(50), get(1));
    await given.settled();
    given.send(setTo(0));
    await given.settled();
    given.send(setTo(60));
    await given.settled();
    expect(given.answer(1).body).toHaveLength(60);
    given.send(setTo(1_000));
    await until(() => given.answer(1).isEnded);
  });

  it('make a writer wait, and tell it when there is room', async () => {
    const given = new GivenConnection();
    given.send(get(1));
    await given.settled();
    const stream = given.requests[0]?.stream;
    let drained = 0;
    stream?.onDrain(() => (drained += 1));
    stream?.head(200, {});
    expect(stream?.write(Buffer.alloc(10))).toBe(true);
    expect(stream?.write(Buffer.alloc(80_000))).toBe(false);
    await given.settled();
    expect(drained).toBe(0);
    given.send(frame(FRAME.windowUpdate, 1, number32(90_000)));
    given.send(frame(FRAME.windowUpdate, 0, number32(90_000)));
    await until(() => drained === 1);
    expect(given.answer(1).body).toHaveLength(80_010);
  });

  it('let a body be made where it is sent from, as far as the client takes it, and no further once it has gone', async () => {
    const given = new GivenConnection();
    given.send(get(1), get(3));
    await given.settled();
    const moved = [0, 0];
    const source = (n: number) => ({
      sizeBytes: 200_000,
      moveTo: (target: Buffer, at: number, bytes: number) => {
        for (let i = 0; i < bytes; i += 1) target[at + i] = 32 + (((moved[n] ?? 0) + i) % 89);
        moved[n] = (moved[n] ?? 0) + bytes;
      },
    });
    for (const [n, { stream }] of given.requests.entries()) {
      stream.head(200, {});
      stream.endFrom(source(n));
    }
    await given.settled();
    expect((moved[0] ?? 0) + (moved[1] ?? 0)).toBe(65_535);
    given.send(frame(FRAME.rstStream, 3, number32(CODE.cancel)));
    given.send(frame(FRAME.windowUpdate, 0, number32(400_000)));
    given.send(frame(FRAME.windowUpdate, 1, number32(200_000)));
    await until(() => given.answer(1).isEnded);
    const expected = Buffer.from(Array.from({ length: 200_000 }, (_, i) => 32 + (i % 89)));
    expect(given.answer(1).body === expected.toString()).toBe(true);
    expect(moved[1]).toBeLessThan(65_536);
  });

  it('of bodies that are not read are kept to by the client', async () => {
    const given = new GivenConnection();
    given.send(post(1));
    for (let at = 0; at < 17; at += 1) given.send(data(1, Buffer.alloc(16_384)));
    await given.settled();
    expect(given.resets(1)).toEqual([CODE.flowControlError]);
    expect(given.isEnded).toBe(false);
  });

  it('of the connection open again for bodies that are never read', async () => {
    const given = new GivenConnection();
    for (let number = 1; number < 40; number += 2) {
      given.send(post(number));
      for (let at = 0; at < 8; at += 1) given.send(data(number, Buffer.alloc(16_384)));
      given.send(frame(FRAME.rstStream, number, number32(CODE.cancel)));
      await given.settled();
    }
    expect(given.isEnded).toBe(false);
    expect(given.of(FRAME.windowUpdate, 0).length).toBeGreaterThan(5);
  });
});
