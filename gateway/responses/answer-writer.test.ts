import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import { badRequest, timedOut } from '../../api/meta/status.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import { asOfVersion, lineOf, storedObject } from '../../projections/objects/stored-object.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { asking, FakeExchange } from '../given-exchange.fixture.ts';
import { AnswerWriter, writeFault } from './answer-writer.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import {
  listAnswer,
  object,
  objectAnswer,
  PARTIAL,
  TABLE,
  turn,
  valueOf,
  writer,
  written,
} from './given-answers.fixture.ts';

describe('an object', () => {
  it('leaves as it is stored', () => {
    const { exchange, outcomes } = written(objectAnswer(201));
    expect(exchange.code).toBe(201);
    expect(exchange.text).toBe(`${object().json.toString()}\n`);
    expect(exchange.headers).toEqual({
      'content-type': 'application/json',
      'content-length': lineOf(object()).length,
    });
    expect(outcomes).toEqual([{ code: 201, sizeBytes: lineOf(object()).length }]);
  });

  it('leaves in the form that is wanted', () => {
    expect(written(objectAnswer(), 'application/yaml').exchange.text).toContain(
      'kind: ConfigMap\n',
    );
    expect(written(objectAnswer(), 'application/yaml').exchange.headers['content-type']).toBe(
      'application/yaml',
    );
    const protobuf = written(objectAnswer(), 'application/vnd.kubernetes.protobuf').exchange;
    expect(protobuf.bytes.subarray(0, 4).toString('latin1')).toBe('k8s\0');
    const table = valueOf(written(objectAnswer(), TABLE));
    expect(table).toMatchObject({ kind: 'Table', metadata: { resourceVersion: '7' } });
    expect(table['rows']).toMatchObject([{ object: { metadata: { name: 'a' } } }]);
    expect(valueOf(written(objectAnswer(), PARTIAL))).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', resourceVersion: '7' },
    });
  });

  it('that is not stored leaves in the same forms', () => {
    const value = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'dry' } };
    const { typeId } = configMaps.facts;
    const dry: Answer = { kind: 'Value', code: 201, typeId, value, served: configMaps };
    expect(valueOf(written(dry))).toEqual(value);
    expect(valueOf(written(dry, TABLE))).toMatchObject({ kind: 'Table', metadata: {} });
    expect(valueOf(written(dry, PARTIAL))).toMatchObject({ kind: 'PartialObjectMetadata' });
    const { served: _served, ...plain } = dry;
    expect(valueOf(written(plain, TABLE))).toEqual(value);
  });
});

describe('a value whose bytes are at hand', () => {
  it('leaves as they are, and is read for other forms alone', () => {
    let reads = 0;
    const { typeId } = configMaps.facts;
    const dry: Answer = {
      kind: 'Value',
      code: 201,
      typeId,
      json: Buffer.from('{"kind":"ConfigMap","metadata":{"name":"dry"}}'),
      served: configMaps,
      get value() {
        reads += 1;
        return { kind: 'ConfigMap', metadata: { name: 'dry' } };
      },
    };
    expect(valueOf(written(dry))).toEqual({ kind: 'ConfigMap', metadata: { name: 'dry' } });
    expect(reads).toBe(0);
    expect(valueOf(written(dry, PARTIAL))).toMatchObject({ kind: 'PartialObjectMetadata' });
    expect(reads).toBe(1);
  });
});

describe('ages in a table', () => {
  const CREATED = Date.parse('2026-11-20T10:00:00Z');
  const creationTimestamp = '2026-11-20T10:00:00Z';
  const metadata = { name: 'a', creationTimestamp };
  const value = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
  const made = storedObject({
    ...loggedEvent(7),
    json: Buffer.from(JSON.stringify(value)),
  });
  const answers: Record<string, Answer> = {
    'an object': { kind: 'Object', code: 200, served: configMaps, object: made },
    'a value': { kind: 'Value', code: 200, typeId: '', value, served: configMaps },
    'a list': listAnswer([made]),
  };

  it.each(Object.entries(answers))('of %s are told from the moment that is asked', (_, answer) => {
    const clock = testClock(CREATED + 3_600_000);
    const ageIn = (momentMs: number | undefined): unknown => {
      const exchange = new FakeExchange();
      const { request } = asking({ accept: TABLE });
      if (momentMs !== undefined) request.readAt(resourceVersion(7), CREATED + momentMs);
      void new AnswerWriter(clock, () => undefined).write(exchange, request, answer);
      const { rows } = JSON.parse(exchange.text) as { rows: { cells: unknown[] }[] };
      return rows[0]?.cells.at(-1);
    };
    expect(ageIn(undefined)).toBe('60m');
    expect(ageIn(7_000)).toBe('7s');
  });
});

