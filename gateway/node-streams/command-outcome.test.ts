/** What a client reads of a command, wherever the connection to the node is cut and however its bytes come. */
import { finished } from 'node:stream/promises';
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

async function passed(
  chunks: readonly Buffer[],
  { protocol = V4, client = [OPENING] }: { protocol?: string; client?: readonly Buffer[] } = {},
): Promise<Buffer> {
  const outcome = new CommandOutcome(protocol);
  for (const chunk of client) outcome.clientSaid(chunk);
  const out: Buffer[] = [];
  outcome.on('data', (chunk: Buffer) => out.push(chunk));
  // A copy of each, as each read of a socket has memory of its own.
  for (const chunk of chunks) outcome.write(Buffer.from(chunk));
  outcome.end();
  await finished(outcome);
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
  it('comes through as it is, in whatever pieces, where the node says how the command ended', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aFrame), cuts, async (frames, at) => {
        const said = Buffer.concat([...frames, data(ERRORS, SUCCESS, true)]);
        expect(read(await passed(cutAt(said, at)))).toEqual(read(said));
      }),
    );
  });

  it('is followed by a failure wherever it breaks off before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aFrame), cuts, fc.nat(900), async (frames, at, end) => {
        const said = Buffer.concat(frames).subarray(0, end);
        const { streams } = read(await passed(cutAt(said, at)));
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
  ])('is told by %s on the stream of errors', async (_what, frame) => {
    const said = Buffer.concat([data(3, 'output'), frame]);
    expect((await passed([said])).equals(said)).toBe(true);
  });

  it('breaks off with a text where the protocol has no Status', async () => {
    const { streams } = read(await passed([data(3, 'out')], { protocol: 'v2.channel.k8s.io' }));
    expect(streams).toEqual({ '1': `${BROKEN_OFF}$`, '3': 'out' });
  });

  it('is left alone where the client has opened no stream, or speaks something else', async () => {
    for (const client of [[], [pingFrame(1)], [Buffer.from('\x80\x09nothing of SPDY here')]]) {
      expect((await passed([data(3, 'out')], { client })).equals(data(3, 'out'))).toBe(true);
    }
  });

  it('finds the stream of errors in whatever pieces the client opens it', async () => {
    const client = Array.from(OPENING, (_, at) => OPENING.subarray(at, at + 1));
    const { streams } = read(await passed([], { client }));
    expect(streams['1']).toContain(BROKEN_OFF);
  });

  it('passes as it is from a control frame on that no node sends', async () => {
    const frame = Buffer.alloc(100_000, 0x80);
    expect((await passed(cutAt(frame, [3, 9, 70_000]))).equals(frame)).toBe(true);
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
