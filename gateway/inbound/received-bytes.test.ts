/** Bytes that are received piece by piece, and read together. */
import { expect, it } from 'vitest';
import { ReceivedBytes } from './received-bytes.ts';

function received(...pieces: readonly Buffer[]): ReceivedBytes {
  const bytes = new ReceivedBytes();
  for (const piece of pieces) bytes.add(piece);
  return bytes;
}

it('gives all pieces in their order, once', () => {
  const pieces = [3_000, 10, 20, 5_000, 1, 2_047, 17_000, 30].map((size, at) =>
    Buffer.alloc(size, at + 1),
  );
  const bytes = received(...pieces);
  const whole = Buffer.concat(pieces);
  expect(bytes.size).toBe(whole.length);
  expect(bytes.take().equals(whole)).toBe(true);
  expect([bytes.size, bytes.take().length]).toEqual([0, 0]);
});

it('gives one piece where it lies, whatever empty pieces stand around it', () => {
  const piece = Buffer.from('body');
  const empty = Buffer.alloc(0);
  expect(received(empty, piece, empty).take()).toBe(piece);
  expect(received(empty).take()).toHaveLength(0);
});
