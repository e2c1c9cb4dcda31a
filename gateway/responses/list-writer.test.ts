import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { allOf } from '../../api/json/json-parts.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import type { ListAnswer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { coldObject, isMade, storedObject } from '../../projections/objects/stored-object.ts';
import { HeldPaths } from '../../projections/objects/sorted-paths.ts';
import { WarmObjects } from '../../projections/objects/warm-objects.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { bytesOfAll, listInParts, StoredList } from './list-writer.ts';
import { isStoredForm } from './object-form.ts';

const served = new ServedResources(builtInResources(testClock()));
const PLAIN: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'Metadata',
};

function resource(apiGroup: string, apiVersion: string, plural: string) {
  const found = served.lookup({ apiGroup, apiVersion, resource: plural });
  if (found === undefined) throw new Error(`the test asks for ${plural}`);
  return found;
}

const configMaps = resource('', 'v1', 'configmaps');

function stored(version: number, object: JsonObject): StoredObject {
  return storedObject({ ...loggedEvent(version), json: Buffer.from(JSON.stringify(object)) });
}

function configMap(version: number, name: string, data: JsonObject = {}): StoredObject {
  const metadata = { name, namespace: 'ns', uid: `uid-${String(version)}` };
  return stored(version, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data });
}

function listOf(items: readonly StoredObject[], more: Partial<ListAnswer> = {}): ListAnswer {
  return {
    kind: 'List',
    served: configMaps,
    items,
    resourceVersion: resourceVersion(99),
    continue: '',
    remainingItemCount: undefined,
    ...more,
  };
}

function chunksOf(list: ListAnswer, media = PLAIN): Buffer[] {
  if (!isStoredForm(list.served, media)) return [allOf(listInParts(list, media, 0))];
  // No chunk takes long.
  return [...new StoredList(list, () => 0).chunks()].map((chunk) => Buffer.from(chunk));
}

const textOf = (list: ListAnswer, media = PLAIN): string =>
  Buffer.concat(chunksOf(list, media)).toString();

/** What an encoder that knows nothing of bytes makes of it. */
function expectedText(list: ListAnswer): string {
  const items = Array.from(list.items, ({ json }) => {
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...rest
    } = parseJson(json.toString()) as JsonObject;
    return rest;
  });
  const { facts, apiVersion } = list.served;
  const metadata = {
    resourceVersion: String(list.resourceVersion),
    ...(list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: list.remainingItemCount }),
  };
  return `${JSON.stringify({ kind: facts.listKind, apiVersion, metadata, items })}\n`;
}

describe('how large a list of objects is that memory does not hold', () => {
  function given(count: number) {
    let read = 0;
    const event = { ...loggedEvent(1), json: Buffer.alloc(2_000) };
    const source = {
      hasRoom: false,
      warmed: () => undefined,
      recordAt: () => {
        read += 1;
        return event;
      },
    };
    const items = Array.from({ length: count }, () =>
      coldObject(event, event.resourceVersion, source),
    );
    return { bytes: bytesOfAll(items), read: () => read };
  }

  it('is told of few by all, and of many by some', () => {
    const [few, many] = [given(20), given(100_000)];
    expect([few.bytes, many.bytes]).toEqual([40_000, 200_000_000]);
    expect(few.read()).toBe(20);
    expect(many.read()).toBeLessThan(1_000);
  });
});

