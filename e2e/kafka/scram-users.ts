/**
 * Makes users for SCRAM. kafkajs has no word for it, and Kafka's own tool is not in its library,
 * so this says AlterUserScramCredentials by hand: API 51, version 0, all fields compact.
 */
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

import { FrameSplitter } from '../support/kafka-frames.ts';

const ALTER_USER_SCRAM_CREDENTIALS = 51;
const ITERATIONS = 4_096;
/** What the protocol calls the mechanisms, and what they are made with. */
const MECHANISMS = [
  { number: 1, hash: 'sha256', bytes: 32 },
  { number: 2, hash: 'sha512', bytes: 64 },
] as const;

export interface ScramUser {
  readonly name: string;
  readonly password: string;
}

type Mechanism = (typeof MECHANISMS)[number];

/** With SHA-256 and SHA-512. `address` is a listener without security. @throws when refused. */
export async function makeScramUser(address: string, user: ScramUser): Promise<void> {
  // Kafka takes one mechanism of a user in a request.
  for (const mechanism of MECHANISMS) {
    const answer = await answerTo(address, requestFor(user, mechanism));
    // Behind length, correlation, tags, throttle time and the number of results: the user's name.
    const nameBytes = answer.readUInt8(14) - 1;
    const error = answer.readInt16BE(15 + nameBytes);
    if (error !== 0) throw new Error(`Kafka refuses the user ${user.name}: ${String(error)}`);
  }
}

async function answerTo(address: string, request: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const frames = new FrameSplitter();
  try {
    return await new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        const [frame] = frames.push(chunk);
        if (frame !== undefined) resolve(frame);
      });
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}

function requestFor({ name, password }: ScramUser, { number, hash, bytes }: Mechanism): Buffer {
  const salt = randomBytes(16);
  const request = Buffer.concat([
    Buffer.from([0, ALTER_USER_SCRAM_CREDENTIALS, 0, 0]),
    int32(1),
    NO_CLIENT_ID,
    NO_TAGS,
    listOf(0),
    listOf(1),
    compact(Buffer.from(name)),
    Buffer.from([number]),
    int32(ITERATIONS),
    compact(salt),
    compact(pbkdf2Sync(password, salt, ITERATIONS, bytes, hash)),
    NO_TAGS,
    NO_TAGS,
  ]);
  return Buffer.concat([int32(request.length), request]);
}

const NO_CLIENT_ID = Buffer.from([0xff, 0xff]);
const NO_TAGS = Buffer.from([0]);

/** The head of a list of so many. */
function listOf(count: number): Buffer {
  return Buffer.from([count + 1]);
}

/** Shorter than 127 bytes, as all here are. */
function compact(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([bytes.length + 1]), bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
