/** What is read back from a disk, a topic or a file: torn, with flipped bits, or of another program. */
import {
  eventOf,
  DamagedRecordError,
  decodeRecord,
  encodeRecord,
  recordOf,
} from '../../../streams/event-codec.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { decodeBatches, encodeBatch, endOfBatches } from '../../../streams/kafka/record-batch.ts';
import { ownHeaders } from '../../../streams/kafka/record-headers.ts';
import {
  DamagedArchiveError,
  endMark,
  endOf as endOfArchive,
  headerOf,
  LineChain,
  recordFrom,
  recordValue,
} from '../../../streams/archive/archive-format.ts';
import { loggedAt } from '../../../streams/event-codec.ts';
import {
  UnreadableValueError,
  ProviderChain,
  keyedProvider,
} from '../../../streams/encryption/sealing-provider.ts';
import { aesCbc, aesGcm, secretbox } from '../../../streams/encryption/ciphers.ts';
import {
  isSealed,
  keyIdIn,
  objectWithoutKey,
  openObject,
  sealObject,
} from '../../../streams/encryption/sealed-value.ts';
import { decodeManifest, encodeManifest } from '../../../streams/snapshots/snapshot.ts';
import {
  bufferOf,
  decodedBy,
  holds,
  prototypesAreUntouched,
  textOf,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { jsonOf } from '../target-values.ts';

const EVENT: ProposedEvent = {
  writer: 'writer-a',
  sequence: 7,
  type: 'modified',
  resource: 'core/configmaps',
  path: 'default/web',
  previousResourceVersion: resourceVersion(5),
  requires: [
    { resource: 'core/namespaces', path: '/default', resourceVersion: resourceVersion(3) },
  ],
  json: Buffer.from(
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"default"}}',
  ),
  time: 1_700_000_000_000,
  uid: 'uid-1',
  user: 'jane',
  verb: 'update',
  auditID: 'audit-1',
  fieldManager: 'kubectl',
};
const MARKER: ProposedEvent = {
  ...EVENT,
  type: 'marker',
  resource: '',
  path: '',
  json: Buffer.alloc(0),
  uid: '',
  user: '',
  verb: '',
  auditID: '',
  fieldManager: '',
  requires: [],
  previousResourceVersion: resourceVersion(0),
};
const VERSION = resourceVersion(9);
const OTHER: ProposedEvent = { ...EVENT, sequence: 8, user: 'ä\u{1f600}', requires: [] };

/** A frame of the embedded log. One changed bit of a frame that was written makes it unreadable. */
const frame: FuzzTarget = {
  seeds: [EVENT, OTHER, MARKER].map(encodeRecord),
  run(input) {
    const event = decodedBy([DamagedRecordError], () => decodeRecord(bufferOf(input), VERSION));
    if (event !== undefined) holds(encodeRecord(event).equals(input), 'what is taken was written');
  },
};

/** One bit of a whole frame is flipped, or its end torn off: which and where the input says. */
const tornFrame: FuzzTarget = {
  seeds: [Buffer.of(0, 0, 0, 1), Buffer.of(1, 1, 2, 3), Buffer.of(2, 0, 9, 128)],
  bytesMax: 16,
  run(input) {
    const whole = encodeRecord([EVENT, OTHER, MARKER][(input[0] ?? 0) % 3] ?? EVENT);
    const at = (((input[2] ?? 0) << 8) | (input[3] ?? 0)) % whole.length;
    const torn = (input[1] ?? 0) % 2 === 1 ? whole.subarray(0, at) : Buffer.from(whole);
    if (torn.length === whole.length) torn[at] = (torn[at] ?? 0) ^ (1 << ((input[4] ?? 0) % 8));
    const event = decodedBy([DamagedRecordError], () => decodeRecord(torn, VERSION));
    holds(event === undefined, 'what was torn or changed is never taken');
  },
};

