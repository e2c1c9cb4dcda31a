import { describe, expect, it } from 'vitest';
import { parsed, problem } from '../given-flags.fixture.ts';

const ALPHA = '--feature-gates=LoggingAlphaOptions=true';

describe('what flags say of the log', () => {
  it('is read in each form that kube-apiserver takes', () => {
    for (const given of [
      ['-v=3'],
      ['-v', '3'],
      ['-v3'],
      ['--v=3'],
      ['--v', '3'],
      ['-v=1', '--v=3'],
    ]) {
      expect(parsed(given).verbosity, given.join(' ')).toBe(3);
    }
    expect(parsed(['--vmodule=a=1,,b*=2,', '--vmodule=c=0']).vmodule).toEqual([
      { pattern: 'a', verbosity: 1 },
      { pattern: 'b*', verbosity: 2 },
      { pattern: 'c', verbosity: 0 },
    ]);
    expect(parsed(['--log-flush-frequency=1m']).logFlushFrequencyMs).toBe(60_000);
    const split = parsed([ALPHA, '--log-json-split-stream', '--log-json-info-buffer-size=4Ki']);
    expect([split.logJsonSplitStream, split.logJsonInfoBufferSize]).toEqual([true, 4_096]);
    const large = parsed([ALPHA, '--log-text-split-stream=T', '--log-text-info-buffer-size=5G']);
    expect([large.logTextSplitStream, large.logTextInfoBufferSize]).toEqual([true, 2 ** 31]);
  });

  // Asked of kube-apiserver 1.36.3.
  it.each([
    [
      '-v=x',
      'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      '--v=-1',
      'invalid argument "-1" for "-v, --v" flag: strconv.ParseUint: parsing "-1": invalid syntax',
    ],
    [
      '-v=99999999999',
      'invalid argument "99999999999" for "-v, --v" flag: strconv.ParseUint: parsing "99999999999": value out of range',
    ],
    [
      '--vmodule=a',
      'invalid argument "a" for "--vmodule" flag: "a" does not have the pattern=N format',
    ],
    [
      '--vmodule==3',
      'invalid argument "=3" for "--vmodule" flag: "=3" does not have the pattern=N format',
    ],
    [
      '--vmodule=a=b=c',
      'invalid argument "a=b=c" for "--vmodule" flag: "a=b=c" does not have the pattern=N format',
    ],
    [
      '--vmodule=a=x',
      'invalid argument "a=x" for "--vmodule" flag: parsing verbosity in "a=x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      '--log-text-split-stream=x',
      'invalid argument "x" for "--log-text-split-stream" flag: strconv.ParseBool: parsing "x": invalid syntax',
    ],
    [
      '--log-flush-frequency=5',
      'invalid argument "5" for "--log-flush-frequency" flag: time: missing unit in duration "5"',
    ],
    [
      '--log-text-info-buffer-size=x',
      'invalid argument "x" for "--log-text-info-buffer-size" flag: quantities must match the regular expression ' +
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['--logging-format=yaml', 'format: Invalid value: "yaml": Unsupported log format'],
    ['--logging-format=', 'format: Invalid value: "": Unsupported log format'],
    ['--logging-format=JSON', 'format: Invalid value: "JSON": Unsupported log format'],
    ['--log-flush-frequency=0s', 'flushFrequency: Invalid value: "0s": Must be greater than zero'],
    [
      '--log-flush-frequency=-1s',
      'flushFrequency: Invalid value: "-1s": Must be greater than zero',
    ],
    [
      '--log-text-split-stream',
      'options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled',
    ],
    [
      '--logging-format=yaml --log-flush-frequency=0s',
      '[flushFrequency: Invalid value: "0s": Must be greater than zero, ' +
        'format: Invalid value: "yaml": Unsupported log format]',
    ],
    [
      '--logging-format=json --vmodule=a=3',
      'vmodule: Forbidden: Only supported for text log format',
    ],
    [
      '--logging-format=json --feature-gates=LoggingBetaOptions=false',
      'format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature',
    ],
    [
      '--log-json-split-stream --log-json-info-buffer-size=1',
      '[options.json.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled, ' +
        'options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled]',
    ],
  ])('%s is refused', (argv, sentence) => {
    expect(problem(argv.split(' '))).toBe(sentence);
  });
});
