/** Frames of SPDY, however they are cut; that Go's peer understands them is seen in e2e/streams. */
import { createInflate } from 'node:zlib';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataHead, pingFrame, refusedStream, SpdyReader, SpdyWriter } from './spdy-frames.ts';

function frame(type: number, flags: number, payload: Buffer, version = 3): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head[4] = flags;
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

function word(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value, at * 4));
  return bytes;
}

/** What was read, with the parts of data that follow one another joined. */
function readAll(chunks: readonly Buffer[]): unknown[] {
  const reader = new SpdyReader();
  const told: { kind: string; stream?: number; bytes?: string; isLast?: boolean }[] = [];
  for (const chunk of chunks) {
    for (const event of reader.read(chunk)) {
      const last = told.at(-1);
      if (event.kind !== 'data') told.push(event);
      else if (last?.kind === 'data' && last.stream === event.stream && last.isLast === false) {
        last.bytes = (last.bytes ?? '') + event.bytes.toString('hex');
        last.isLast = event.isLast;
      } else told.push({ ...event, bytes: event.bytes.toString('hex') });
    }
  }
  return told;
}

const aFrame = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.uint8Array({ maxLength: 50 }), fc.boolean())
    .map(([id, bytes, isLast]) => Buffer.concat([dataHead(id, bytes.length, isLast), bytes])),
  fc.nat(9).map((id) => frame(2, id % 2, Buffer.concat([word(id), Buffer.from('never read')]))),
  fc.nat(9).map((id) => frame(1, 0, Buffer.concat([word(id, 0), Buffer.alloc(9)]))),
  fc.nat().map(pingFrame),
  fc.nat().map(refusedStream),
  fc.constantFrom(4, 8, 9, 77).map((type) => frame(type, 0, Buffer.alloc(12))),
  fc.constant(frame(7, 0, word(0, 0))),
);

describe('frames that are read', () => {
  it('are the same wherever they are cut', () => {
    fc.assert(
      fc.property(fc.array(aFrame), fc.array(fc.nat(900)), (frames, cuts) => {
        const bytes = Buffer.concat(frames);
        const at = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(readAll(chunks)).toEqual(readAll([bytes]));
      }),
    );
  });

  it('tell what they are', () => {
    const bytes = Buffer.concat([
      frame(2, 1, word(3)),
      ...[dataHead(5, 2, false), Buffer.from('ab'), dataHead(5, 0, true)],
      ...[refusedStream(7), pingFrame(8), frame(1, 0, word(2, 0)), frame(7, 0, word(0, 0))],
    ]);
    expect([...new SpdyReader().read(bytes)]).toEqual([
      { kind: 'opened', stream: 3, isLast: true },
      { kind: 'data', stream: 5, bytes: Buffer.from('ab'), isLast: false },
      { kind: 'data', stream: 5, bytes: Buffer.alloc(0), isLast: true },
      { kind: 'reset', stream: 7, code: 3 },
      { kind: 'ping', id: 8 },
      { kind: 'offered', stream: 2 },
      { kind: 'goaway' },
    ]);
  });

  it.each([
    ['of another version', frame(2, 0, word(1), 2)],
    ['that are too short', frame(3, 0, word(1))],
    ['that are too large', Buffer.concat([frame(2, 0, Buffer.alloc(65_537)).subarray(0, 8)])],
  ])('%s are refused', (_, bytes) => {
    expect(() => [...new SpdyReader().read(bytes)]).toThrow(/frame/);
  });

  it('hold no more than one control frame, whatever is announced', () => {
    const reader = new SpdyReader();
    const head = dataHead(1, 0xff_ff_ff, false);
    let got = 0;
    for (const chunk of [head, ...Array.from({ length: 255 }, () => Buffer.alloc(65_536))]) {
      for (const event of reader.read(chunk)) if (event.kind === 'data') got += event.bytes.length;
    }
    // What has come was given on at once.
    expect(got).toBe(255 * 65_536);
  });

  it('end in an error or in events, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        const reader = new SpdyReader();
        try {
          for (const chunk of chunks) expect([...reader.read(Buffer.from(chunk))]).toBeDefined();
        } catch (error) {
          expect((error as Error).name).toBe('SpdyError');
        }
      }),
    );
  });
});

describe('headers that are written', () => {
  it('are read by any inflater, one block after the other', async () => {
    const writer = new SpdyWriter();
    const frames = ['error', 'stdin', 'stdout'].map((type, at) =>
      writer.synStream(at * 2 + 1, { streamtype: type, ä: type.repeat(30) }),
    );
    const inflate = createInflate();
    const texts: string[] = [];
    for (const bytes of frames) {
      expect(bytes.readUInt16BE(2)).toBe(1);
      expect(bytes.readUIntBE(5, 3)).toBe(bytes.length - 8);
      inflate.write(bytes.subarray(18));
      const [block] = (await once(inflate, 'data')) as [Buffer];
      expect(block.readUInt32BE(0)).toBe(2);
      texts.push(block.subarray(22, 22 + block.readUInt32BE(18)).toString());
    }
    expect(texts).toEqual(['error', 'stdin', 'stdout']);
  });
});

it('data takes no memory of its own, where the head of its frame came alone', () => {
  const reader = new SpdyReader();
  const memory = Buffer.alloc(16 * 1024);
  const head = dataHead(3, 2 * memory.length, false);
  const chunks = Array.from({ length: 20 }, () => [head, memory, memory]).flat();
  const events = chunks.flatMap((chunk) => [...reader.read(chunk)]);
  const data = events.flatMap((event) => (event.kind === 'data' ? [event.bytes] : []));
  expect(data).toHaveLength(40);
  expect(data.every(({ buffer }) => buffer === memory.buffer)).toBe(true);
});
