import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { upstreamObjects } from '../../tools/generate/upstream-objects.fixture.ts';
import {
  decodeProtobuf,
  encodeListProtobuf,
  encodeMessage,
  encodeMessageInParts,
  encodeProtobuf,
  encodeWatchEventProtobuf,
  hasProtobuf,
} from './protobuf-codec.ts';

const CORE = 'io.k8s.api.core.v1';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

const configMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  data: { k: 'v' },
};

/** Written with a pause wherever there may be one. */
function pausedEverywhere(object: JsonObject, typeId: string): Buffer {
  const parts = encodeMessageInParts(object, typeId, 1);
  let pauses = 0;
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done !== true) {
      pauses += 1;
      continue;
    }
    if (pauses === 0) throw new Error(`${typeId} was written without a pause`);
    return part.value;
  }
}

/** The bytes of an envelope around `raw`, made by hand. */
function envelope(apiVersion: string, kind: string, raw: readonly number[]): Buffer {
  const field = (tag: number, bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  const kindBytes = Buffer.concat([
    field(0x0a, Buffer.from(apiVersion)),
    field(0x12, Buffer.from(kind)),
  ]);
  const rawBytes = Buffer.from(raw);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    field(0x0a, kindBytes),
    field(0x12, rawBytes),
    Buffer.from([0x1a, 0, 0x22, 0]),
  ]);
}

describe('an object', () => {
  it('is written byte for byte as Go writes it', () => {
    // Taken from Go: fields without a pointer are written even when they are empty.
    const metadata = '0a110a01611200' + '1a002200' + '2a003200' + '38004200';
    const expected = metadata + '12060a016b120176';
    expect(encodeMessage(configMap, `${CORE}.ConfigMap`).toString('hex')).toBe(expected);
  });

  it('comes back as it was', () => {
    const bytes = encodeProtobuf(configMap, `${CORE}.ConfigMap`);
    expect(JSON.stringify(decodeProtobuf(bytes, typeIdOfKind))).toBe(JSON.stringify(configMap));
  });

  it('keeps what only a schema has', () => {
    const schema = {
      default: { z: 1, a: [null] },
      enum: [1, null],
      maximum: 1.5,
      items: [{ type: 'a' }],
      additionalProperties: false,
      dependencies: { a: ['x'], b: { type: 'c' } },
      additionalItems: { type: 'x' },
    };
    const crd = { metadata: {}, spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    const object = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      ...crd,
    };
    const back = decodeProtobuf(encodeProtobuf(object, CRD), typeIdOfKind);
    expect(back['spec']).toMatchObject({ versions: [{ schema: { openAPIV3Schema: schema } }] });
  });

  it('keeps a key named __proto__ a key', () => {
    const data = JSON.parse('{"__proto__":"1","b":"2"}') as Record<string, string>;
    const bytes = encodeProtobuf({ ...configMap, data }, `${CORE}.ConfigMap`);
    const back = JSON.stringify(decodeProtobuf(bytes, typeIdOfKind)['data']);
    expect(back).toBe('{"__proto__":"1","b":"2"}');
  });

  it('is written whole, however long and however often', () => {
    const long = { ...configMap, data: { k: 'é'.repeat(3_000_000) } };
    const bytes = encodeProtobuf(long, `${CORE}.ConfigMap`);
    expect(decodeProtobuf(bytes, typeIdOfKind)).toEqual(long);
    expect(decodeProtobuf(encodeProtobuf(configMap, `${CORE}.ConfigMap`), typeIdOfKind)).toEqual(
      configMap,
    );
  });

  it('holds negative and large numbers', () => {
    const meta = { generation: -5, deletionGracePeriodSeconds: Number.MAX_SAFE_INTEGER };
    const object = { ...configMap, metadata: meta };
    const back = decodeProtobuf(encodeProtobuf(object, `${CORE}.ConfigMap`), typeIdOfKind);
    expect(back['metadata']).toEqual(meta);
  });
});

describe('a list', () => {
  it('of encoded items is the same as the list encoded at once', () => {
    const { data, metadata } = configMap;
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [{ metadata, data }, { metadata: { name: 'b' } }],
    };
    const items = list.items.map((item) => encodeMessage(item, `${CORE}.ConfigMap`));
    const assembled = encodeListProtobuf(`${CORE}.ConfigMapList`, list.metadata, items);
    expect(assembled.equals(encodeProtobuf(list, `${CORE}.ConfigMapList`))).toBe(true);
    expect(decodeProtobuf(assembled, typeIdOfKind)).toEqual(list);
  });
});

describe('a watch event', () => {
  it('is a frame around the object with its envelope', () => {
    const object = encodeProtobuf(configMap, `${CORE}.ConfigMap`);
    const frame = encodeWatchEventProtobuf('ADDED', object);
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    const head = Buffer.from([0x0a, 5, ...Buffer.from('ADDED'), 0x12, object.length + 2]);
    const raw = Buffer.from([0x0a, object.length]);
    expect(frame.subarray(4).equals(Buffer.concat([head, raw, object]))).toBe(true);
  });
});

