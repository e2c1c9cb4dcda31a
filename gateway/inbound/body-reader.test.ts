import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';

import type { RawBody } from '../responses/exchange.ts';
import { EMPTY_BODY, readWholeBody } from './body-reader.ts';
import { until } from '../../tools/until.fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function reading(stream: PassThrough, bytesMax = 10): RawBody[] {
  const reads: RawBody[] = [];
  void readWholeBody(stream, bytesMax).then((read) => reads.push(read));
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

  it('that broke off before it was read is no body', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await turn();
    expect(await readWholeBody(stream, 10)).toEqual({ kind: 'brokenOff' });
  });

  it('that is none is empty', () => {
    expect(EMPTY_BODY).toEqual({ kind: 'whole', bytes: Buffer.alloc(0) });
  });
});
