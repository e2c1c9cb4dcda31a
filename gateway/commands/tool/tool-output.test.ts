import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { colouredDiff, formatTable, parseFormat, printable, ToolOutput } from './tool-output.ts';

describe('a table', () => {
  it('is as wide as it must be, and moves no cursor', () => {
    const rows = [
      ['1', 'ann', 'x'],
      ['1234567', 'a\u001b[2Jb\n', ''],
    ];
    expect(formatTable(['REVISION', 'USER', 'WHAT'], rows)).toBe(
      'REVISION   USER            WHAT\n' +
        '1          ann             x\n' +
        '1234567    a\\x1b[2Jb\\x0a\n',
    );
  });

  it('keeps letters that are no control characters', () => {
    expect(printable('Zoë → 😀')).toBe('Zoë → 😀');
  });
});

it('colours a diff only where there are colours', () => {
  const diff = '@@ -1 +1 @@\n-a\n+b\u0007\n';
  expect(colouredDiff(diff, false)).toBe('@@ -1 +1 @@\n-a\n+b\\x07\n');
  expect(colouredDiff(diff, true)).toContain('\u001b[31m-a\u001b[0m\n');
});

it('knows its formats', () => {
  expect(parseFormat('json')).toBe('json');
  expect(() => parseFormat('wide')).toThrow(
    '-o: must be one of table, json, jsonl, yaml, not "wide"',
  );
  expect(() => parseFormat('json', ['jsonl'])).toThrow('must be one of jsonl');
});

describe('the output', () => {
  it.each([
    ['json', '[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]\n'],
    ['jsonl', '{"a":1}\n{"a":2}\n'],
    ['yaml', '- a: 1\n- a: 2\n'],
  ] as const)('is %s', async (format, expected) => {
    const stream = new PassThrough();
    const output = new ToolOutput(stream, { hasColours: false, readerGone: () => undefined });
    await output.writeValues([{ a: 1 }, { a: 2 }], format);
    stream.end();
    expect(await text(stream)).toBe(expected);
  });

  it('ends in silence when its reader has closed the pipe', async () => {
    const broken = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    let gone = 0;
    const output = new ToolOutput(broken, { hasColours: false, readerGone: () => (gone += 1) });
    await output.write('one\n');
    await output.write('two\n');
    expect(gone).toBe(1);
  });
});
