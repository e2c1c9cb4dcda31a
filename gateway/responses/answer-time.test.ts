/** How long an answer's bytes took to make, as it is charged to its request. */
import { describe, expect, it } from 'vitest';

import type { Answer, ListAnswer } from '../../actors/request/answer.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { until } from '../../tools/until.fixture.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { AnswerWriter } from './answer-writer.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function object(name = 'a', data = ''): StoredObject {
  return storedObject(loggedEvent(7, { path: `ns/${name}`, data }));
}

function listAnswer(items: readonly StoredObject[]): ListAnswer {
  const version = resourceVersion(9);
  const end = { continue: '', remainingItemCount: undefined };
  return { kind: 'List', served: configMaps, items, resourceVersion: version, ...end };
}

describe('the time in which bytes are made', () => {
  const one: Answer = { kind: 'Object', code: 200, served: configMaps, object: object() };
  const SERIALIZE = 'serialize-response-object';

  /** Each look at the clock is a millisecond later. */
  async function tookMs(answer: Answer, accept = ''): Promise<number> {
    let now = 0;
    const clock = { now: () => (now += 1), after: () => () => undefined };
    const { request } = asking({ accept });
    const exchange = new FakeExchange();
    void new AnswerWriter(clock, () => undefined).write(exchange, request, answer);
    await until(() => exchange.ended);
    return request.layers.get(SERIALIZE) ?? 0;
  }

  it('is none of what lies there', async () => {
    expect(await tookMs(one)).toBe(0);
  });

  it('is charged to the request', async () => {
    expect(await tookMs(one, 'application/yaml')).toBeGreaterThan(0);
    expect(await tookMs(one, TABLE)).toBeGreaterThan(0);
    expect(await tookMs(listAnswer([object()]))).toBeGreaterThan(0);
    expect(await tookMs(listAnswer([object()]), 'application/yaml')).toBeGreaterThan(0);
  });

  it('is that of all parts of a large list', async () => {
    const large = Array.from({ length: 6 }, (_, at) => object(String(at), 'x'.repeat(200_000)));
    expect(await tookMs(listAnswer(large))).toBeGreaterThan(2);
  });
});
