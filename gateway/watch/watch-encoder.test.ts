import { describe, expect, it } from 'vitest';

import { readCbor } from '../../api/cbor/cbor-reader.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { expired } from '../../api/meta/status.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { loggedEvent, selection } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { configMaps, servedBuiltIn, servedOfCore } from '../given-config-maps.fixture.ts';
import {
  BINARY_FRAMING,
  CBOR_FRAMING,
  type Framing,
  HTTP_FRAMING,
  LIVE_FRAMING,
  TEXT_FRAMING,
} from './framing.ts';
import type { Selection } from '../../projections/objects/selection.ts';
import { EncoderForm, type EncoderParts, eventsIn, WatchEncoder } from './watch-encoder.ts';
import { PLAIN } from './given-session.fixture.ts';

const failures: unknown[] = [];

function encoder(
  media: Partial<AcceptedMedia> = {},
  more: Partial<EncoderParts> & { readonly selection?: Selection } = {},
): WatchEncoder {
  const form = new EncoderForm({
    served: configMaps,
    media: { ...PLAIN, ...media },
    framing: HTTP_FRAMING,
    clock: testClock(),
    failed: (error) => failures.push(error),
    ...more,
  });
  return new WatchEncoder(form, { selection: more.selection ?? selection() });
}

function event(type: WatchEvent['type'], version: number, name = 'a'): WatchEvent {
  const object = storedObject(loggedEvent(version, { path: `ns/${name}` }));
  return { type, resourceVersion: resourceVersion(version), object };
}

const lines = (bytes: Buffer): JsonObject[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);

