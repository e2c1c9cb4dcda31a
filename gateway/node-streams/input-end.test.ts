/** The end of a command's input, which waits until its node is quiet; everything else passes at once. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { InputEnd } from './input-end.ts';
import { dataHead, pingFrame, refusedStream, SpdyWriter } from './spdy-frames.ts';

const STDIN = 3;
const END = dataHead(STDIN, 0, true);
const OPENING = new SpdyWriter().synStream(STDIN, { streamtype: 'stdin' });

function data(bytes: number, isLast = false): Buffer {
  return Buffer.concat([dataHead(STDIN, bytes, isLast), Buffer.alloc(bytes, 1)]);
}

function given() {
  const clock = new ManualClock();
  const input = new InputEnd(clock);
  const passed: Buffer[] = [];
  input.on('data', (chunk: Buffer) => passed.push(chunk));
  return { clock, input, bytes: () => Buffer.concat(passed) };
}

it('an end waits until the node has said nothing for 50 ms', () => {
  const { clock, input, bytes } = given();
  input.write(Buffer.concat([OPENING, END]));
  expect(bytes()).toEqual(OPENING);
  for (let nth = 0; nth < 5; nth += 1) {
    clock.advance(49);
    input.heard();
  }
  clock.advance(49);
  expect(bytes()).toEqual(OPENING);
  clock.advance(1);
  expect(bytes()).toEqual(Buffer.concat([OPENING, END]));
  expect(clock.waiting).toBe(0);
});

it('an end waits for a second at most, while the node talks on', () => {
  const { clock, input, bytes } = given();
  input.write(END);
  for (let ms = 0; ms < 999; ms += 1) {
    clock.advance(1);
    input.heard();
  }
  expect(bytes()).toHaveLength(0);
  clock.advance(1);
  expect(bytes()).toEqual(END);
});

it.each([
  ['a ping', pingFrame(1)],
  ['a reset', refusedStream(STDIN)],
  ['data', data(5)],
])('an end waits no longer when %s is said behind it', (_what, next) => {
  const { clock, input, bytes } = given();
  input.write(END);
  input.write(next);
  expect(bytes()).toEqual(Buffer.concat([END, next]));
  expect(clock.waiting).toBe(0);
});

it.each([
  ['data', data(5)],
  ['data that is the last', data(5, true)],
  ['data whose bytes are those of an end', Buffer.concat([dataHead(STDIN, 8, false), END])],
  ['nothing, and no end', dataHead(STDIN, 0, false)],
  ['a ping', pingFrame(3)],
])('%s passes at once', (_what, frame) => {
  const { clock, input, bytes } = given();
  input.write(frame);
  expect(bytes()).toEqual(frame);
  expect(clock.waiting).toBe(0);
});

it('an end leaves where the client ends, and is dropped where the node is gone', async () => {
  const ended = given();
  ended.input.end(END);
  await ended.input.toArray();
  expect(ended.bytes()).toEqual(END);
  const gone = given();
  gone.input.write(END);
  gone.input.destroy();
  expect([ended.clock.waiting, gone.clock.waiting]).toEqual([0, 0]);
});

it('passes on all bytes in their order, however they are cut', () => {
  const frame = fc.oneof(
    fc.constant(END),
    fc.integer({ min: 0, max: 40 }).map((bytes) => data(bytes)),
    fc.constant(pingFrame(5)),
    fc.constant(OPENING),
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(frame), cuts, (frames, sizes) => {
      const all = Buffer.concat(frames);
      const { clock, input, bytes } = given();
      for (let at = 0, nth = 0; at < all.length; nth += 1) {
        const size = sizes[nth % sizes.length] ?? 1;
        // A copy of each, as each read of a socket has memory of its own.
        input.write(Buffer.from(all.subarray(at, at + size)));
        at += size;
        // What waits is an end of a stream, whole.
        const waits = Math.min(at, all.length) - bytes().length;
        expect([0, END.length]).toContain(waits);
      }
      clock.advance(50);
      expect(bytes()).toEqual(all);
    }),
  );
});
