import { describe, expect, it } from 'vitest';

import { LARGE_BYTES } from '../../actors/request/large-work.ts';
import type { Decoded } from '../../actors/registry/write-context.ts';
import { writeCbor } from '../../api/cbor/cbor-writer.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { bodyDecoder, bodyDecoderWithCbor } from './body-decoder.ts';
import { encodeProtobuf } from './protobuf-codec.ts';
import { PART_LEXEMES } from './yaml-codec.ts';

const configMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  data: { k: 'v' },
};

function decoded(bytes: Buffer | string, contentType: string): unknown {
  const result = bodyDecoder.decode(Buffer.from(bytes), contentType);
  return result.ok ? result.value : [result.status.code, result.status.message];
}

/** All that the decoder leaves for later turns, done now. */
function whole(
  bytes: Buffer,
  contentType = 'application/json',
): { readonly decoded: Decoded; readonly turns: number } {
  let decoded = bodyDecoder.decode(bytes, contentType, 'in parts');
  let turns = 1;
  while (decoded.ok && decoded.rest !== undefined) {
    decoded = decoded.rest();
    turns += 1;
  }
  return { decoded, turns };
}

describe('a body of JSON in parts', () => {
  const large = 'x'.repeat(LARGE_BYTES);
  const many = Array.from({ length: 30_000 }, (_, at) => `"k${String(at)}":"v"`).join(',');

  it.each([
    ['when it is small', '{"a":1,"a":2}', 1],
    ['when it is large', `{"a":"${large}","b":"\\ud800"}`, 4],
    ['when keys are repeated', `{"a":1,"b":"${large}","a":{"c":3}}`, 4],
    ['when a number has more digits than a double', `{"a":9007199254740993,"b":"${large}"}`, 3],
    ['when a number is spelled as a float', `{"a":1.0,"b":"${large}"}`, 4],
    ['when a number is beyond all doubles', `{"a":1e400,"b":"${large}"}`, 4],
    ['when it has many fields', `{${many},"b":"${large}"}`, 12],
    ['when it ends too soon', `{${many},"b":"${large}"`, 2],
    ['when a comma has nothing behind it', `{${many},"b":"${large}",}`, 4],
  ])('is what it is in one go, with turns for others, %s', (_name, text, expected) => {
    const { decoded, turns } = whole(Buffer.from(text));

    expect(decoded).toEqual(bodyDecoder.decode(Buffer.from(text), 'application/json', true));
    expect(turns).toBeGreaterThanOrEqual(expected);
  });
});

describe('a body of YAML in parts', () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `k${String(at)}: ${'v'.repeat(40)}\n`).join('');

  it.each([
    ['is read', lines(8_000)],
    ['is read with keys that are repeated', `${lines(8_000)}k1: again\n`],
    ['is refused for what stands at its end', `${lines(8_000)}k: [\n`],
    ['is refused for its length', lines(60_000)],
    ['is refused for what stands behind it', `${lines(8_000)}---\na: b\n...\nc`],
  ])('%s as in one go, with turns for others', (_name, text) => {
    const bytes = Buffer.from(text);
    const { decoded, turns } = whole(bytes, 'application/yaml');

    expect(decoded).toEqual(bodyDecoder.decode(bytes, 'application/yaml', true));
    expect(turns).toBeGreaterThan(8_000 / PART_LEXEMES + 2);
  });
});

describe('a body of CBOR', () => {
  const CBOR = 'application/cbor';

  it('is taken where the gate is on, and only there', () => {
    const bytes = writeCbor(configMap);
    expect(bodyDecoderWithCbor.decode(bytes, CBOR)).toEqual({ ok: true, value: configMap });
    expect(bodyDecoder.decode(bytes, CBOR)).toMatchObject({ status: { code: 415 } });
    const refused = bodyDecoderWithCbor.decode(bytes, 'text/plain');
    expect(refused.ok ? '' : refused.status.message).toMatch(/protobuf, application\/cbor$/);
  });

  it('is read in turns where it is large, and refused as in one go', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, at) => [`key-${String(at)}`, 'value']),
    );
    const large = writeCbor(many);
    for (const bytes of [large, large.subarray(0, -1)]) {
      let part = bodyDecoderWithCbor.decode(bytes, CBOR, 'in parts');
      let turns = 1;
      for (; part.ok && part.rest !== undefined; turns += 1) part = part.rest();
      expect(part).toEqual(bodyDecoderWithCbor.decode(bytes, CBOR, true));
      expect(turns).toBeGreaterThan(10);
    }
  });
});

describe('a body', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', ''])(
    'is JSON when it says %j',
    (contentType) => {
      expect(decoded(JSON.stringify(configMap), contentType)).toEqual(configMap);
    },
  );

  it.each([
    ['application/json', '{"spec":{"count":9223372036854775807}}'],
    ['application/yaml', 'spec: {count: 9223372036854775807}'],
    ['application/yaml', 'spec: {count: 0x7fffffffffffffff}'],
    ['application/yaml', 'spec: {count: +9_223_372_036_854_775_807}'],
  ])('of %s keeps every digit of an int64: %s', (contentType, text) => {
    expect(decoded(text, contentType)).toEqual({ spec: { count: 9223372036854775807n } });
  });

  it('may have numbers that are doubles to Go as well', () => {
    const text = '{"a":[9223372036854775808,1e21,-9223372036854775809]}';
    expect(decoded(text, 'application/json')).toEqual(JSON.parse(text));
    expect(decoded(text, 'application/yaml')).toEqual(JSON.parse(text));
  });

  it('may be YAML', () => {
    const yaml = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {k: v}\n';
    expect(decoded(yaml, 'application/yaml')).toEqual(configMap);
  });

  it('may be protobuf', () => {
    const typeId = typeIdOfKind('v1', 'ConfigMap') ?? '';
    const bytes = encodeProtobuf(configMap, typeId);
    expect(decoded(bytes, 'application/vnd.kubernetes.protobuf')).toMatchObject({
      ...configMap,
      metadata: { name: 'a' },
    });
  });

  it.each(['text/plain', ';charset=utf-8', 'constructor', '__proto__', 'toString'])(
    'of the type %j is not taken',
    (contentType) => {
      expect(decoded('{}', contentType)).toEqual([
        415,
        'the body of the request was in an unknown format - accepted media types include: ' +
          'application/json, application/yaml, application/vnd.kubernetes.protobuf',
      ]);
    },
  );

  it('that is broken is told why', () => {
    expect(decoded('{"a":', 'application/json')).toEqual([400, 'unexpected end of JSON input']);
    expect(decoded('', '')).toEqual([400, 'unexpected end of JSON input']);
    expect(decoded('a: [', 'application/yaml')).toEqual([400, expect.any(String)]);
    expect(decoded('k8s', 'application/vnd.kubernetes.protobuf')).toEqual([
      400,
      expect.any(String),
    ]);
    expect(decoded('', 'application/vnd.kubernetes.protobuf')).toEqual([400, expect.any(String)]);
  });

  it('does not change what every object has', () => {
    const value = decoded('{"__proto__":{"polluted":true}}', 'application/json');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    decoded('__proto__: {polluted: true}', 'application/yaml');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
