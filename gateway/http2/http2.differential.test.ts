/** Blocks of headers and frames, read and written by us and by golang.org/x/net/http2. */
import { describe, expect, it } from 'vitest';
import {
  goOracle,
  oneOf,
  seededDice,
  several,
  type Dice,
} from '../../api/patch/go-oracle.fixture.ts';
import { checkFrame, contentOf } from './frame-rules.ts';
import { FrameReader } from './frame-reader.ts';
import { CODE, ConnectionError, FLAG, FRAME } from './frames.ts';
import { frame, PREFACE } from './given-connection.fixture.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder } from './hpack-encoder.ts';

const LIMITS = { fields: 1e6, fieldBytes: 1e9, listBytes: 1e9 };
const RUNS = 1_500;

interface Answer {
  readonly decoded?: readonly (readonly (readonly [string, string])[] | null)[];
  readonly encoded?: readonly string[];
  readonly frames?: readonly ReadFrame[];
  readonly code?: number;
}

interface ReadFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly length: number;
}

const NAMES = [
  ...[':path', ':status', 'accept', 'content-type', 'x-a', 'user-agent', 'authorization', 'x'],
] as unknown as readonly [string, ...string[]];

function text(dice: Dice): string {
  const length = oneOf(dice, [0, 1, 5, 30, 127, 128, 300, 5_000]);
  const from = oneOf(dice, [0x20, 0x61, 0x80]);
  const range = oneOf(dice, [1, 20, 95, 128]);
  return several(dice, [length, length], () =>
    String.fromCharCode(Math.min(255, from + dice(range))),
  ).join('');
}

function fields(dice: Dice): [string, string][] {
  return several(dice, [0, 12], () => [oneOf(dice, NAMES), text(dice)]);
}

/** undefined: it is no block. */
function decoded(decoder: HpackDecoder, bytes: Buffer): string[] | undefined {
  try {
    return [...decoder.decode(bytes, 0, bytes.length).fields];
  } catch (error) {
    if (error instanceof ConnectionError && error.code === CODE.compressionError) return undefined;
    throw error;
  }
}

const oracle = await goOracle('http2');

