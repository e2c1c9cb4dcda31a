/**
 * Reads a protobuf watch as far as a test needs it: the frames, the types, and of the objects which
 * they are. Written by hand, so that it shares nothing with the server's codec.
 *
 * In Kubernetes: the frames of apimachinery/pkg/util/framer, WatchEvent of meta/v1, and Unknown of
 * apimachinery/pkg/runtime behind the four bytes `k8s\0`.
 */
import type { AdminClient } from '../support/admin-client.ts';

export interface ProtobufEvent {
  readonly type: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly resourceVersion: string;
}

export interface ProtobufWatch {
  readonly contentType: string;
  /** Reads until the server ends the watch. @throws when that is in the middle of a frame. */
  all(): Promise<ProtobufEvent[]>;
}

export async function protobufWatch(
  client: AdminClient,
  path: string,
  accept: string,
): Promise<ProtobufWatch> {
  const incoming = await client.open(path, { accept });
  if (incoming.statusCode !== 200) throw new Error(`watch ${path}: ${String(incoming.statusCode)}`);
  return {
    contentType: incoming.headers['content-type'] ?? '',
    async all() {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
      return framesIn(Buffer.concat(chunks)).map(eventIn);
    },
  };
}

/** Each frame has its length before it: four bytes, the highest first. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new Error('the last frame is cut off');
    frames.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

export function eventIn(frame: Buffer): ProtobufEvent {
  const event = fieldsOf(frame);
  const raw = fieldsOf(bytesAt(event, 2));
  const envelope = bytesAt(raw, 1);
  if (envelope.subarray(0, 4).toString('latin1') !== 'k8s\0') throw new Error('no k8s envelope');
  const unknown = fieldsOf(envelope.subarray(4));
  const typeMeta = fieldsOf(bytesAt(unknown, 1));
  const metadata = fieldsOf(bytesAt(fieldsOf(bytesAt(unknown, 2)), 1));
  return {
    type: bytesAt(event, 1).toString(),
    apiVersion: bytesAt(typeMeta, 1).toString(),
    kind: bytesAt(typeMeta, 2).toString(),
    name: bytesAt(metadata, 1).toString(),
    resourceVersion: bytesAt(metadata, 6).toString(),
  };
}

/** The last occurrence of each length-delimited field, by number. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else {
      const length = varint();
      fields.set(Math.floor(tag / 8), message.subarray(at, at + length));
      at += length;
    }
  }
  return fields;
}

function bytesAt(fields: ReadonlyMap<number, Buffer>, number: number): Buffer {
  return fields.get(number) ?? Buffer.alloc(0);
}