/** The way of what the broker gives: batches, their records, and what they say. */
const kafkaBatches: FuzzTarget = {
  seeds: [
    encodeBatch([recordOf(EVENT), recordOf(OTHER)], 5),
    encodeBatch([recordOf(MARKER)], 5),
    encodeBatch(
      [{ key: 'k', value: Buffer.of(1), headers: { __proto__x: 'a', constructor: 'b' } }],
      5,
    ),
    Buffer.concat([
      encodeBatch([recordOf(EVENT)], 5),
      encodeBatch([recordOf(OTHER)], 6).subarray(0, 100),
    ]),
  ],
  dictionary: [
    '\x02',
    '\xff\xff\xff\xff',
    '\x80\x00\x00\x00',
    '\x7f\xff\xff\xff',
    '__proto__',
    'ce_type',
    'dev.everwatch.marker',
  ],
  run(input) {
    const bytes = bufferOf(input);
    tornBy(() => endOfBatches(bytes));
    const decoded = tornBy(() => decodeBatches(bytes, 0));
    for (const record of decoded?.records ?? []) {
      if (record.isForeignBecause !== undefined) continue;
      decodedBy([DamagedRecordError], () => eventOf(record, VERSION));
    }
    prototypesAreUntouched();
  },
};

/** The reader takes every error for that of a record of another program. */
function tornBy<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    const isTorn = error instanceof RangeError && !error.message.startsWith('Maximum call stack');
    if (isTorn) return undefined;
    throw error;
  }
}

const HEADER_BYTES = encodeBatch([recordOf(EVENT)], 5);
const HEADERS_AT = HEADER_BYTES.indexOf('content-type') - 2;

const kafkaHeaders: FuzzTarget = {
  seeds: [HEADER_BYTES.subarray(HEADERS_AT), HEADER_BYTES.subarray(HEADERS_AT, -5)],
  dictionary: ['ce_type', 'writer', 'sequence', '\xff\x7f', '\x00'],
  run(input) {
    const headers = ownHeaders(bufferOf(input).toString('latin1'));
    const size = Object.values(headers ?? {}).reduce((sum, one) => sum + one.length, 0);
    holds(size <= input.length, 'headers are no longer than their bytes');
    if (headers === undefined) return;
    const record = { key: 'core/configmaps/default/web', value: Buffer.alloc(0), headers };
    const event = decodedBy([DamagedRecordError], () => eventOf(record, VERSION));
    if (event !== undefined) holds(Number.isSafeInteger(event.sequence), 'numbers are numbers');
  },
};

const KEY = Buffer.alloc(32, 1);
const SECRET = { resource: 'core/secrets', path: 'default/a', uid: 'u' };
const SECRET_JSON = Buffer.from('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}');

const sealedValue: FuzzTarget = {
  seeds: [
    sealObject(SECRET, SECRET_JSON, { id: 'k1', key: KEY }),
    sealObject(SECRET, Buffer.from('{}'), { id: 'k2', key: KEY }),
  ],
  run(input) {
    if (!isSealed(input)) return;
    decodedBy([UnreadableValueError], () => keyIdIn(input));
    const plain = decodedBy([UnreadableValueError], () => openObject(SECRET, input, KEY));
    if (plain !== undefined)
      holds(
        plain.equals(SECRET_JSON) || plain.toString() === '{}',
        'only what was sealed is opened',
      );
    decodedBy([UnreadableValueError], () => objectWithoutKey(SECRET, input, 'erased'));
  },
};

const named = { name: 'k', secret: KEY };
const PLACE = Buffer.from('place');
const AUTHENTICATED = [
  new ProviderChain([keyedProvider('k8s:enc:aesgcm:v1:', [aesGcm(named)])]),
  new ProviderChain([keyedProvider('k8s:enc:secretbox:v1:', [secretbox(named)])]),
];
const UNAUTHENTICATED = new ProviderChain([keyedProvider('k8s:enc:aescbc:v1:', [aesCbc(named)])]);
const PLAIN = Buffer.from('plain text');