describe('the end of a text', () => {
  const value = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'dry' } };
  const typeId = configMaps.facts.typeId;
  const failed = statusAnswer(badRequest('no'));
  const answers: Record<string, Answer> = {
    'a stored object': objectAnswer(),
    'an object of another version': {
      kind: 'Object',
      code: 200,
      served: configMaps,
      object: asOfVersion(object(), resourceVersion(8)),
    },
    'a value': { kind: 'Value', code: 200, typeId, value, served: configMaps },
    'a list': listAnswer([object()]),
    'an empty list': listAnswer([]),
  };

  it.each(Object.entries(answers))('of %s is a newline unless it is indented', (_, answer) => {
    for (const accept of ['', 'application/json', TABLE]) {
      expect(written(answer, accept).exchange.text).toMatch(/^\{"[^\n]*\}\n$/);
    }
    expect(written(answer, 'application/json;pretty=1').exchange.text).toMatch(/^\{\n[^]*\n\}$/);
  });

  it('of a failure is the same, which is indented where nothing is taken that there is', () => {
    expect(written(failed).exchange.text).toMatch(/^\{"[^\n]*\}\n$/);
    expect(written(failed, 'application/json;pretty=1').exchange.text).toMatch(/^\{\n[^]*\n\}$/);
    expect(written(failed, 'text/html').exchange.text).toMatch(/^\{\n[^]*\n\}$/);
  });
});

describe('a failure', () => {
  it('leaves as a Status, in whatever form', () => {
    const answer = statusAnswer(badRequest('no'));
    for (const accept of ['', TABLE, PARTIAL]) {
      const { exchange, outcomes } = written(answer, accept);
      expect(exchange.code).toBe(400);
      expect(JSON.parse(exchange.text)).toMatchObject({ kind: 'Status', message: 'no', code: 400 });
      expect(outcomes).toHaveLength(1);
    }
    expect(written(answer, 'application/yaml').exchange.text).toContain('reason: BadRequest');
  });

  it('leaves as JSON where nothing is taken that there is', () => {
    expect(valueOf(written(statusAnswer(badRequest('no')), 'text/html'))).toMatchObject({
      code: 400,
    });
  });

  it('says when to come again', () => {
    const { exchange } = written(statusAnswer(timedOut('late', 3)));
    expect(exchange.headers['Retry-After']).toBe('3');
  });
});

describe('a document', () => {
  const document = (code: number, body: string): Answer => {
    const headers = { 'Cache-Control': 'public', ETag: '"x"' };
    return { kind: 'Document', code, headers, body: Buffer.from(body) };
  };

  it('has its own headers, which win over those of the filters', () => {
    const { request, outcomes } = asking();
    request.responseHeaders['Cache-Control'] = 'no-cache, private';
    request.responseHeaders['Audit-Id'] = 'x';
    const exchange = new FakeExchange();
    void writer.write(exchange, request, document(200, 'hello'));
    expect(exchange.headers).toEqual({
      'Cache-Control': 'public',
      'Audit-Id': 'x',
      ETag: '"x"',
      'content-length': 5,
    });
    expect(outcomes).toEqual([{ code: 200, sizeBytes: 5 }]);
  });

  it('that was not modified has no length', () => {
    expect(written(document(304, '')).exchange.headers).not.toHaveProperty('content-length');
  });
});

describe('warnings', () => {
  it('go with whatever is answered', () => {
    for (const answer of [objectAnswer(), statusAnswer(badRequest('x')), listAnswer([])]) {
      const { request } = asking();
      request.warn('old');
      const exchange = new FakeExchange();
      void writer.write(exchange, request, answer);
      expect(exchange.headers['Warning']).toEqual(['299 - "old"']);
    }
  });
});

describe('what is large', () => {
  const large = 'x'.repeat(200_000);

  it('is compressed for whom takes that', async () => {
    const exchange = new FakeExchange('GET', 'br, gzip');
    const { outcomes } = written(objectAnswer(200, large), '', exchange);
    expect(exchange.headSent).toBe(false);
    await until(() => exchange.ended);
    expect(exchange.headers).toMatchObject({
      'content-encoding': 'gzip',
      Vary: 'Accept-Encoding',
      'content-length': exchange.bytes.length,
    });
    expect(gunzipSync(exchange.bytes).equals(lineOf(object('a', large)))).toBe(true);
    expect(outcomes).toEqual([{ code: 200, sizeBytes: exchange.bytes.length }]);
  });

  it.each([
    ['GET', ''],
    ['GET', 'br, deflate'],
    ['GET', 'gzip;q=0'],
    ['GET', 'gzip;q=1'],
    ['GET', 'gzip x, xgzip'],
    ['PUT', 'gzip'],
  ])('is sent as it is to %s with %j', (method, acceptEncoding) => {
    const { exchange } = written(
      objectAnswer(200, large),
      '',
      new FakeExchange(method, acceptEncoding),
    );
    expect(exchange.headers).not.toHaveProperty('content-encoding');
    expect(exchange.bytes.length).toBe(lineOf(object('a', large)).length);
  });

  it('is not compressed where that is switched off', () => {
    const plain = new AnswerWriter(testClock(), () => undefined, false);
    const exchange = new FakeExchange('GET', 'gzip');
    void plain.write(exchange, asking().request, objectAnswer(200, large));
    expect(exchange.headers).not.toHaveProperty('content-encoding');
    expect(exchange.bytes.length).toBe(lineOf(object('a', large)).length);
  });

  it('is not compressed up to 128 KiB', () => {
    const { exchange } = written(
      objectAnswer(200, 'x'.repeat(100_000)),
      '',
      new FakeExchange('GET', 'gzip'),
    );
    expect(exchange.headers).not.toHaveProperty('content-encoding');
  });

  it('finds its client gone without a word', async () => {
    const exchange = new FakeExchange('GET', 'gzip');
    const { outcomes } = written(objectAnswer(200, large), '', exchange);
    exchange.close();
    await until(() => outcomes.length > 0);
    expect(exchange.chunks).toEqual([]);
  });

  it('that cannot be sent behind its compression ends all the same', async () => {
    const exchange = new FakeExchange('GET', 'gzip');
    exchange.head = () => {
      throw new Error('bad header');
    };
    const { outcomes } = written(objectAnswer(200, large), '', exchange);
    await until(() => outcomes.length > 0);
    expect(exchange.aborted).toBe(true);
  });
});

describe('a long list', () => {
  const items = Array.from({ length: 20 }, (_, i) => object(`n${String(i)}`, 'x'.repeat(100_000)));
  const whole = JSON.stringify({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '9' },
    items: items.map(({ json }) => {
      const {
        kind: _kind,
        apiVersion: _version,
        ...rest
      } = JSON.parse(json.toString()) as JsonObject;
      return rest;
    }),
  });

  it('leaves chunk by chunk, with turns for others in between', async () => {
    const { exchange, outcomes } = written(listAnswer(items));
    expect(exchange.chunks).toHaveLength(1);
    expect(exchange.headers).not.toHaveProperty('content-length');
    await until(() => exchange.ended);
    expect(exchange.text).toBe(`${whole}\n`);
    expect(outcomes).toEqual([{ code: 200, sizeBytes: exchange.bytes.length }]);
  });

  it('waits while the client is full', async () => {
    const exchange = new FakeExchange();
    exchange.isFull = true;
    const { outcomes } = written(listAnswer(items), '', exchange);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(exchange.chunks).toHaveLength(1);
    exchange.drain();
    await until(() => exchange.ended);
    expect(exchange.text).toBe(`${whole}\n`);
    expect(outcomes).toHaveLength(1);
  });

  it('is left off when the client goes, and the request ends once', async () => {
    const exchange = new FakeExchange();
    const { outcomes } = written(listAnswer(items), '', exchange);
    exchange.close();
    for (let turns = 0; turns < 5; turns += 1) await turn();
    exchange.drain();
    expect(exchange.chunks).toHaveLength(1);
    expect(outcomes).toHaveLength(1);
  });

  it('is compressed whole', async () => {
    const exchange = new FakeExchange('GET', 'gzip');
    written(listAnswer(items), '', exchange);
    await until(() => exchange.ended);
    expect(gunzipSync(exchange.bytes).toString()).toBe(`${whole}\n`);
  });

  it('cannot be the metadata of one object', () => {
    expect(written(listAnswer(items), PARTIAL).exchange.code).toBe(406);
  });
});

describe('a watch', () => {
  it('is opened by the opener of watches', () => {
    const opened: unknown[] = [];
    const opener = new AnswerWriter(testClock(), (_exchange, _request, answer) =>
      opened.push(answer),
    );
    const answer = { kind: 'Watch' } as Answer; // No test looks into it.
    void opener.write(new FakeExchange(), asking().request, answer);
    expect(opened).toEqual([answer]);
  });
});

describe('an answer that could not be written', () => {
  it('is 500 where nothing was sent', () => {
    const exchange = new FakeExchange();
    writeFault(exchange, new Error('broken'));
    expect(exchange.code).toBe(500);
    expect(JSON.parse(exchange.text)).toMatchObject({ message: 'Internal error occurred: broken' });
  });

  it('cuts the client off where something was', () => {
    const exchange = new FakeExchange();
    exchange.head(200, {});
    exchange.write(Buffer.from('half'));
    writeFault(exchange, new Error('broken'));
    expect(exchange.aborted).toBe(true);
    expect(exchange.text).toBe('half');
  });
});
