import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DamagedRecordError,
  decodeRecord,
  encodeRecord,
  encodeRecords,
  eventOf,
  loggedAt,
  recordOf,
  type EventRecord,
} from './event-codec.ts';
import { proposedEvent, proposedMarker } from './proposed-event.fixture.ts';
import type { LoggedEvent, ProposedEvent } from './event.ts';
import { resourceVersion } from './resource-version.ts';

const VERSION = resourceVersion(42);

const anyVersion = fc.maxSafeNat().map((position) => resourceVersion(position));
const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const anyEvent: fc.Arbitrary<ProposedEvent> = fc.record({
  writer: anyText,
  sequence: fc.maxSafeNat(),
  type: fc.constantFrom('added', 'modified', 'deleted'),
  resource: fc.constantFrom('core/pods', 'rbac.authorization.k8s.io/clusterroles'),
  path: fc.tuple(anyText, anyText).map(([namespace, name]) => `${namespace}/${name}`),
  previousResourceVersion: anyVersion,
  requires: fc.array(fc.record({ resource: anyText, path: anyText, resourceVersion: anyVersion }), {
    maxLength: 3,
  }),
  json: fc.uint8Array({ maxLength: 200 }),
  time: fc.nat({ max: 4_000_000_000_000 }),
  uid: anyText,
  user: anyText,
  verb: anyText,
  auditID: anyText,
  fieldManager: anyText,
});

function plain(event: ProposedEvent | LoggedEvent): unknown {
  return { ...event, json: Buffer.from(event.json).toString('latin1') };
}

function logged(event: ProposedEvent): unknown {
  return plain({ ...event, resourceVersion: VERSION });
}

it('leaves an event that is told at once the labels that its writer knows', () => {
  const event = { ...proposedEvent(1), labels: { app: 'web' } };
  const whole = { ...event, resourceVersion: VERSION };
  expect(loggedAt(event, VERSION)).toEqual(whole);
  expect(decodeRecord(encodeRecord(event), VERSION)).not.toHaveProperty('labels');
});

describe('the frame of the embedded log', () => {
  it('gives back every event as it was', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(plain(decodeRecord(encodeRecord(event), VERSION))).toEqual(logged(event));
      }),
    );
  });

  it('gives back the events of a batch, whose frames lie side by side', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
        const frames = encodeRecords(events);
        expect(frames.map((frame) => plain(decodeRecord(frame, VERSION)))).toEqual(
          events.map(logged),
        );
        expect(frames).toEqual(events.map(encodeRecord));
      }),
    );
  });

  it('carries a marker', () => {
    const frame = encodeRecord(proposedMarker(3));

    expect(plain(decodeRecord(frame, VERSION))).toEqual(logged(proposedMarker(3)));
  });

  it('gives the value as a part of the frame, without a copy', () => {
    const frame = encodeRecord(proposedEvent(1));
    const { json } = decodeRecord(frame, VERSION);

    expect(json.buffer).toBe(frame.buffer);
    expect(json.byteOffset + json.length).toBe(frame.byteOffset + frame.length);
  });

  it('names a frame of which any byte was changed', () => {
    const frame = encodeRecord(proposedEvent(1));
    for (let at = 0; at < frame.length; at += 1) {
      const damaged = Buffer.from(frame);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(() => decodeRecord(damaged, VERSION), `byte ${String(at)}`).toThrow(
        DamagedRecordError,
      );
    }
  });

  it('names a frame that was cut off', () => {
    const frame = encodeRecord(proposedEvent(1));
    for (let size = 0; size < frame.length; size += 1) {
      expect(() => decodeRecord(frame.subarray(0, size), VERSION)).toThrow(DamagedRecordError);
    }
    expect(() => decodeRecord(frame.subarray(0, 20), VERSION)).toThrow(/record at 42 /);
  });

  it('keeps the layout that is on disks already', () => {
    const event = proposedEvent(1, { json: Buffer.from('{}'), time: 5, uid: 'u' });
    expect(encodeRecord(event).toString('latin1', 9)).toBe(
      '["writer-a",1,"added","core/configmaps","default/object-1",0,[],5,"u","jane","create",' +
        '"audit-1","kubectl"]{}',
    );
    expect(encodeRecord(event).toString('hex', 0, 9)).toBe('01b477c2130000006a');
  });
});

