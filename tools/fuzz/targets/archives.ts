/** Whole archives and snapshots, as a file has them: packed, with all that tells whether they are whole. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeRecord, loggedAt } from '../../../streams/event-codec.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import {
  DamagedArchiveError,
  endMark,
  GZIP_HEADER,
  headerValue,
  LineChain,
  recordValue,
} from '../../../streams/archive/archive-format.ts';
import { checkArchive } from '../../../streams/archive/archive-reader.ts';
import { DamagedSnapshotError, unpackSnapshot } from '../../../streams/snapshots/snapshot.ts';
import { bufferOf, decodedLaterBy, holds, type FuzzTarget } from '../fuzz-target.ts';
import { withFile } from '../scratch-file.ts';
import { jsonOf } from '../target-values.ts';

const HEADER = { kind: 'log', from: resourceVersion(1), to: resourceVersion(3) } as const;
const EVENT: ProposedEvent = {
  writer: 'writer-a',
  sequence: 7,
  type: 'added',
  resource: 'core/configmaps',
  path: 'default/web',
  previousResourceVersion: resourceVersion(0),
  requires: [],
  json: Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web"}}'),
  time: 1_700_000_000_000,
  uid: 'u',
  user: 'jane',
  verb: 'create',
  auditID: 'a',
  fieldManager: '',
};
const RECORDS = [1, 2, 3].map((version) =>
  JSON.stringify(recordValue(loggedAt(EVENT, resourceVersion(version)))),
);
const START = JSON.stringify(headerValue({ ...HEADER, source: 'a', created: 'b' }));
const MOMENT = JSON.stringify({ ...(jsonOf(START) as object), kind: 'moment', from: 4, to: 3 });
const WHOLE = 0;

/** The first byte is 0, and what follows are its lines; else a bit of the file is flipped by it. */
const archives: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.of(WHOLE), Buffer.from([START, ...RECORDS].join('\n'))]),
    Buffer.concat([Buffer.of(WHOLE), Buffer.from([MOMENT, ...RECORDS].join('\n'))]),
    Buffer.of(1, 0, 20, 3),
    Buffer.of(2, 1, 0, 3),
    // Behind its header, what is packed as it stands.
    Buffer.concat([Buffer.of(3), gzipSync(START).subarray(GZIP_HEADER.length)]),
  ],
  dictionary: [
    '"version":',
    '"from":',
    '"to":',
    '"kind":"moment"',
    '"key":',
    '"headers":{',
    '"base64":',
    '\n',
    '{"everwatch":"archive-end"',
  ],
  async run(input) {
    const kind = input[0] ?? WHOLE;
    const file = kind === WHOLE ? archiveOf(input.subarray(1)) : damagedArchive(kind, input);
    const checked = await withFile(file, (path) =>
      decodedLaterBy([DamagedArchiveError], () => checkArchive(path)),
    );
    holds(kind === WHOLE || checked === undefined, 'what was changed is never taken');
    if (checked === undefined) return;
    const lines = linesOf(input.subarray(1)).length;
    holds(checked.state + checked.records === lines - 1, 'every line is a record');
  },
};

function linesOf(bytes: Uint8Array): readonly object[] {
  const values = bufferOf(bytes)
    .toString()
    .split('\n')
    .map((line) => jsonOf(line));
  return values.filter((one) => typeof one === 'object' && one !== null);
}

/** As the writer makes one, of lines that it would never write. */
function archiveOf(bytes: Uint8Array): Buffer {
  const chain = new LineChain();
  const values = linesOf(bytes);
  const packed = gzipSync(values.map((value) => chain.write(value)).join(''), { level: 1 });
  GZIP_HEADER.copy(packed);
  const { from } = (values[0] ?? {}) as { readonly from?: unknown };
  const isState = (value: object): boolean =>
    typeof from === 'number' && 'version' in value && Number(value.version) < from;
  const state = values.slice(1).filter(isState).length;
  const counts = { state, records: Math.max(0, values.length - 1 - state) };
  const sha256 = createHash('sha256').update(packed).digest('hex');
  return Buffer.concat([packed, endMark(counts, sha256)]);
}

const GOOD = archiveOf(Buffer.from([START, ...RECORDS].join('\n')));

function damagedArchive(kind: number, input: Uint8Array): Buffer {
  if (kind === 3) {
    const packed = Buffer.concat([GZIP_HEADER, input.subarray(1)]);
    const mark = endMark({ state: 0, records: 0 }, 'a'.repeat(64));
    return Buffer.concat([packed, mark]);
  }
  const at = (((input[1] ?? 0) << 8) | (input[2] ?? 0)) % GOOD.length;
  if (kind % 2 === 0) return GOOD.subarray(0, at);
  const damaged = Buffer.from(GOOD);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << ((input[3] ?? 0) % 8));
  return damaged;
}

function entry(version: number, frame: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64BE(BigInt(version));
  head.writeUInt32BE(frame.length, 8);
  return Buffer.concat([head, frame]);
}

/** What is in a chunk before it is packed, or the chunk itself where it begins as such. */
const snapshotChunks: FuzzTarget = {
  seeds: [
    Buffer.concat([1, 2].map((version) => entry(version, encodeRecord(EVENT)))),
    entry(0, Buffer.alloc(0)),
    gzipSync(entry(5, Buffer.of(1))),
  ],
  dictionary: ['\xff\xff\xff\xff', '\x00\x00\x00\x00', '\x1f\x8b'],
  async run(input) {
    const isPacked = input[0] === 0x1f && input[1] === 0x8b;
    const chunk = isPacked ? bufferOf(input) : gzipSync(input, { level: 1 });
    const chunks = [createHash('sha256').update(chunk).digest('hex')];
    const header = { version: HEADER.to, identity: 'a:1', time: 1, writers: new Map() };
    const { records } = unpackSnapshot({ header, objects: 1, chunks }, async function* () {
      await Promise.resolve();
      yield chunk;
    });
    const first = await decodedLaterBy([DamagedSnapshotError, RangeError], () =>
      records()[Symbol.asyncIterator]().next(),
    );
    if (first === undefined || first.done === true) return;
    const sizeBytes = first.value.reduce((sum, { frame }) => sum + frame.length + 12, 0);
    holds(isPacked || sizeBytes === input.length, 'every byte is of a record');
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  archives,
  'snapshot-chunks': snapshotChunks,
};
