/** Traces: hashes as Rust has them, and what of a log becomes the life of a pod. */
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import type { LoggedChange } from '../../../streams/event.ts';
import { loggedAt } from '../../../streams/event-codec.ts';
import { proposedEvent } from '../../../streams/proposed-event.fixture.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { specHash } from './spec-hash.ts';
import { decodeTrace, encodeTrace, looksLikeTrace, TraceError } from './trace.ts';
import { TraceRecorder } from './trace-recorder.ts';

// Computed by Rust's DefaultHasher (rustc 1.95).
it.each<[JsonValue, bigint]>([
  [null, 13646096770106105413n],
  [true, 4952851536318644461n],
  ['aä', 5207432113017626789n],
  [3, 18270091135093349626n],
  [-3, 11406003021605307337n],
  [1.5, 14071338911868686178n],
  [{ b: { c: false }, a: [1, 'x'] }, 18101109817639596246n],
])('the hash of %j is that of Rust', (value, hash) => {
  expect(specHash(value)).toBe(hash);
});

const START = 1_700_000_000;
let sequence = 0;

function change(
  kind: 'Pod' | 'ReplicaSet' | 'Deployment',
  name: string,
  of: { at: number; type?: 'added' | 'modified' | 'deleted'; owner?: string; rest?: JsonObject },
): LoggedChange {
  sequence += 1;
  const resource = {
    Pod: 'core/pods',
    ReplicaSet: 'apps/replicasets',
    Deployment: 'apps/deployments',
  }[kind];
  const ownerReferences =
    of.owner === undefined ? [] : [{ kind: 'X', name: of.owner, uid: of.owner }];
  const object = {
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', uid: name, ownerReferences },
    ...of.rest,
  };
  const event = proposedEvent(sequence, {
    type: of.type ?? 'added',
    resource,
    path: `shop/${name}`,
    uid: name,
    time: (START + of.at) * 1_000,
    json: Buffer.from(JSON.stringify(object)),
  });
  return loggedAt(event, resourceVersion(sequence)) as LoggedChange; // It is of an object.
}

const spec = { containers: [{ name: 'a', ports: [{ containerPort: 1 }] }], nodeName: 'node-1' };
const time = (second: number): string => new Date((START + second) * 1_000).toISOString();
const running = (second: number): JsonObject => ({
  spec,
  status: { containerStatuses: [{ name: 'a', state: { running: { startedAt: time(second) } } }] },
});
const ended = (from: number, to: number): JsonObject => {
  const terminated = { startedAt: time(from), finishedAt: time(to) };
  return { spec, status: { containerStatuses: [{ name: 'a', state: { terminated } }] } };
};

describe('a trace of a log', () => {
  const recorder = new TraceRecorder(START, () => true);
  recorder.add(change('Deployment', 'web', { at: -9, rest: { spec: { replicas: 1 } } }), true);
  recorder.add(change('ReplicaSet', 'web-1', { at: 1, owner: 'web' }), false);
  recorder.add(change('Pod', 'one', { at: 2, owner: 'web-1', rest: { spec } }), false);
  recorder.add(
    change('Pod', 'one', { at: 4, type: 'modified', owner: 'web-1', rest: running(3) }),
    false,
  );
  recorder.add(
    change('Pod', 'one', { at: 8, type: 'modified', owner: 'web-1', rest: ended(3, 7) }),
    false,
  );
  recorder.add(change('Pod', 'two', { at: 9, owner: 'web-1', rest: running(9) }), false);
  recorder.add(
    change('Pod', 'two', { at: 12, type: 'deleted', owner: 'web-1', rest: running(9) }),
    false,
  );
  recorder.add(change('Pod', 'three', { at: 13, owner: 'web-1', rest: running(13) }), false);
  recorder.add(
    change('Deployment', 'web', {
      at: 14,
      type: 'modified',
      rest: { spec: { replicas: 1 }, status: {} },
    }),
    false,
  );
  recorder.add(
    change('Deployment', 'web', { at: 14, type: 'modified', rest: { spec: { replicas: 2 } } }),
    false,
  );
  recorder.add(
    change('Deployment', 'web', { at: 13, type: 'deleted', rest: { spec: { replicas: 2 } } }),
    false,
  );
  const trace = recorder.trace(START + 20);

  it('has each change of what is no one else to make, in seconds that rise', () => {
    const told = trace.events.map(({ ts, applied, deleted }) => [
      ts - START,
      applied.map((one) => one['spec']),
      deleted.length,
    ]);

    expect(told).toEqual([
      [0, [{ replicas: 1 }], 0],
      [14, [{ replicas: 2 }], 1],
      [20, [], 0],
    ]);
  });

  it('has the pods of an owner, through what lies between, by their common spec', () => {
    expect(trace.lives).toEqual([
      {
        kind: 'apps/v1.Deployment',
        name: 'shop/web',
        byHash: new Map([
          [
            specHash({ containers: [{ name: 'a', volumeMounts: [] }], volumes: [] }),
            [[START + 3, START + 7], [START + 9, START + 12], [START + 13]],
          ],
        ]),
      },
    ]);
  });

  it('is the same when it is read', () => {
    const bytes = encodeTrace(trace);

    expect(looksLikeTrace(bytes)).toBe(true);
    expect(decodeTrace(bytes)).toEqual(trace);
  });
});

it('keeps numbers of 64 bits, and keys that are names of JavaScript', () => {
  const object = JSON.parse(
    '{"spec":{"__proto__":{"a":1},"big":4294967296,"low":-4294967296,"half":0.5}}',
  ) as JsonObject;
  const events = [{ ts: START, applied: [object], deleted: [] }];
  const none = { tracked: new Map(), index: new Map(), lives: [] };
  const read = decodeTrace(encodeTrace({ ...none, events }));

  expect(JSON.stringify(read.events)).toBe(JSON.stringify(events));
});

it.each([
  ['no bytes', Buffer.alloc(0)],
  ['a list', Buffer.from([0x90])],
  ['a map without a version', Buffer.from([0x80])],
  ['a map that says to be longer than it is', Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff, 0x01])],
  ['deep nesting', Buffer.alloc(100_000, 0x91)],
])('refuses %s', (_, bytes) => {
  expect(() => decodeTrace(bytes)).toThrow(TraceError);
});
