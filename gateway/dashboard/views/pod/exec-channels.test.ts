import { describe, expect, it } from 'vitest';
import { heard, resized, typed, wordsOf } from './exec-channels.ts';

const frame = (channel: number, text: string): ArrayBuffer =>
  Uint8Array.of(channel, ...new TextEncoder().encode(text)).buffer;

describe('channels of a command', () => {
  it('carry what is typed and the size', () => {
    expect([...typed('é')]).toEqual([0, 0xc3, 0xa9]);
    const [channel, ...json] = resized(80, 24);
    expect([channel, new TextDecoder().decode(Uint8Array.from(json))]).toEqual([
      4,
      '{"Width":80,"Height":24}',
    ]);
  });

  it('bring both outputs, and say how the command ended', () => {
    expect(heard(frame(1, 'out'))).toEqual({ kind: 'output', bytes: Uint8Array.of(111, 117, 116) });
    expect(heard(frame(2, 'e')).kind).toBe('output');
    expect(heard(frame(1, '')).kind).toBe('nothing');
    const ends = (status: object): unknown => heard(frame(3, JSON.stringify(status)));
    expect(ends({ status: 'Success' })).toEqual({ kind: 'end', text: 'The command has ended.' });
    const causes = [{ reason: 'ExitCode', message: '7' }];
    expect(ends({ status: 'Failure', message: 'x', details: { causes } })).toEqual({
      kind: 'end',
      text: 'The command has ended with exit code 7.',
    });
    expect(ends({ status: 'Failure', message: 'no such container' })).toEqual({
      kind: 'end',
      text: 'no such container',
    });
    expect(heard(frame(3, 'no JSON'))).toEqual({ kind: 'end', text: 'no JSON' });
  });
});

it('words of a command line are parted by blanks, but not between quotes', () => {
  expect(wordsOf(`  sh -c 'echo "a b"'  "" x'y'z `)).toEqual(['sh', '-c', 'echo "a b"', '', 'xyz']);
  expect(wordsOf('')).toEqual([]);
});