describe.skipIf(oracle === undefined)('as Go', () => {
  const ask = (questions: readonly object[]): Answer[] => oracle?.(questions) ?? [];

  it('reads the blocks that Go writes, whatever the size of the table', () => {
    const dice = seededDice(7541);
    const questions = Array.from({ length: RUNS / 5 }, () => {
      const encode = several(dice, [1, 8], () => fields(dice));
      const sizes = encode.map(() => (dice(3) === 0 ? oneOf(dice, [0, 40, 100, 500, 4_096]) : -1));
      return { encode, sizes };
    });
    for (const [at, { encoded = [] }] of ask(questions).entries()) {
      const decoder = new HpackDecoder(LIMITS);
      const read = encoded.map((block) => decoded(decoder, Buffer.from(block, 'hex')));
      expect(read).toEqual(questions[at]?.encode.map((block) => block.flat()));
    }
  });

  it('reads blocks that are broken in the same places, and the same of them', () => {
    const dice = seededDice(9113);
    const written = ask(
      Array.from({ length: RUNS }, () => {
        const encode = several(dice, [1, 3], () => fields(dice).slice(0, 4));
        return { encode, sizes: encode.map(() => (dice(5) === 0 ? 200 : -1)) };
      }),
    );
    const questions = written.map(({ encoded = [] }) => ({
      decode: encoded.map((block) => broken(Buffer.from(block, 'hex'), dice).toString('hex')),
    }));
    let refused = 0;
    for (const [at, { decoded: theirs = [] }] of ask(questions).entries()) {
      const decoder = new HpackDecoder(LIMITS);
      for (const [number, block] of theirs.entries()) {
        const bytes = Buffer.from(questions[at]?.decode[number] ?? '', 'hex');
        const ours = decoded(decoder, bytes);
        expect({ block: bytes.toString('hex'), ours }).toEqual({
          block: bytes.toString('hex'),
          ours: block?.flat(),
        });
        if (ours === undefined) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(RUNS / 10);
  });

  it('writes blocks that Go reads, whatever the size of the table', () => {
    const dice = seededDice(31);
    const sent: string[][][] = [];
    const questions = Array.from({ length: RUNS / 5 }, () => {
      const encoder = new HpackEncoder();
      const all: string[][] = [];
      const decode = several(dice, [1, 8], () => {
        const headers = Object.fromEntries(
          several(dice, [0, 10], () => [
            oneOf(dice, ['Audit-Id', 'X-A', 'content-type', 'Content-Length', 'Warning', 'x-b']),
            oneOf(dice, ['', 'a', 'application/json', 'b'.repeat(200), 'c'.repeat(5_000)]),
          ]),
        );
        const code = oneOf(dice, [200, 201, 404, 503]);
        // A table may be made smaller and larger again before the next block.
        if (dice(3) === 0) encoder.resize(oneOf(dice, [0, 60, 300]));
        if (dice(3) === 0) encoder.resize(oneOf(dice, [50, 1_000, 1e6]));
        const block = Buffer.from(encoder.encode(code, headers, 'now')).toString('hex');
        const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        all.push([[':status', String(code)], ...pairs, ['date', 'now']].flat());
        return block;
      });
      sent.push(all);
      return { decode };
    });
    const answers = ask(questions).map(({ decoded: read = [] }) => read.map((one) => one?.flat()));
    expect(answers).toEqual(sent);
  });

  it('reads frames to the same end, and refuses them for the same reason', () => {
    const dice = seededDice(4);
    const sent = Array.from({ length: RUNS }, () =>
      Buffer.concat(several(dice, [1, 6], () => anyFrame(dice))),
    );
    const answers = ask(sent.map((bytes) => ({ frames: bytes.toString('hex') })));
    for (const [at, bytes] of sent.entries()) {
      const { frames = [], code = -1 } = answers[at] ?? {};
      expect({ sent: bytes.toString('hex'), ...framesIn(bytes, dice) }).toEqual({
        sent: bytes.toString('hex'),
        frames,
        code,
      });
    }
  });
});

function framesIn(bytes: Buffer, dice: Dice): { frames: ReadFrame[]; code: number } {
  const frames: ReadFrame[] = [];
  const reader = new FrameReader((one) => {
    checkFrame(one);
    if (one.type <= FRAME.headers) contentOf(one);
    const { type, flags, stream, from, to } = one;
    frames.push({ type, flags, stream, length: to - from });
  });
  try {
    for (let at = 0; at < bytes.length || at === 0;) {
      const end = at + 1 + dice(40);
      reader.read(
        at === 0 ? Buffer.concat([PREFACE, bytes.subarray(at, end)]) : bytes.subarray(at, end),
      );
      at = end;
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { frames, code: error.code };
  }
  return { frames, code: -1 };
}

/** Mostly right; of headers each is whole, for Go's reader asks for their order as well. */
function anyFrame(dice: Dice): Buffer {
  const type = oneOf(dice, [0, 1, 2, 3, 4, 6, 7, 8, 0x20]);
  const isOfConnection = [4, 6, 7].includes(type) || (type === 8 && dice(2) === 0);
  // One fault at a time: which of two is told first is a matter of taste.
  const isMisplaced = dice(20) === 0;
  const stream = isOfConnection !== isMisplaced ? 0 : 1 + dice(9);
  const right = new Map([
    [2, 5],
    [3, 4],
    [4, 6 * dice(3)],
    [6, 8],
    [7, 8 + dice(4)],
    [8, 4],
  ]).get(type);
  const length = dice(15) === 0 && !isMisplaced ? dice(12) : (right ?? dice(30));
  // The bytes name no stream that the frame could be on, and open no window by nothing.
  const payload = Buffer.from(several(dice, [length, length], () => 0x10 + dice(0x60)));
  if (type === 4) for (let at = 0; at + 6 <= length; at += 6) payload.set([0, 3], at);
  const padded = type <= 1 && dice(3) === 0 ? FLAG.padded : 0;
  if (padded !== 0 && length > 0) payload[0] = dice(length + 2);
  const more = type === 1 ? FLAG.endHeaders | (dice(4) === 0 ? FLAG.priority : 0) : 0;
  const ack = (type === 4 || type === 6) && dice(4) === 0 && !isMisplaced ? FLAG.ack : 0;
  return frame(type, stream, payload, padded | more | ack);
}

function broken(block: Buffer, dice: Dice): Buffer {
  const bytes = Buffer.from(block);
  if (dice(3) === 0 || bytes.length === 0) return bytes;
  if (dice(2) === 0) return bytes.subarray(0, dice(bytes.length));
  bytes[dice(Math.min(bytes.length, 40))] = dice(256);
  return bytes;
}