describe('a list in plain JSON', () => {
  it('of nothing has no items', () => {
    expect(textOf(listOf([]))).toBe(
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"99"},"items":[]}\n',
    );
  });

  it('says where it goes on', () => {
    const list = listOf([configMap(1, 'a')], { continue: 'abc', remainingItemCount: 7 });
    expect(textOf(list)).toBe(expectedText(list));
    expect(JSON.parse(textOf(list))).toMatchObject({
      metadata: { resourceVersion: '99', continue: 'abc', remainingItemCount: 7 },
    });
  });

  it('is the same as if it were encoded whole, whatever the objects say', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\u2028', '}{', '😀'),
    );
    const object = fc.record({ name: text, data: fc.dictionary(text, text) });
    const objects = fc.array(object, { maxLength: 20 });
    fc.assert(
      fc.property(objects, (all) => {
        const items = all.map(({ name, data }, index) => configMap(index + 1, name, data));
        expect(textOf(listOf(items))).toBe(expectedText(listOf(items)));
      }),
      { numRuns: 200 },
    );
  });

  it('is the same wherever one chunk ends and the next begins', () => {
    const chunk = 256 * 1024;
    const sizes = [chunk, chunk - 300, 200_000, 1_000_000, 1, 60_000, 2_000, chunk + 1];
    for (let shift = -40; shift <= 40; shift += 1) {
      const items = sizes.map((size, index) =>
        configMap(index + 1, `n${String(index)}`, {
          k: 'x'.repeat(size + (index === 1 ? shift : 0)),
        }),
      );
      const chunks = chunksOf(listOf(items));
      expect(chunks.length).toBeGreaterThan(5);
      expect(Buffer.concat(chunks).toString() === expectedText(listOf(items))).toBe(true);
    }
  });

  it('is the same in pieces of any size', () => {
    const items = fc.array(fc.string({ maxLength: 40 }), { maxLength: 12 });
    const small = fc.integer({ min: 1, max: 90 });
    const pieces = fc.array(fc.oneof(small, fc.integer({ min: 1, max: 900 })), { minLength: 1 });
    fc.assert(
      fc.property(items, pieces, (values, sizes) => {
        const given = listOf(
          values.map((value, n) => configMap(n + 1, `n${String(n)}`, { value })),
        );
        const list = new StoredList(given);
        const made = Buffer.alloc(list.sizeBytes + 2, '#');
        for (let n = 0; list.movedBytes < list.sizeBytes; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          const bytes = Math.min(size, list.sizeBytes - list.movedBytes);
          list.moveTo(made, 1 + list.movedBytes, bytes);
        }
        expect(made.toString()).toBe(`#${expectedText(given)}#`);
      }),
    );
  });

  it('comes in chunks of no more than they have to be', () => {
    const items = Array.from({ length: 2_000 }, (_, i) =>
      configMap(i + 1, `n${String(i)}`, { k: 'x'.repeat(1_000) }),
    );
    const sizes = chunksOf(listOf(items)).map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.length).toBe(Math.ceil(sizes.reduce((a, b) => a + b) / (255 * 1024)));
  });

  it('is the same where most of it is not in memory, and reads each object once, chunk by chunk', () => {
    const events = Array.from({ length: 3_000 }, (_, n) => {
      return loggedEvent(n + 1, { path: `ns/${String(n)}`, data: 'x'.repeat(n % 700) });
    });
    let read = 0;
    const at = (version: number) => {
      read += 1;
      return events[version - 1];
    };
    const warm = new WarmObjects({ at }, 100_000);
    const cold = events.map((event) => warm.known(event, event.resourceVersion));
    const chunks = new StoredList(listOf(cold)).chunks();
    const first = chunks.next().value as Buffer; // There is always a first.
    expect(read).toBeLessThan(1_500);
    const whole = events.map((event) => storedObject(event));
    const text = Buffer.concat([first, ...chunks]).toString();
    expect(text === expectedText(listOf(whole))).toBe(true);
    expect(read).toBe(3_000);
  });

  it('of many makes nothing of those whose bytes are there as they were logged', () => {
    const event = loggedEvent(1);
    const warm = new WarmObjects({ at: () => event }, 1e9);
    const logged = Array.from({ length: 16_385 }, () => warm.written(event, undefined));
    const made = (): number => logged.filter((object) => isMade(object)).length;
    const text = Buffer.concat([...new StoredList(listOf(logged)).chunks()]).toString();
    expect(made()).toBe(0);
    expect(text === expectedText(listOf(logged))).toBe(true);
    // Of fewer they are kept as they are served.
    for (const list of [logged.slice(0, 300)]) for (const _ of chunksOf(listOf(list))) break;
    expect(made()).toBeGreaterThan(300);
  });

  it('ends a chunk where reading takes long, behind one item at least', () => {
    const event = loggedEvent(1);
    let [now, read] = [0, 0];
    const at = () => {
      read += 1;
      now += 2;
      return event;
    };
    const warm = new WarmObjects({ at }, 1e9);
    const cold = Array.from({ length: 1_000 }, () => warm.known(event, event.resourceVersion));
    const list = new StoredList(listOf(cold), () => now);
    const chunks: Buffer[] = [];
    for (const chunk of list.chunks()) {
      chunks.push(chunk);
      // It takes 2 ms to read one, and a turn has 5.
      expect(read).toBeLessThanOrEqual(3 * chunks.length);
    }
    expect(read).toBe(1_000);
    const whole = listOf(cold.map(() => storedObject(event)));
    expect(Buffer.concat(chunks).toString()).toBe(expectedText(whole));
  });

  it('of so many that they are held in parts says the same', () => {
    const items = Array.from({ length: 1_000 }, (_, n) => configMap(n + 1, `n${String(n)}`));
    const parts = [[], items.slice(0, 1), items.slice(1, 400), [], items.slice(400), []];
    const held = new HeldPaths(parts);
    expect(textOf({ ...listOf([]), items: held })).toBe(expectedText(listOf(items)));
    const pretty = { ...PLAIN, pretty: true };
    expect(textOf({ ...listOf([]), items: held }, pretty)).toBe(textOf(listOf(items), pretty));
    expect(bytesOfAll(held)).toBe(bytesOfAll(items));
  });

  it.each([
    ['256', 256, [256, 256]],
    ['500', 500, [0, 500]],
    ['16,384', 16_384, [0, 16_384]],
    ['more', 16_385, [0, 0]],
  ])(
    'of %s that are not in memory keeps them, or those that it reads the second time, or none',
    (_, count, kept) => {
      const event = loggedEvent(1);
      const warm = new WarmObjects({ at: () => event }, 1e9);
      const cold = Array.from({ length: count }, () => warm.known(event, event.resourceVersion));
      const keptBehindEach = kept.map(() => {
        for (const chunk of new StoredList(listOf(cold)).chunks())
          expect(chunk.length).toBeGreaterThan(0);
        return warm.warm.objects;
      });
      expect(keptBehindEach).toEqual(kept);
    },
  );

  it('of another group names it', () => {
    const deployments = resource('apps', 'v1', 'deployments');
    const metadata = { name: 'd', namespace: 'ns', uid: 'u' };
    const items = [stored(3, { kind: 'Deployment', apiVersion: 'apps/v1', metadata })];
    const list = listOf(items, { served: deployments });
    expect(textOf(list)).toBe(expectedText(list));
    expect(textOf(list)).toContain('"kind":"DeploymentList","apiVersion":"apps/v1"');
  });
});