describe('events in plain JSON', () => {
  it('are lines around the stored bytes', () => {
    const one = event('ADDED', 1);
    expect(encoder().render([one]).toString()).toBe(
      `{"type":"ADDED","object":${one.object.json.toString()}}\n`,
    );
  });

  it('come together, in order', () => {
    const chunk = encoder().render([event('ADDED', 1), event('MODIFIED', 2), event('DELETED', 3)]);
    expect(lines(chunk).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('are lines for a client that wants them pretty, too', () => {
    expect(
      lines(encoder({ pretty: true }).render([event('ADDED', 1), event('ADDED', 2)])),
    ).toHaveLength(2);
  });
});

describe('events for a live connection', () => {
  it('are elements of a list, and it is told where each is and of which revision', () => {
    const all = [event('ADDED', 1), event('MODIFIED', 2), event('DELETED', 3)];
    const chunk = encoder({}, { framing: LIVE_FRAMING }).render(all);
    const shown = all.map(
      ({ type, object }) => `{"type":"${type}","object":${object.json.toString()}},`,
    );
    expect(chunk.toString()).toBe(shown.join(''));
    expect(eventsIn(chunk)).toEqual({
      revisions: [1, 2, 3],
      sizes: shown.map((text) => Buffer.byteLength(text)),
    });
  });

  it('are an error where an object cannot be read any more, and the others are shown', () => {
    const gone = event('ADDED', 2);
    const object = Object.create(gone.object, {
      json: {
        get: () => {
          throw new Error('version 2 is not in the log any more');
        },
      },
    }) as WatchEvent['object'];
    const all = [event('ADDED', 1), { ...gone, object }, event('ADDED', 3)];
    const chunk = encoder({}, { framing: LIVE_FRAMING }).render(all);
    const shown = JSON.parse(`[${chunk.toString().slice(0, -1)}]`) as JsonObject[];
    expect(shown.map(({ type }) => type)).toEqual(['ADDED', 'ERROR', 'ADDED']);
    expect(eventsIn(chunk)?.sizes.reduce((sum, size) => sum + size, 0)).toBe(chunk.length);
    expect(failures.splice(0)).toHaveLength(1);
  });
});

describe('events in another form', () => {
  it('may be the metadata alone', () => {
    const [shown] = lines(
      encoder({ transform: 'PartialObjectMetadata' }).render([event('ADDED', 1)]),
    );
    expect(shown).toMatchObject({
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a', resourceVersion: '1' } },
    });
    expect(shown?.['object']).not.toHaveProperty('data');
  });

  it('may be Tables, of which the first of each watch brings the columns', () => {
    for (const table of [encoder({ transform: 'Table' }), encoder({ transform: 'Table' })]) {
      const shown = [
        ...lines(table.render([event('ADDED', 1), event('ADDED', 2)])),
        ...lines(table.render([event('MODIFIED', 3)])),
      ].map(({ object }) => object as JsonObject);
      expect(
        shown.map(({ columnDefinitions }) => (columnDefinitions as unknown[] | null)?.length ?? 0),
      ).toEqual([3, 0, 0]);
      expect(shown.map(({ metadata }) => metadata)).toEqual(
        ['1', '2', '3'].map((version) => {
          return { resourceVersion: version };
        }),
      );
    }
  });

  it('may be protobuf, each with its length', () => {
    const chunk = encoder({ type: 'protobuf' }).render([event('ADDED', 1), event('ADDED', 2)]);
    const first = chunk.readUInt32BE(0);
    const second = chunk.readUInt32BE(4 + first);
    expect(chunk.length).toBe(8 + first + second);
    expect(chunk.includes('k8s\0')).toBe(true);
  });

  it('may be a sequence of CBOR, as bookmarks and errors are then', () => {
    const inCbor = encoder({ type: 'cbor' });
    const one = event('ADDED', 1);
    const object = JSON.parse(one.object.json.toString()) as JsonObject;
    const whole = inCbor.render([one]);
    expect(readCbor(whole)).toEqual({ type: 'ADDED', object });
    expect(inCbor.render([one, one])).toEqual(Buffer.concat([whole, whole]));
    const bookmark = readCbor(inCbor.bookmark(resourceVersion(9), false));
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap' } });
    const error = readCbor(inCbor.error(expired('too old')));
    expect(error).toEqual({ type: 'ERROR', object: expired('too old') });
    const partial = encoder({ type: 'cbor', transform: 'PartialObjectMetadata' });
    expect(readCbor(partial.render([one]))).toMatchObject({
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    });
  });

  it('may be messages of a WebSocket', () => {
    const chunk = encoder({}, { framing: TEXT_FRAMING }).render([event('ADDED', 1)]);
    expect(chunk[0]).toBe(0x81);
    const binary = encoder({ type: 'protobuf' }, { framing: BINARY_FRAMING }).render([
      event('ADDED', 1),
    ]);
    expect(binary[0]).toBe(0x82);
    const cbor = encoder({ type: 'cbor' }, { framing: CBOR_FRAMING }).render([event('ADDED', 1)]);
    const whole = encoder({ type: 'cbor' }).render([event('ADDED', 1)]);
    expect([cbor[0], cbor.subarray(-whole.length).equals(whole)]).toEqual([0x82, true]);
  });
});

describe('what is no event', () => {
  it('is a bookmark', () => {
    const version = resourceVersion(9);
    expect(lines(encoder().bookmark(version, false))).toEqual([
      {
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '9' } },
      },
    ]);
    expect(lines(encoder().bookmark(version, true))).toMatchObject([
      { object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    ]);
    expect(
      lines(encoder({ transform: 'PartialObjectMetadata' }).bookmark(version, false)),
    ).toMatchObject([
      { object: { kind: 'PartialObjectMetadata', metadata: { resourceVersion: '9' } } },
    ]);
    expect(lines(encoder({ transform: 'Table' }).bookmark(version, true))).toMatchObject([
      {
        object: {
          kind: 'Table',
          rows: [
            { object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
          ],
        },
      },
    ]);
    expect(encoder({ type: 'protobuf' }).bookmark(version, false).includes('BOOKMARK')).toBe(true);
  });

  it('is a bookmark of an object that has what its type always has', () => {
    for (const each of servedBuiltIn()) {
      const table = encoder({ transform: 'Table' }, { served: each });
      expect(lines(table.bookmark(resourceVersion(9), true))).toMatchObject([{ type: 'BOOKMARK' }]);
    }
    const served = servedOfCore('pods');
    const bookmarked = encoder({}, { served }).bookmark(resourceVersion(9), false);
    expect(lines(bookmarked)).toMatchObject([
      { object: { kind: 'Pod', spec: { containers: null }, status: {} } },
    ]);
    const table = encoder({ transform: 'Table' }, { served });
    const [first = {}, second = {}] = [1, 2].map(
      () => lines(table.bookmark(resourceVersion(9), true))[0],
    );
    expect(first['object']).toHaveProperty('rows.0.cells.1', '0/0');
    // The columns stand in the first event of a watch, whichever that is.
    expect(first['object']).toHaveProperty('columnDefinitions.0.name', 'Name');
    expect(second['object']).toHaveProperty('columnDefinitions', null);
  });

  it('is an error', () => {
    expect(lines(encoder().error(expired('too old')))).toEqual([
      { type: 'ERROR', object: expired('too old') },
    ]);
    expect(encoder({ type: 'protobuf' }).error(expired('too old')).includes('ERROR')).toBe(true);
  });

  it('is an error in the place of what cannot be shown', () => {
    const odd = {
      ...event('ADDED', 1),
      object: { ...event('ADDED', 1).object, json: Buffer.from('no') },
    };
    const shown = lines(
      encoder({ transform: 'Table' }).render([event('ADDED', 1), odd, event('ADDED', 2)]),
    );
    expect(shown.map(({ type }) => type)).toEqual(['ADDED', 'ERROR', 'ADDED']);
    expect(shown[1]).toMatchObject({ object: { kind: 'Status', code: 500 } });
    expect(failures).toHaveLength(1);
  });
});

describe('the key of a shape', () => {
  const key = (...given: Parameters<typeof encoder>): string => encoder(...given).key;

  it('is the same for watchers that see the same bytes', () => {
    expect(key()).toBe(key());
    expect(key({ pretty: true })).toBe(key());
    expect(key({}, { selection: selection({ namespace: 'ns' }) })).toBe(
      key({}, { selection: selection({ namespace: 'ns' }) }),
    );
  });

  it('is another one for watchers that do not', () => {
    const keys = [
      key(),
      key({ type: 'protobuf' }),
      key({ transform: 'PartialObjectMetadata' }),
      key({ transform: 'Table' }),
      // Each has its own columns to come.
      key({ transform: 'Table' }),
      key({}, { framing: TEXT_FRAMING }),
      key({}, { selection: selection({ namespace: 'ns' }) }),
      key({}, { served: { ...configMaps, apiVersion: 'v2' } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

function framed(framing: Framing, event: Buffer): Buffer {
  const out: Buffer[] = [];
  framing.frame(event, out);
  return Buffer.concat(out);
}

/** Reads one frame as RFC 6455 has it. */
function read(frame: Buffer): {
  readonly opcode: number;
  readonly message: Buffer;
  readonly head: number;
} {
  expect((frame[0] ?? 0) & 0xf0).toBe(0x80); // Final, and no extension.
  const short = frame[1] ?? 0;
  expect(short & 0x80).toBe(0); // A server does not mask.
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  const length =
    short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  expect(frame.length).toBe(head + length);
  return { opcode: (frame[0] ?? 0) & 0x0f, message: frame.subarray(head), head };
}

describe('over HTTP', () => {
  it('an event is complete as it is', () => {
    expect(framed(HTTP_FRAMING, Buffer.from('{}\n')).toString()).toBe('{}\n');
  });
});

describe('over WebSocket', () => {
  it.each([
    [0, 2],
    [1, 2],
    [125, 2],
    [126, 4],
    [65_535, 4],
    [65_536, 10],
    [300_000, 10],
  ])('a message of %i bytes has a head of %i', (length, head) => {
    const event = Buffer.alloc(length, 'x');
    const frame = read(framed(TEXT_FRAMING, event));
    expect(frame.opcode).toBe(1);
    expect(frame.head).toBe(head);
    expect(frame.message.equals(event)).toBe(true);
  });

  it('a binary message leaves out the length that its event has over HTTP', () => {
    for (const length of [0, 121, 122, 125, 126, 65_536]) {
      const message = Buffer.alloc(length, 'x');
      const prefix = Buffer.alloc(4);
      prefix.writeUInt32BE(length);
      const frame = read(framed(BINARY_FRAMING, Buffer.concat([prefix, message])));
      expect(frame.opcode).toBe(2);
      expect(frame.message.equals(message)).toBe(true);
    }
  });

  it('events follow each other', () => {
    const out: Buffer[] = [];
    for (const text of ['a', 'bb']) TEXT_FRAMING.frame(Buffer.from(text), out);
    expect(Buffer.concat(out)).toEqual(Buffer.from([0x81, 1, 0x61, 0x81, 2, 0x62, 0x62]));
  });
});
