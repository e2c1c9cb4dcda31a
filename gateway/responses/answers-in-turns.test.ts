import { describe, expect, it } from 'vitest';

import type { Answer } from '../../actors/request/answer.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { AnswerWriter } from './answer-writer.ts';
import { listAnswer, object, PARTIAL, TABLE, turn, written } from './given-answers.fixture.ts';

describe('what is large and not there in its form', () => {
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';
  const FORMS = ['application/yaml', PROTOBUF, TABLE, PARTIAL];
  const labels = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`key-${String(at)}`, 'a few words of text']),
  );
  // New ones for each test: the bytes of what was shown as protobuf are kept.
  const large = (): Answer => ({
    kind: 'Object',
    code: 200,
    served: configMaps,
    object: storedObject(loggedEvent(7, { path: 'ns/a', labels })),
  });
  const many = (): Answer =>
    listAnswer(
      Array.from({ length: 2_000 }, (_, at) => object(`a${String(at)}`, 'x'.repeat(1_000))),
    );
  const CASES = [
    ...FORMS.map((form) => ['an object', form, large] as const),
    // A list as the metadata of one object is refused.
    ...FORMS.filter((form) => form !== PARTIAL).map((form) => ['a list', form, many] as const),
  ];

  /** How many turns others had until it was sent. */
  async function turnsUntil(exchange: FakeExchange): Promise<number> {
    for (let turns = 0; ; turns += 1) {
      if (exchange.ended) return turns;
      await turn();
    }
  }

  it.each(CASES)('is made in turns: %s as %s', async (_kind, form, answerOf) => {
    const { exchange } = written(answerOf(), form);
    expect(exchange.headSent).toBe(false);
    expect(await turnsUntil(exchange)).toBeGreaterThan(5);
    expect(exchange.code).toBe(200);
  });

  it('is refused as long as those that are being made hold too much', async () => {
    const items = Array.from({ length: 20 }, (_, at) => object(`a${String(at)}`, 'x'.repeat(1e6)));
    const own = new AnswerWriter(testClock(), () => undefined);
    const ask = (): FakeExchange => {
      const exchange = new FakeExchange();
      void own.write(exchange, asking({ accept: TABLE }).request, listAnswer(items));
      return exchange;
    };
    const first = Array.from({ length: 20 }, ask);
    const refused = first.filter(({ code }) => code === 429);
    expect(refused.length).toBeGreaterThan(4);
    for (const exchange of first) exchange.close();
    for (let at = 0; at < 50; at += 1) await turn();
    expect(ask().code).not.toBe(429);
  });

  it.each(CASES)(
    'is not made any more when its client has gone: %s as %s',
    async (_kind, form, answerOf) => {
      const { exchange, outcomes } = written(answerOf(), form);
      exchange.close();
      for (let at = 0; at < 5; at += 1) await turn();
      expect(outcomes).toEqual([{ code: 200, sizeBytes: 0 }]);
      expect(exchange.headSent).toBe(false);
    },
  );
});
