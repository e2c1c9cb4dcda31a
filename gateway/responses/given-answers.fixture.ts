/** For tests of what is answered: answers about config maps, and a writer that writes them to no wire. */
import type { JsonObject } from '../../api/json/json.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import type { Answer, ListAnswer } from '../../actors/request/answer.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { AnswerWriter } from './answer-writer.ts';
import { configMaps } from '../given-config-maps.fixture.ts';

export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

export const writer = new AnswerWriter(testClock(), () => undefined);

export function object(name = 'a', data = ''): StoredObject {
  return storedObject(loggedEvent(7, { path: `ns/${name}`, data }));
}

export function objectAnswer(code = 200, data = ''): Answer {
  return { kind: 'Object', code, served: configMaps, object: object('a', data) };
}

export function listAnswer(items: readonly StoredObject[]): ListAnswer {
  const version = resourceVersion(9);
  return {
    kind: 'List',
    served: configMaps,
    items,
    resourceVersion: version,
    continue: '',
    remainingItemCount: undefined,
  };
}

export function written(answer: Answer, accept = '', exchange = new FakeExchange()) {
  const asked = asking({ accept });
  void writer.write(exchange, asked.request, answer);
  return { exchange, ...asked };
}

export const valueOf = ({ exchange }: { exchange: FakeExchange }): JsonObject =>
  JSON.parse(exchange.text) as JsonObject;
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
