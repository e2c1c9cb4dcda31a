import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { writeStream } from './stream-writer.ts';
import { until } from '../../tools/until.fixture.ts';

const HEADERS = { 'Content-Type': 'application/json' };

/** Numbers as lines, as long as they are read; tells how many it made. */
function counting(upTo: number) {
  const made = { count: 0, ended: false, signal: undefined as AbortSignal | undefined };
  async function* chunks(signal: AbortSignal): AsyncGenerator<Buffer> {
    made.signal = signal;
    try {
      while (made.count < upTo) {
        await setImmediate();
        if (signal.aborted) return;
        made.count += 1;
        yield Buffer.from(`${String(made.count)}\n`);
      }
    } finally {
      made.ended = true;
    }
  }
  return { made, chunks };
}

async function settled(isSo: () => boolean): Promise<void> {
  await until(() => isSo());
}

describe('a stream', () => {
  it('is sent to its end', async () => {
    const exchange = new FakeExchange();
    const { request, outcomes } = asking();
    writeStream(exchange, request, { kind: 'Stream', headers: HEADERS, ...counting(3) });
    expect([exchange.code, exchange.headers['Content-Type']]).toEqual([200, 'application/json']);
    await settled(() => exchange.ended);
    expect(exchange.text).toBe('1\n2\n3\n');
    expect(outcomes).toEqual([{ code: 200, sizeBytes: 6 }]);
  });

  it('has the headers of its backend, whatever they are called, in the place of those of the server', () => {
    const exchange = new FakeExchange();
    const { request } = asking();
    request.responseHeaders['Cache-Control'] = 'no-cache';
    const named = [
      ['__proto__', ['a', 'b']],
      ['Cache-Control', 'private'],
      ['12', 'c'],
    ] as const;
    // As headersForClient makes it: names are the backend's.
    const headers = Object.create(null) as Record<string, string | string[]>;
    for (const [name, value] of named)
      headers[name] = typeof value === 'string' ? value : [...value];
    writeStream(exchange, request, {
      kind: 'Stream',
      headers,
      ...counting(0),
      whole: Buffer.alloc(1),
    });
    expect(Object.entries(exchange.headers)).toEqual(expect.arrayContaining([...named]));
    expect(Object.getPrototypeOf(exchange.headers)).toBeNull();
  });

  it('is not made faster than the client takes it', async () => {
    const exchange = new FakeExchange();
    exchange.isFull = true;
    const { made, chunks } = counting(3);
    writeStream(exchange, asking().request, { kind: 'Stream', headers: {}, chunks });
    await settled(() => exchange.text === '1\n');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(made.count).toBe(1);
    exchange.drain();
    await settled(() => exchange.ended);
    expect(exchange.text).toBe('1\n2\n3\n');
  });

  it.each([true, false])('ends when the client goes, full %s', async (isFull) => {
    const exchange = new FakeExchange();
    exchange.isFull = isFull;
    const { made, chunks } = counting(Infinity);
    const { request, outcomes } = asking();
    writeStream(exchange, request, { kind: 'Stream', headers: {}, chunks });
    await settled(() => made.count > 0);
    exchange.close();
    await settled(() => made.ended);
    expect(made.signal?.aborted).toBe(true);
    expect(outcomes).toHaveLength(1);
  });

  it('is broken off when it cannot be made', async () => {
    const exchange = new FakeExchange();
    async function* chunks(): AsyncGenerator<Buffer> {
      yield Buffer.from('1\n');
      await setImmediate();
      throw new Error('the log was cut');
    }
    writeStream(exchange, asking().request, { kind: 'Stream', headers: {}, chunks });
    await settled(() => exchange.aborted);
    expect(exchange.ended).toBe(false);
  });

  it('is broken off when the right to it is lost, which is asked for until it ends', async () => {
    const rights = { lost: (): void => undefined, isHeld: false };
    const held = (lost: () => void) => {
      Object.assign(rights, { lost, isHeld: true });
      return () => {
        rights.isHeld = false;
      };
    };
    const going = new FakeExchange();
    const { made, chunks } = counting(Infinity);
    writeStream(going, asking().request, { kind: 'Stream', headers: {}, chunks, held });
    await settled(() => made.count > 0);
    expect(rights.isHeld).toBe(true);
    rights.lost();
    expect([going.aborted, going.ended]).toEqual([true, false]);
    going.close();
    expect(rights.isHeld).toBe(false);
  });
});

/** The answer of a backend, of which the test says what comes. */
function passing() {
  const source = new PassThrough({ highWaterMark: 4 });
  const chunks = (): Readable => {
    throw new Error('a source is not asked for its chunks');
  };
  return {
    source,
    answer: { kind: 'Stream', headers: HEADERS, chunks, source: () => source } as const,
  };
}

describe('a stream of a backend', () => {
  it('is sent to its end, as it comes', async () => {
    const exchange = new FakeExchange();
    const { request, outcomes } = asking();
    const { source, answer } = passing();
    writeStream(exchange, request, { ...answer, code: 206 });
    expect(exchange.code).toBe(206);
    source.write('1\n');
    await settled(() => exchange.text === '1\n');
    source.end('2\n');
    await settled(() => exchange.ended);
    expect([exchange.text, exchange.aborted]).toEqual(['1\n2\n', false]);
    expect(outcomes).toEqual([{ code: 206, sizeBytes: 4 }]);
  });

  it('is not read faster than the client takes it', async () => {
    const exchange = new FakeExchange();
    exchange.isFull = true;
    const { source, answer } = passing();
    writeStream(exchange, asking().request, answer);
    source.write('1234');
    await settled(() => exchange.text === '1234');
    source.write('5678');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect([exchange.text, source.writableNeedDrain]).toEqual(['1234', true]);
    exchange.drain();
    await settled(() => exchange.text === '12345678');
  });

  it('is let go of when the client goes, and where it had gone already', async () => {
    for (const hasGone of [false, true]) {
      const exchange = new FakeExchange();
      const { source, answer } = passing();
      if (hasGone) exchange.close();
      writeStream(exchange, asking().request, answer);
      if (!hasGone) exchange.close();
      await settled(() => source.destroyed);
    }
  });

  it.each(['with an error', 'without one'])(
    'is broken off where it ends too soon %s',
    async (how) => {
      const exchange = new FakeExchange();
      const { source, answer } = passing();
      writeStream(exchange, asking().request, answer);
      source.write('1\n');
      await settled(() => exchange.text === '1\n');
      source.destroy(how === 'with an error' ? new Error('aborted') : undefined);
      await settled(() => exchange.aborted);
      expect(exchange.ended).toBe(false);
    },
  );
});
