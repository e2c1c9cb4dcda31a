import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ByteSource } from '../responses/exchange.ts';
import { Output } from './output.ts';

/** A socket that is done with what it was given when the test says so. */
class SlowSocket extends Writable {
  readonly waiting: { readonly bytes: Buffer; readonly done: () => void }[] = [];
  #number = 0;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override write(bytes: Buffer, done: unknown): boolean {
    if (typeof done === 'function') this.waiting.push({ bytes, done: done as () => void });
    return false;
  }

  /** @returns the first of its bytes, as they are at this moment. */
  finish(): Buffer | undefined {
    const first = this.waiting.shift();
    const bytes = first === undefined ? undefined : Buffer.from(first.bytes);
    first?.done();
    return bytes;
  }

  /** Other bytes than any before. */
  payload(length: number): Buffer {
    this.#number += 1;
    return Buffer.alloc(length, this.#number);
  }
}

function sourceOf(bytes: Buffer): Pick<ByteSource, 'moveTo'> {
  return {
    moveTo: (target, at) => {
      bytes.copy(target, at);
    },
  };
}

const lengths = fc.array(fc.integer({ min: 1, max: 16_384 }), { minLength: 1, maxLength: 6 });

describe('bytes of connections that share their slabs', () => {
  test('are those that were made until the socket is done with them, in whatever order sockets are', () => {
    const steps = fc.array(
      fc.record({ socket: fc.nat(3), frames: lengths, finished: fc.array(fc.nat(3)) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(steps, (given) => {
        const sockets = [0, 1, 2, 3].map(() => ({
          socket: new SlowSocket(),
          output: new Output(),
          expected: [] as Buffer[],
        }));
        const finish = (n: number): void => {
          const { socket, expected } = sockets[n % 4] as (typeof sockets)[number];
          const bytes = socket.finish();
          if (bytes !== undefined) expect(bytes.equals(expected.shift() as Buffer)).toBe(true);
        };
        for (const { socket: n, frames, finished } of given) {
          const { socket, output, expected } = sockets[n] as (typeof sockets)[number];
          output.begin();
          const made: Buffer[] = [];
          for (const length of frames) {
            const bytes = socket.payload(length);
            made.push(Buffer.from([length >> 16, (length >> 8) & 255, length & 255]));
            made.push(Buffer.from([0, 0, 0, 0, 0, 1]), bytes);
            output.data(1, length, false, sourceOf(bytes));
          }
          output.writeTo(socket);
          expected.push(Buffer.concat(made));
          for (const other of finished) finish(other);
        }
        for (const n of sockets.keys()) while (sockets[n]?.expected.length !== 0) finish(n);
      }),
    );
  });

  test('that are kept stay, whatever is made after them', () => {
    const socket = new SlowSocket();
    const output = new Output();
    output.begin();
    output.bytes(Buffer.from('the head'));
    const kept = output.copy();
    output.begin();
    output.bytes(Buffer.from('another one'));
    output.writeTo(socket);

    expect(kept.toString()).toBe('the head');
    expect(socket.finish()?.toString()).toBe('another one');
  });

  test('lie in one slab, however many they are, where the socket is done with each write in turn', () => {
    const socket = new SlowSocket();
    const output = new Output();
    const memory = new Set<ArrayBufferLike>();
    const source = sourceOf(Buffer.alloc(16_384));
    for (let n = 0; n < 300; n += 1) {
      output.begin();
      for (let frame = 0; frame < 4; frame += 1) output.data(1, 16_384, false, source);
      output.writeTo(socket);
      memory.add(socket.waiting[0]?.bytes.buffer as ArrayBufferLike);
      socket.finish();
    }

    expect(memory.size).toBeLessThanOrEqual(2);
  });
});
