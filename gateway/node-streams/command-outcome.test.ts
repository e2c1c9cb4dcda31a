/** What a client reads of a command, wherever the connection to the node is cut and however its bytes come. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROKEN_OFF, CommandOutcome } from './command-outcome.ts';
import { dataHead, pingFrame, refusedStream, SpdyReader, SpdyWriter } from './spdy-frames.ts';

const ERRORS = 1;
const V4 = 'v4.channel.k8s.io';
const SUCCESS = '{"metadata":{},"status":"Success"}';

function data(stream: number, text: string, isLast = false): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([dataHead(stream, bytes.length, isLast), bytes]);
}

/** A frame that nothing is done with: an answer to an opened stream. */
function opened(stream: number): Buffer {
  const frame = Buffer.alloc(20);
  frame.writeUInt32BE(0x80_03_00_02, 0);
  frame.writeUInt32BE(12, 4);
  frame.writeUInt32BE(stream, 8);
  return frame;
}

const OPENING = new SpdyWriter().synStream(ERRORS, { streamtype: 'error' });

function passed(
  chunks: readonly Buffer[],
  { protocol = V4, client = [OPENING] }: { protocol?: string; client?: readonly Buffer[] } = {},
): Buffer {
  const outcome = new CommandOutcome(protocol);
  for (const chunk of client) outcome.clientSaid(chunk);
  const out: Buffer[] = [];
  // Of a copy of each, as it may be changed, which is used again for the next.
  const memory = Buffer.alloc(Math.max(0, ...chunks.map(({ length }) => length)));
  for (const chunk of chunks) {
    chunk.copy(memory);
    for (const part of outcome.pass(memory.subarray(0, chunk.length))) out.push(Buffer.from(part));
  }
  out.push(outcome.rest());
  return Buffer.concat(out);
}

/** What each stream carries and whether it has ended, and the other frames; throws where a frame is torn. */
function read(bytes: Buffer): {
  readonly streams: Record<string, string>;
  readonly others: unknown[];
} {
  const streams: Record<string, string> = {};
  const others: unknown[] = [];
  const reader = new SpdyReader();
  for (const event of reader.read(bytes)) {
    if (event.kind !== 'data') others.push(event);
    else {
      const key = String(event.stream);
      streams[key] =
        (streams[key] ?? '') + event.bytes.toString('latin1') + (event.isLast ? '$' : '');
    }
  }
  // A frame of its own is seen only where none before it is torn.
  expect([...reader.read(pingFrame(77))]).toEqual([{ kind: 'ping', id: 77 }]);
  return { streams, others };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const sorted = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
  const at = [0, ...sorted, bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const aFrame = fc.oneof(
  fc
    .tuple(fc.constantFrom(3, 5, 7), fc.string({ maxLength: 60 }), fc.boolean())
    .map(([stream, text, isLast]) => data(stream, text, isLast)),
  fc.nat(9).map(opened),
  fc.nat().map(pingFrame),
  fc.constantFrom(3, 5).map(refusedStream),
);
const cuts = fc.array(fc.nat(900));

describe('what a node says of a command', () => {
  it('comes through as it is, in whatever pieces, where the node says how the command ended', () => {
    fc.assert(
      fc.property(fc.array(aFrame), cuts, (frames, at) => {
        const said = Buffer.concat([...frames, data(ERRORS, SUCCESS, true)]);
        expect(read(passed(cutAt(said, at)))).toEqual(read(said));
      }),
    );
  });

  it('is followed by a failure wherever it breaks off before', () => {
    fc.assert(
      fc.property(fc.array(aFrame), cuts, fc.nat(900), (frames, at, end) => {
        const said = Buffer.concat(frames).subarray(0, end);
        const { streams } = read(passed(cutAt(said, at)));
        const { [String(ERRORS)]: told = '', ...others } = streams;
        expect(told).toContain('"status":"Failure"');
        expect(told).toContain(BROKEN_OFF);
        expect(told.endsWith('$')).toBe(true);
        // All that came of each other stream is there, and nothing else.
        const whole = torn(said);
        expect(others).toEqual(whole);
      }),
    );
  });

  it.each([
    ['a reset', refusedStream(ERRORS)],
    ['an end', data(ERRORS, '', true)],
    ['a text', data(ERRORS, 'no such container')],
  ])('is told by %s on the stream of errors', (_what, frame) => {
    const said = Buffer.concat([data(3, 'output'), frame]);
    expect(passed([said]).equals(said)).toBe(true);
  });

  it('takes no memory of its own for data, whose heads kubelets write by themselves', () => {
    const outcome = new CommandOutcome(V4);
    const memory = Buffer.alloc(16 * 1024);
    for (let at = 0; at < 100; at += 1) {
      const head = dataHead(3, 2 * memory.length, false);
      for (const chunk of [head, memory, memory]) {
        const large = outcome.pass(chunk).filter(({ length }) => length > head.length);
        expect(large.every(({ buffer }) => buffer === memory.buffer)).toBe(true);
      }
    }
  });

  it('is not told by the bare head of a frame on the stream of errors', () => {
    const cut = data(ERRORS, SUCCESS, true).subarray(0, 8);
    expect(read(passed([data(3, 'out'), cut])).streams[String(ERRORS)]).toContain(BROKEN_OFF);
  });

  it('breaks off with a text where the protocol has no Status', () => {
    const { streams } = read(passed([data(3, 'out')], { protocol: 'v2.channel.k8s.io' }));
    expect(streams).toEqual({ '1': `${BROKEN_OFF}$`, '3': 'out' });
  });

  it('is left alone where the client has opened no stream, or speaks something else', () => {
    for (const client of [[], [pingFrame(1)], [Buffer.from('\x80\x09nothing of SPDY here')]]) {
      expect(passed([data(3, 'out')], { client }).equals(data(3, 'out'))).toBe(true);
    }
  });

  it('finds the stream of errors in whatever pieces the client opens it', () => {
    const client = Array.from(OPENING, (_, at) => OPENING.subarray(at, at + 1));
    const { streams } = read(passed([], { client }));
    expect(streams['1']).toContain(BROKEN_OFF);
  });

  it('passes as it is from a control frame on that no node sends', () => {
    const frame = Buffer.alloc(100_000, 0x80);
    expect(passed(cutAt(frame, [3, 9, 70_000])).equals(frame)).toBe(true);
  });
});

/** Of bytes that end anywhere: what has come of each stream. */
function torn(bytes: Buffer): Record<string, string> {
  const streams: Record<string, string> = {};
  for (const event of new SpdyReader().read(bytes)) {
    if (event.kind !== 'data') continue;
    const text = event.bytes.toString('latin1') + (event.isLast ? '$' : '');
    streams[event.stream] = (streams[event.stream] ?? '') + text;
  }
  return streams;
}
