/** What is read of a connection lies in memory that the next read of any connection writes over. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CODE } from './frames.ts';
import { data, GivenConnection, post, STREAMS_MAX } from './given-connection.fixture.ts';

const PIECES_MAX = 4;
/** Bodies of small and of large pieces, so few bytes that no window is full. */
const BODIES = fc.array(
  fc.array(fc.integer({ min: 0, max: 6_000 }), { minLength: 1, maxLength: PIECES_MAX }),
  { minLength: 1, maxLength: STREAMS_MAX },
);
const CUTS = fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1 });

/** No two pieces are alike. */
function piece(index: number, turn: number, bytes: number): Buffer {
  return Buffer.alloc(bytes, `${String(index)}.${String(turn)} `);
}

/** All bodies, piece by piece in turns. */
function sentOf(bodies: readonly (readonly number[])[]): Buffer {
  const frames = bodies.map((_, index) => post(2 * index + 1));
  for (let turn = 0; turn < PIECES_MAX; turn += 1) {
    for (const [index, sizes] of bodies.entries()) {
      const size = sizes[turn];
      if (size === undefined) continue;
      frames.push(data(2 * index + 1, piece(index, turn, size), turn === sizes.length - 1));
    }
  }
  return Buffer.concat(frames);
}

it('a body is as it was sent, read before it comes or behind it, however its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(BODIES, CUTS, fc.boolean(), async (bodies, cuts, isReadFirst) => {
      const reads: ReturnType<GivenConnection['requests'][number]['stream']['readBody']>[] = [];
      const given = new GivenConnection(({ stream }) => {
        if (isReadFirst) reads.push(stream.readBody(100_000));
      });
      await given.settled();
      const memory = Buffer.alloc(9_000);
      const sent = sentOf(bodies);
      for (let at = 0, cut = 0; at < sent.length; cut += 1) {
        const length = sent.copy(memory, 0, at, at + (cuts[cut % cuts.length] ?? 1));
        given.socket.emit('data', memory.subarray(0, length));
        memory.fill(0xff);
        at += length;
      }
      if (!isReadFirst) for (const { stream } of given.requests) reads.push(stream.readBody(1e5));
      const read = await Promise.all(reads.map(async (body) => body));
      const wrong = bodies.findIndex((sizes, index) => {
        const body = read[index];
        const pieces = sizes.map((size, turn) => piece(index, turn, size));
        return body?.kind !== 'whole' || !body.bytes.equals(Buffer.concat(pieces));
      });
      expect(wrong).toBe(-1);
      given.connection.fail(CODE.noError, '');
    }),
  );
});