describe('bytes that are no object', () => {
  const bomb = (depth: number): number[] => {
    // not { not { … } }: field 28 of JSONSchemaProps, lengths of two bytes each.
    let bytes: number[] = [];
    for (let level = 0; level < depth; level++) {
      const size = bytes.length;
      bytes = [0xe2, 0x01, (size & 0x7f) | 0x80, (size >> 7) & 0x7f, ...bytes];
    }
    return bytes;
  };
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', Buffer.alloc(0), /^empty data$/],
    ['JSON', Buffer.from('{}'), /expected prefix \[107 56 115 0\]$/],
    ['no body', Buffer.from('k8s\0'), /^empty body$/],
    ['an unknown kind', envelope('v1', 'Nothing', []), /^no kind "Nothing" is registered/],
    ['a cut body', envelope('v1', 'ConfigMap', [0x0a, 5, 1]), /^unexpected EOF$/],
    [
      'a field longer than its message',
      envelope('v1', 'ConfigMap', [0x0a, 2, 0x0a, 9]),
      /^unexpected EOF$/,
    ],
    [
      'a wrong wire type',
      envelope('v1', 'ConfigMap', [0x08, 1]),
      /^proto: wrong wireType = 0 for field Metadata$/,
    ],
    ['field number 0', envelope('v1', 'ConfigMap', [0x02, 0]), /^proto: illegal tag 0/],
    [
      'an endless varint',
      envelope('v1', 'ConfigMap', Array<number>(12).fill(0xff)),
      /^proto: integer overflow$/,
    ],
    [
      'an open group',
      envelope('v1', 'ConfigMap', Array<number>(50).fill(0x7b)),
      /^unexpected EOF$/,
    ],
    ['a closed group', envelope('v1', 'ConfigMap', [0x7c]), /^proto: illegal wireType 4$/],
    [
      'no amount',
      envelope('v1', 'ResourceQuotaStatus', [0x0a, 8, 0x0a, 1, 97, 0x12, 3, 0x0a, 1, 120]),
      /^quantities must match/,
    ],
  ])('%s', (_, bytes, message) => {
    expect(() => decodeProtobuf(bytes, typeIdOfKind)).toThrow(
      expect.objectContaining({
        name: 'ProtobufError',
        message: expect.stringMatching(message) as string,
      }),
    );
  });

  it('nested too deep', () => {
    const props = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const at = (depth: number): Buffer => {
      const raw = Buffer.from(bomb(depth));
      const size = [(raw.length & 0x7f) | 0x80, (raw.length >> 7) | 0];
      return Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, ...size]), raw]);
    };
    expect(() => decodeProtobuf(at(400), () => props)).not.toThrow();
    expect(() => decodeProtobuf(at(600), () => props)).toThrow('proto: exceeded max depth');
  });

  it('but for unknown fields, which are passed over', () => {
    const unknown = [0xf8, 0x07, 1, 0xfb, 0x07, 0x08, 1, 0xfc, 0x07, 0x12, 0];
    const object = decodeProtobuf(envelope('v1', 'ConfigMap', unknown), typeIdOfKind);
    expect(object).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: { '': '' } });
  });

  it('takes numbers of a list packed into one field', () => {
    // PodSecurityContext.supplementalGroups, field 4.
    const bytes = envelope('v1', 'PodSecurityContext', [0x22, 3, 1, 0xac, 0x02]);
    expect(decodeProtobuf(bytes, typeIdOfKind)).toMatchObject({ supplementalGroups: [1, 300] });
  });
});

it('knows which types are in protobuf', () => {
  expect(hasProtobuf(`${CORE}.Pod`)).toBe(true);
  expect(hasProtobuf('io.k8s.apimachinery.pkg.apis.meta.v1.Table')).toBe(false);
});

describe('the objects that upstream keeps of every kind', () => {
  it.each([
    ['HEAD', 184],
    ['v1.33.0', 165],
    ['v1.34.0', 170],
    ['v1.35.0', 170],
  ])('of %s are read and written exactly', (release, countMin) => {
    const objects = upstreamObjects(release);
    if (objects.length === 0) return;
    const wrong: string[] = [];
    let count = 0;
    for (const { name, protobuf, jsonAfter, protobufAfter } of objects) {
      const { apiVersion = '', kind = '' } = JSON.parse(jsonAfter) as Record<string, string>;
      const typeId = typeIdOfKind(apiVersion, kind);
      // Types that are gone, fields of alpha that changed, and options that were never served so.
      if (typeId === undefined || CHANGED.has(`${release} ${name}`)) continue;
      count++;
      const object = decodeProtobuf(protobuf, typeIdOfKind);
      if (JSON.stringify(object) !== JSON.stringify(JSON.parse(jsonAfter))) wrong.push(name);
      if (!encodeProtobuf(object, typeId).equals(protobufAfter)) wrong.push(`${name} written`);
      const paused = pausedEverywhere(object, typeId);
      if (!paused.equals(encodeMessage(object, typeId))) wrong.push(`${name} written in parts`);
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(countMin);
  });
});

/** What 1.36 reads with fewer or more fields, and upstream keeps no file for that. */
const CHANGED = new Set([
  'v1.33.0 resource.k8s.io.v1alpha3.DeviceTaintRule',
  'v1.34.0 resource.k8s.io.v1alpha3.DeviceTaintRule',
  'v1.33.0 core.v1.ListOptions',
  'v1.34.0 core.v1.ListOptions',
  'v1.35.0 core.v1.ListOptions',
]);
