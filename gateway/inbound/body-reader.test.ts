import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';

import type { RawBody } from '../responses/exchange.ts';
import { emptyBody, readWholeBody } from './body-reader.ts';
import { until } from '../../tools/until.fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function reading(stream: PassThrough, bytesMax = 10): RawBody[] {
  const reads: RawBody[] = [];
  readWholeBody(stream, bytesMax, (read) => reads.push(read));
  return reads;
}

describe('a body', () => {
  it('is read whole, in however many pieces it comes', async () => {
    for (const pieces of [[], ['whole'], ['in ', 'three ', 'bits']]) {
      const stream = new PassThrough();
      const reads = reading(stream, 100);
      for (const piece of pieces) stream.write(piece);
      stream.end();
      await turn();
      expect(reads).toEqual([{ kind: 'whole', bytes: Buffer.from(pieces.join('')) }]);
    }
  });

  it('may be as long as the limit and no longer, which is told at once', async () => {
    const stream = new PassThrough();
    const reads = reading(stream, 10);
    stream.end('x'.repeat(10));
    await turn();
    expect(reads).toMatchObject([{ kind: 'whole' }]);

    const long = new PassThrough();
    const refused = reading(long, 10);
    long.write('x'.repeat(11));
    await turn();
    expect(refused).toEqual([{ kind: 'tooLarge' }]);
    // What is still to come is taken and dropped, so that its sender gets to read the answer.
    for (let round = 0; round < 100; round += 1) long.write(Buffer.alloc(64 * 1024));
    long.end();
    await turn();
    await until(() => long.readableEnded);
    expect(refused).toHaveLength(1);
  });

  it('that breaks off is no body', async () => {
    const gone = new PassThrough();
    const reads = reading(gone);
    gone.write('half');
    gone.destroy();
    await turn();
    expect(reads).toEqual([{ kind: 'brokenOff' }]);

    const broken = new PassThrough();
    const failed = reading(broken);
    broken.destroy(new Error('reset'));
    await turn();
    expect(failed).toEqual([{ kind: 'brokenOff' }]);
  });

  it('that broke off before anybody read it is no body', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await turn();
    expect(reading(stream)).toEqual([{ kind: 'brokenOff' }]);
  });

  it('that is none is empty', () => {
    const reads: RawBody[] = [];
    emptyBody((read) => reads.push(read));
    expect(reads).toEqual([{ kind: 'whole', bytes: Buffer.alloc(0) }]);
  });
});
