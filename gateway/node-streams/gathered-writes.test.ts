/** What is for a node leaves together, what is for a client message by message; a slow end is told of. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GatheredWrites, writeMessage } from './gathered-writes.ts';

/** Notes what leaves, and takes it when it is let. */
function slowEnd() {
  const left: string[][] = [];
  const takes: (() => void)[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      left.push([chunk.toString()]);
      takes.push(done);
    },
    writev(chunks: { chunk: Buffer }[], done) {
      left.push(chunks.map(({ chunk }) => chunk.toString()));
      takes.push(done);
    },
  });
  return { to, left, take: () => takes.shift()?.() };
}

it('what is written in one turn leaves together, in its order', async () => {
  const { to, left, take } = slowEnd();
  const out = new GatheredWrites(to);
  out.write(Buffer.from('a'), Buffer.from('b'));
  out.write(Buffer.from('c'));
  expect(left).toEqual([]);
  await nextTurn();
  take();
  out.write(Buffer.from('d'));
  await nextTurn();
  take();
  expect(left).toEqual([['abc'], ['d']]);
});

it('a slow end is told of before much waits for it, and again when it takes more', async () => {
  const { to, take } = slowEnd();
  const out = new GatheredWrites(to);
  const chunk = Buffer.alloc(16 * 1024);
  let count = 0;
  while (out.write(chunk)) count += 1;
  expect(count).toBeLessThan(32);
  await nextTurn();
  const drained = once(to, 'drain');
  // Where it is no connection of TLS what leaves together leaves in some pieces.
  take();
  await nextTurn();
  take();
  await drained;
  expect(out.write(chunk)).toBe(true);
});

it('messages leave one by one, each whole', () => {
  const left: string[][] = [];
  const to = new Writable({
    writev(chunks: { chunk: Buffer }[], done) {
      left.push(chunks.map(({ chunk }) => chunk.toString()));
      done();
    },
  });
  writeMessage(to, Buffer.from('a'), Buffer.from('b'));
  expect(writeMessage(to, Buffer.from('c'), Buffer.from('d'))).toBe(true);
  expect(left).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

it('an end that is gone, or is told that nothing follows, breaks nothing', async () => {
  const { to, left } = slowEnd();
  const out = new GatheredWrites(to);
  out.write(Buffer.from('a'));
  out.flush();
  to.end();
  expect(left).toEqual([['a']]);
  await nextTurn();
  const other = slowEnd();
  const gone = new GatheredWrites(other.to);
  gone.write(Buffer.from('a'));
  other.to.destroy();
  await nextTurn();
  expect(other.left).toEqual([]);
});
