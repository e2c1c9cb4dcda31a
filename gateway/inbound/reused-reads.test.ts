/** TLS connections that are read into one buffer, by whichever release of Node runs this. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tlsPairs } from '../listener/tls/given-tls-pair.fixture.ts';
import { GatheredWrites } from '../node-streams/gathered-writes.ts';
import { readBytes, readReused, RECORD_BYTES } from './reused-reads.ts';

const given = tlsPairs();
const LONG = randomBytes(4 * 1_024 * 1_024 + 5);

it('all that came is there when the connection ends, each record in the same memory', async () => {
  const { far, near } = await given();
  const parts: Buffer[] = [];
  const memories = new Set<ArrayBufferLike>();
  const isReused = readReused(near, (bytes) => {
    parts.push(Buffer.from(bytes));
    memories.add(bytes.buffer);
  });
  near.resume();
  far.end(LONG);
  await once(near, 'end');
  expect([isReused, memories.size]).toEqual([true, 1]);
  expect(Math.max(...parts.map(({ length }) => length))).toBe(RECORD_BYTES);
  expect(Buffer.concat(parts).equals(LONG)).toBe(true);
  near.end();
  await once(near, 'close');
});

it('a connection that pauses is given what was under way, and nothing more until it goes on', async () => {
  const { far, near } = await given();
  let came = 0;
  readBytes(near, ({ length }) => {
    came += length;
    near.pause();
  });
  near.resume();
  far.end(LONG);
  await expect.poll(() => came).toBeGreaterThan(0);
  const paused = came;
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(came).toBe(paused);
  const ended = once(near, 'end');
  while (came < LONG.length) {
    near.resume();
    await nextTurn();
  }
  near.resume();
  await ended;
  expect(came).toBe(LONG.length);
  near.destroy();
});

it('what was read before comes first', async () => {
  const { far, near } = await given();
  const parts: string[] = [];
  near.pause();
  near.unshift(Buffer.from('a'));
  readBytes(near, (bytes) => parts.push(bytes.toString()));
  near.resume();
  far.end('b');
  await once(near, 'end');
  expect(parts.join('')).toBe('ab');
  near.destroy();
});

it('another stream, and a connection that is gone, are read by their events', async () => {
  const { near } = await given();
  const parts: string[] = [];
  const other = new PassThrough();
  const take = (bytes: Buffer): void => void parts.push(bytes.toString());
  readBytes(other, take);
  other.end('a');
  await once(other, 'end');
  near.destroy();
  expect([readReused(other, take), readReused(near, take)]).toEqual([false, false]);
  expect(parts).toEqual(['a']);
});

it('what is passed on from memory that is used again arrives as it was, however slow the other end is', async () => {
  const [first, second] = [await given(), await given()];
  const out = new GatheredWrites(second.near);
  const parts: Buffer[] = [];
  readBytes(first.near, (bytes) => {
    if (!out.write(bytes)) first.near.pause();
  });
  second.near.on('drain', () => first.near.resume());
  first.near.once('end', () => {
    out.flush();
    second.near.end();
  });
  first.near.resume();
  first.far.end(LONG);
  second.far.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    second.far.pause();
    setImmediate(() => second.far.resume());
  });
  await once(second.far, 'end');
  expect(Buffer.concat(parts).equals(LONG)).toBe(true);
  for (const end of [first.near, first.far, second.near, second.far]) end.destroy();
});
