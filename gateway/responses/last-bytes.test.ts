import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { badRequest } from '../../api/meta/status.ts';
import { type Answer, statusAnswer, type StreamAnswer } from '../../actors/request/answer.ts';
import { until } from '../../tools/until.fixture.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { listAnswer, object, objectAnswer, writer } from './given-answers.fixture.ts';

const ignore = (): void => undefined;
const stream = (parts: Partial<StreamAnswer>): Answer => ({
  ...{ kind: 'Stream', headers: {}, ...parts },
  async *chunks() {
    yield await Promise.resolve(Buffer.from('one'));
  },
});
const large = 'x'.repeat(200_000);
const MANY = Array.from({ length: 6 }, (_, index) => object(`a${String(index)}`, large));

const ANSWERS: Readonly<Record<string, () => Answer>> = {
  'an object': () => objectAnswer(),
  'an object that is compressed': () => objectAnswer(200, large),
  'a Status': () => statusAnswer(badRequest('no')),
  'a document': () => ({ kind: 'Document', code: 200, headers: {}, body: Buffer.from('a') }),
  'a list in many pieces': () => listAnswer(MANY),
  'bytes of a backend at once': () => stream({ whole: Buffer.from('a') }),
  'bytes of a backend as they are asked for': () => stream({}),
  'bytes of a backend as they come': () => stream({ source: () => new PassThrough().end('a') }),
};

it.each(Object.entries(ANSWERS))(
  'the audit is told that %s has been answered before its client is',
  async (name, answer) => {
    const exchange = new FakeExchange('GET', name.includes('compressed') ? 'gzip' : '');
    const { request, outcomes } = asking();
    const told: boolean[] = [];
    request.recordedBy({
      ...{ keepsRequests: false, requested: ignore, patched: ignore },
      ...{ answered: ignore, panicked: ignore },
      ended: () => told.push(exchange.ended),
    });
    await writer.write(exchange, request, answer());
    await until(() => outcomes.length > 0);
    expect([exchange.ended, told]).toEqual([true, [false]]);
  },
);