describe('the record of Kafka', () => {
  it('is readable by any tool', () => {
    const event = proposedEvent(7, {
      type: 'modified',
      previousResourceVersion: resourceVersion(3),
      requires: [
        { resource: 'core/namespaces', path: '/default', resourceVersion: resourceVersion(2) },
      ],
    });

    const record = recordOf(event);

    expect(record.key).toBe('core/configmaps/default/object-7');
    expect(record.value).toBe(event.json);
    expect(record.headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: 'writer-a:7',
      ce_source: '/core/configmaps',
      ce_type: 'dev.everwatch.object.modified',
      ce_time: '2023-11-14T22:13:20.007Z',
      ce_subject: 'default/object-7',
      writer: 'writer-a',
      sequence: '7',
      previousResourceVersion: '3',
      requires: '[["core/namespaces","/default",2]]',
      uid: 'uid-7',
      user: 'jane',
      verb: 'create',
      auditID: 'audit-7',
      fieldManager: 'kubectl',
    });
  });

  it('has an empty namespace for cluster scope', () => {
    const event = proposedEvent(1, { resource: 'core/namespaces', path: '/default' });

    expect(recordOf(event).key).toBe('core/namespaces//default');
    expect(eventOf(recordOf(event), VERSION).path).toBe('/default');
  });

  it('gives back every event as it was', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(plain(eventOf(recordOf(event), VERSION))).toEqual(logged(event));
      }),
    );
  });

  it('carries a marker in the fewest headers, with a value that is empty and not null', () => {
    const record = recordOf(proposedMarker(7));

    expect(record).toEqual({
      key: 'everwatch/marker',
      value: Buffer.alloc(0),
      headers: {
        ce_specversion: '1.0',
        ce_id: 'writer-a:7',
        ce_source: '/everwatch/marker',
        ce_type: 'dev.everwatch.marker',
        ce_time: '2023-11-14T22:13:20.007Z',
        writer: 'writer-a',
        sequence: '7',
      },
    });
    expect(plain(eventOf(record, VERSION))).toEqual(logged(proposedMarker(7)));
  });

  it('names what only pretends to be a marker', () => {
    const record = recordOf(proposedMarker(7));
    const key = 'core/configmaps/default/object-7';

    expect(() => eventOf({ ...record, key }, VERSION)).toThrow(/its key is not everwatch\/marker/);
    const value = Buffer.from('{}');
    expect(() => eventOf({ ...record, value }, VERSION)).toThrow(/has a value/);
    const { headers } = record;
    for (const name of ['writer', 'sequence', 'ce_time', 'ce_type']) {
      const left = Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
      expect(() => eventOf({ ...record, headers: left }, VERSION), name).toThrow(
        DamagedRecordError,
      );
    }
    expect(() => eventOf({ ...recordOf(proposedEvent(1)), key: record.key }, VERSION)).toThrow(
      DamagedRecordError,
    );
  });

  it('names a record that lacks a header, or has nonsense in one', () => {
    const record = recordOf(proposedEvent(1));
    const needed = Object.keys(record.headers).filter(
      (name) =>
        !['content-type', 'ce_specversion', 'ce_id', 'ce_source', 'ce_subject'].includes(name),
    );
    expect(needed).toHaveLength(11);
    for (const name of needed) {
      const headers = Object.fromEntries(
        Object.entries(record.headers).filter(([other]) => other !== name),
      );
      expect(() => eventOf({ ...record, headers }, VERSION), name).toThrow(DamagedRecordError);
    }
    const nonsense: [string, string][] = [
      ['sequence', '1e3'],
      ['sequence', '-1'],
      ['previousResourceVersion', ''],
      ['ce_type', 'dev.everwatch.object.'],
      ['ce_time', 'yesterday'],
      ['requires', '{'],
      ['requires', '{}'],
      ['requires', '[["a","b","1"]]'],
      ['requires', '[["a","b",-1.5]]'],
    ];
    for (const [name, text] of nonsense) {
      const changed: EventRecord = { ...record, headers: { ...record.headers, [name]: text } };
      expect(() => eventOf(changed, VERSION), `${name}: ${text}`).toThrow(DamagedRecordError);
    }
    for (const key of ['', 'core', 'core/pods', 'core/pods/default']) {
      expect(() => eventOf({ ...record, key }, VERSION), key).toThrow(DamagedRecordError);
    }
  });
});