const sealedKeys: FuzzTarget = {
  seeds: [...AUTHENTICATED, UNAUTHENTICATED].map((chain) => chain.seal(PLAIN, PLACE)),
  dictionary: ['k8s:enc:', 'aesgcm:v1:', 'aescbc:v1:', 'secretbox:v1:', 'k:', 'identity'],
  run(input) {
    const bytes = bufferOf(input);
    for (const chain of AUTHENTICATED) {
      const opened = decodedBy([UnreadableValueError], () => chain.open(bytes, PLACE));
      if (opened !== undefined) holds(opened.plain.equals(PLAIN), 'only what was sealed is opened');
    }
    // Cannot tell whether it was changed; but what it gives is never longer than what it got.
    const opened = decodedBy([UnreadableValueError], () => UNAUTHENTICATED.open(bytes, PLACE));
    holds((opened?.plain.length ?? 0) <= input.length, 'nothing comes of nothing');
  },
};

const chain = new LineChain();
const ARCHIVE_LINES = [
  chain.write({
    everwatch: 'archive',
    format: 1,
    kind: 'log',
    from: 1,
    to: 9,
    source: 'a',
    created: 'b',
  }),
  chain.write(recordValue(loggedAt(EVENT, VERSION))),
];

/** The text of a line, of which the checksum is made here: chance would never find it. */
const archiveLines: FuzzTarget = {
  seeds: [
    '{"everwatch":"archive","format":1,"kind":"log","from":1,"to":9,"source":"a","created":"b"}',
    JSON.stringify(recordValue(loggedAt(EVENT, VERSION))),
    JSON.stringify(recordValue(loggedAt(MARKER, VERSION))),
    '{"version":1,"key":"a/b/c/d","headers":{"__proto__":"x"},"base64":"AAAA"}',
    ...ARCHIVE_LINES,
  ],
  dictionary: [
    '"everwatch":',
    '"format":',
    '"kind":"moment"',
    '"from":',
    '"headers":',
    '"ce_type":',
    '"base64":',
    '"version":',
  ],
  run(input) {
    decodedBy([DamagedArchiveError], () => new LineChain().read(bufferOf(input)));
    const value = jsonOf(textOf(input));
    if (value === undefined) return;
    decodedBy([DamagedArchiveError], () => headerOf(value));
    const event = decodedBy([DamagedArchiveError, DamagedRecordError], () => recordFrom(value));
    if (event === undefined) return;
    const again = recordFrom(JSON.parse(JSON.stringify(recordValue(event))));
    holds(encodeRecord(again).equals(encodeRecord(event)), 'a record comes back as it was');
    prototypesAreUntouched();
  },
};

const archiveEnd: FuzzTarget = {
  seeds: [endMark({ state: 1, records: 2 }, 'a'.repeat(64)), endMark({ state: 0, records: 0 }, '')],
  run(input) {
    const end = endOfArchive(bufferOf(input));
    if (end !== undefined)
      holds(endMark(end, end.sha256).equals(input), 'nothing in an end is free');
  },
};

const MANIFEST = encodeManifest({
  header: {
    version: VERSION,
    identity: 'writer-a:7',
    time: 5,
    writers: new Map([['writer-a', 7]]),
  },
  objects: 1,
  chunks: ['a'.repeat(64)],
});

const manifest: FuzzTarget = {
  seeds: [MANIFEST, MANIFEST.subarray(0, -1)],
  run(input) {
    const decoded = decodeManifest(bufferOf(input));
    if (decoded !== undefined)
      holds(encodeManifest(decoded).equals(input), 'what is taken was written');
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'log-frame': frame,
  'torn-log-frame': tornFrame,
  'kafka-batches': kafkaBatches,
  'kafka-headers': kafkaHeaders,
  'sealed-value': sealedValue,
  'sealed-keys': sealedKeys,
  'archive-lines': archiveLines,
  'archive-end': archiveEnd,
  'snapshot-manifest': manifest,
};
