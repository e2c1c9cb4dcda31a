import { expect, it } from 'vitest';

import { testClock } from '../../actors/request/given.fixture.ts';
import { loggedEvent, selection } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { encodeProtobuf } from '../negotiation/protobuf-codec.ts';
import { PLAIN } from '../watch/given-session.fixture.ts';
import { HTTP_FRAMING } from '../watch/framing.ts';
import { EncoderForm, WatchEncoder } from '../watch/watch-encoder.ts';
import { servedValue } from './object-form.ts';
import { storedProtobuf } from './stored-protobuf.ts';

const MIB = 1024 * 1024;

function anObject(version: number, data = 'b'): StoredObject {
  return storedObject(loggedEvent(version, { path: 'ns/a', data }));
}

it('is what a new encoding would be, made once for the answer and for watches of all shapes', () => {
  const stored = anObject(7);
  let reads = 0;
  const object: StoredObject = {
    ...stored,
    path: stored.path,
    get json() {
      reads += 1;
      return stored.json;
    },
  };
  const { typeId } = configMaps.facts;
  const fresh = encodeProtobuf(servedValue(configMaps, stored), typeId);
  const answered = storedProtobuf(configMaps, object);
  for (const labelSelector of ['', 'a=b']) {
    const form = new EncoderForm({
      served: configMaps,
      media: { ...PLAIN, type: 'protobuf' },
      framing: HTTP_FRAMING,
      clock: testClock(),
      failed: (error) => expect.unreachable(String(error)),
    });
    const encoder = new WatchEncoder(form, { selection: { ...selection(), key: labelSelector } });
    const rendered = encoder.render([
      { type: 'ADDED', resourceVersion: object.resourceVersion, object },
    ]);
    expect(rendered.includes(answered)).toBe(true);
  }
  expect(answered).toEqual(fresh);
  expect(storedProtobuf(configMaps, object)).toBe(answered);
  // Once to be written, and once for each shape to see how large it is.
  expect(reads).toBe(3);
});

it('is made for each served type', () => {
  const object = anObject(8);
  const other = {
    ...configMaps,
    facts: { ...configMaps.facts, typeId: 'io.k8s.api.core.v1.Secret' },
  };
  expect(storedProtobuf(other, object)).not.toEqual(storedProtobuf(configMaps, object));
});

it('is kept for a while and not for ever', () => {
  const object = anObject(9);
  const first = storedProtobuf(configMaps, object);
  const large = 'x'.repeat(MIB);
  for (let nth = 0; nth < 2; nth += 1) storedProtobuf(configMaps, anObject(10 + nth, large));
  expect(storedProtobuf(configMaps, object)).toBe(first);
  for (let nth = 0; nth < 10; nth += 1) storedProtobuf(configMaps, anObject(20 + nth, large));
  const again = storedProtobuf(configMaps, object);
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
