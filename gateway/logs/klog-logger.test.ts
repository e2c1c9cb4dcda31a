import { describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { jsonLine, klogLogger, textLines } from './klog-logger.ts';
import { errorText, type LogLine, type Severity, splitStreams } from './line-output.ts';
import { type ModuleVerbosity, Verbosity } from './verbosity.ts';

const TIME = new Date(2026, 10, 23, 8, 5, 9, 45).getTime();
const LINE: LogLine = {
  severity: 'I',
  time: TIME,
  site: 'cli/serve.ts:137',
  verbosity: 0,
  message: 'a "b"\nc',
  fields: { port: 6443, host: 'x y', list: ['<'], none: undefined, text: 'one\ntwo' },
};

function given(level: number, modules: ModuleVerbosity[] = [], least: Severity = 'I') {
  const lines: string[] = [];
  const logger = klogLogger({
    clock: testClock(),
    format: ({ severity, site, message }) => `${severity} ${site} ${message}`,
    output: { write: (_severity, line) => void lines.push(line), flush: () => undefined },
    verbosity: new Verbosity(level, modules),
    least,
  });
  return { lines, logger };
}

describe('a line of text', () => {
  const format = textLines(12);

  it('has the head of klog, in the time zone of the machine', () => {
    expect(format(LINE)).toBe(
      'I1123 08:05:09.045000      12 serve.ts:137] "a \\"b\\"\\nc" port=6443 host="x y" ' +
        'list=["\\u003c"] text=<\n\tone\n\ttwo\n >\n',
    );
    expect(format({ ...LINE, severity: 'E', time: TIME + 0.25 })).toMatch(
      /^E1123 08:05:09\.045250 /,
    );
  });

  it('says first what was thrown, and why', () => {
    const err = new Error('not read', { cause: new Error('no such file') });
    expect(format({ ...LINE, message: 'm', fields: { path: 'a', err } })).toMatch(
      /\] "m" err="not read: no such file" path="a"\n$/,
    );
    expect(errorText(new Error('no such file', { cause: new Error('file') }))).toBe('no such file');
    expect(errorText('text')).toBe('text');
  });
});

describe('a line of JSON', () => {
  it('has the names of zap, with what was thrown at the end and no v', () => {
    expect(jsonLine({ ...LINE, verbosity: 3, fields: { a: '\b\f\\b', b: [1] } })).toBe(
      `{"ts":${String(TIME)},"caller":"cli/serve.ts:137","msg":"a \\"b\\"\\nc","v":3,` +
        '"a":"\\u0008\\u000c\\\\b","b":[1]}\n',
    );
    const fields = { err: new Error('x'), a: 1n, none: undefined };
    expect(jsonLine({ ...LINE, severity: 'E', message: 'm', fields })).toMatch(
      /,"msg":"m","a":1,"err":"x"\}\n$/,
    );
  });
});

describe('the verbosity', () => {
  it('shows what is at most as verbose, and can be changed', () => {
    const { lines, logger } = given(3);
    logger.verbose(3, {}, 'shown');
    logger.verbose(4, {}, 'hidden');
    expect(logger.isVerbose(4)).toBe(false);
    logger.setVerbosity(4);
    logger.at('a/b.ts:1').verbose(4, {}, 'shown now');
    logger.setVerbosity(0);
    logger.verbose(1, {}, 'hidden again');
    logger.info({}, 'always');
    expect(lines).toEqual(['I ???:1 shown', 'I a/b.ts:1 shown now', 'I ???:1 always']);
  });

  it('is another one in files whose names fit, the first pattern of which counts', () => {
    const { logger } = given(1, [
      { pattern: 'httplog', verbosity: 0 },
      { pattern: 'http*', verbosity: 3 },
      { pattern: 'httplog', verbosity: 9 },
    ]);
    const there = logger.at('filters/httplog.ts:40');
    expect([there.isVerbose(3), there.isVerbose(4)]).toEqual([true, false]);
    expect(logger.at('filters/audit.ts:40').isVerbose(3)).toBe(false);
    expect(logger.at('httplog/audit.ts:40').isVerbose(3)).toBe(false);
  });

  it('says nothing where only warnings are wanted', () => {
    const { lines, logger } = given(9, [], 'W');
    logger.info({}, 'no');
    logger.verbose(1, {}, 'no');
    logger.warn({}, 'w');
    logger.error({}, 'e');
    logger.fatal({}, 'f');
    expect(logger.isVerbose(1)).toBe(false);
    expect(lines).toEqual(['W ???:1 w', 'E ???:1 e', 'F ???:1 f']);
  });
});

describe('split streams', () => {
  const line = (text: string): string => `${text}\n`;

  function split(bufferBytes: number) {
    const clock = testClock();
    const written: string[] = [];
    const output = splitStreams(
      {
        info: (text) => void written.push(`1:${text}`),
        error: (text) => void written.push(`2:${text}`),
      },
      { bufferBytes, flushEveryMs: 100, clock },
    );
    return { clock, written, output };
  }

  it('bring information to one and the rest to the other', () => {
    const { written, output } = split(0);
    for (const severity of ['I', 'W', 'E', 'F'] as const) output.write(severity, line(severity));
    expect(written).toEqual(['1:I\n', '2:W\n', '2:E\n', '2:F\n']);
  });

  it('gather whole lines, until there are too many, it is time, or the end', () => {
    const { clock, written, output } = split(6);
    output.write('I', line('aa'));
    output.write('I', line('bb'));
    expect(written).toEqual([]);
    output.write('I', line('c'));
    expect(written).toEqual(['1:aa\nbb\n']);
    clock.advance(100);
    expect(written).toEqual(['1:aa\nbb\n', '1:c\n']);
    output.write('I', line('d'));
    output.write('I', line('too long'));
    expect(written.slice(2)).toEqual(['1:d\n', '1:too long\n']);
    output.write('I', line('e'));
    output.flush();
    output.flush();
    expect(written.slice(4)).toEqual(['1:e\n']);
  });
});