describe('a list in another form', () => {
  const items = [configMap(1, 'a', { k: 'v' }), configMap(2, 'b')];
  const as = (media: Partial<AcceptedMedia>): JsonObject =>
    JSON.parse(textOf(listOf(items), { ...PLAIN, ...media })) as JsonObject;

  it('may be indented, and says the same', () => {
    expect(textOf(listOf(items), { ...PLAIN, pretty: true })).toContain(
      '\n  "kind": "ConfigMapList"',
    );
    expect(as({ pretty: true })).toEqual(JSON.parse(expectedText(listOf(items))));
  });

  it('may be the metadata alone', () => {
    expect(as({ transform: 'PartialObjectMetadataList' })).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '99' },
      items: ['a', 'b'].map((name, index) => {
        return {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: {
            name,
            namespace: 'ns',
            uid: `uid-${String(index + 1)}`,
            resourceVersion: String(index + 1),
          },
        };
      }),
    });
  });

  it('says by which hashes its items were chosen, where its type declares it', () => {
    const shardSelector =
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x00000000000000ff')";
    const list = listOf(items, { shardSelector });
    const shardInfo = { selector: shardSelector };
    const metadataOf = (media: Partial<AcceptedMedia>, of = list): unknown =>
      (JSON.parse(textOf(of, { ...PLAIN, ...media })) as JsonObject)['metadata'];
    expect(metadataOf({})).toEqual({ resourceVersion: '99', shardInfo });
    expect(metadataOf({ pretty: true })).toEqual({ resourceVersion: '99', shardInfo });
    expect(textOf(list, { ...PLAIN, type: 'yaml' })).toContain(
      'shardInfo:\n    selector: shardRange',
    );
    const message = Buffer.concat(chunksOf(list, { ...PLAIN, type: 'protobuf' }));
    expect(message.includes(shardSelector)).toBe(true);
    expect(metadataOf({ transform: 'Table' })).toEqual({ resourceVersion: '99' });
    expect(metadataOf({ transform: 'PartialObjectMetadata' })).toEqual({ resourceVersion: '99' });
  });

  it('may be a Table', () => {
    const table = as({ transform: 'Table' });
    expect(table).toMatchObject({ kind: 'Table', metadata: { resourceVersion: '99' } });
    expect((table['rows'] as JsonObject[]).map(({ cells }) => (cells as unknown[])[0])).toEqual([
      'a',
      'b',
    ]);
  });

  it('may be a Table of the older version, with objects of that version', () => {
    const table = as({ transform: 'Table', metaVersion: 'v1beta1' });
    const apiVersion = 'meta.k8s.io/v1beta1';
    const [row] = table['rows'] as JsonObject[];
    expect(table).toMatchObject({ kind: 'Table', apiVersion });
    expect(row?.['object']).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion });
  });

  it('may be protobuf', () => {
    const bytes = Buffer.concat(chunksOf(listOf(items), { ...PLAIN, type: 'protobuf' }));
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('k8s\0');
    expect(bytes.includes('ConfigMapList')).toBe(true);
  });

  it('may be YAML', () => {
    const text = textOf(listOf(items), { ...PLAIN, type: 'yaml' });
    expect(text).toContain('kind: ConfigMapList');
    expect(text).not.toContain('kind: ConfigMap\n');
  });

  it('may be another version than the stored one', () => {
    const v1 = resource('autoscaling', 'v1', 'horizontalpodautoscalers');
    const object = {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      metadata: { name: 'h', namespace: 'ns', uid: 'u' },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
          },
        ],
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    };
    const list = JSON.parse(textOf(listOf([stored(5, object)], { served: v1 }))) as JsonObject;
    expect(list).toMatchObject({
      kind: 'HorizontalPodAutoscalerList',
      apiVersion: 'autoscaling/v1',
      items: [{ spec: { targetCPUUtilizationPercentage: 70 } }],
    });
  });
});
