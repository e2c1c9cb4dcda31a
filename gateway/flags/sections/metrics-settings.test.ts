import { describe, expect, it } from 'vitest';
import { Metrics } from '../../metrics/metrics.ts';
import { parseServeOptions } from '../flags.ts';
import { parsed, problem } from '../given-flags.fixture.ts';
import { systemClock } from '../../process/system-clock.ts';

describe('--show-hidden-metrics-for-version', () => {
  it('is the previous minor version, or nothing', () => {
    expect(parsed(['--show-hidden-metrics-for-version=1.35']).showHiddenMetrics).toBe(true);
    expect(parsed(['--show-hidden-metrics-for-version=']).showHiddenMetrics).toBe(false);
  });

  it.each(['1.34', '1.36', '1.35.0', 'v1.35', 'foo', '1.35 '])('refuses %j', (text) => {
    expect(problem([`--show-hidden-metrics-for-version=${text}`])).toContain(
      `metrics.showHiddenMetricsForVersion: Invalid value: "${text}": must be omitted or have the ` +
        "value '1.35'; only the previous minor version is allowed",
    );
  });
});

describe('--disabled-metrics', () => {
  it('leaves families out, wherever they are written', async () => {
    const shown = parsed(['--disabled-metrics=process_open_fds,kept_total']);
    const metrics = new Metrics({ clock: systemClock, isServed: () => true, shown });
    metrics.counter('kept_total_too', 'Kept.', () => 1);
    metrics.counter('kept_total', 'Left out.', () => 1);
    const text = await metrics.format();
    expect(text).toContain('\nkept_total_too 1\n');
    expect(text).toContain('\ndisabled_metrics_total 2\n');
    expect(text).not.toContain('kept_total 1');
    expect(text).not.toContain('process_open_fds');
    expect(text).toContain('process_max_fds');
  });

  it('refuses what is no name of a family', () => {
    expect(problem(['--disabled-metrics=good,a-b'])).toContain(
      'metrics.disabledMetrics: Invalid value: ["good","a-b"]: must be fully qualified metric names ' +
        'matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "a-b"',
    );
  });
});

const KEYS =
  'must have keys with format `metricName,labelName` where metricName matches ' +
  '"[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"';

describe('--allow-metric-labels', () => {
  const labels = (...texts: string[]) =>
    Object.fromEntries(
      parsed(texts.map((text) => `--allow-metric-labels=${text}`)).allowMetricLabels,
    );

  it('is one pair, or pairs in quotation marks, and adds to itself', () => {
    expect(labels('m,l=a,b')).toEqual({ 'm,l': 'a,b' });
    expect(labels('"m,l=a,b"')).toEqual({ 'm,l': 'a,b' });
    expect(labels('"m,l=a,b","n,k=c"')).toEqual({ 'm,l': 'a,b', 'n,k': 'c' });
    expect(labels('m,l=a', 'm,l=b', 'm,k=')).toEqual({ 'm,l': 'b', 'm,k': '' });
  });

  // What a command line with component-base's own flags answers.
  it.each([
    ['a', 'a must be formatted as key=value'],
    ['', ' must be formatted as key=value'],
    ['m,l=a,n,k=b', 'm must be formatted as key=value'],
    ['m,l=a=b', 'm must be formatted as key=value'],
    ['"a=b=', 'parse error on line 1, column 6: extraneous or missing " in quoted-field'],
    ['m=a', `metrics.allowListMapping: Invalid value: {"m":"a"}: ${KEYS}`],
    ['m, l=a', `metrics.allowListMapping: Invalid value: {"m, l":"a"}: ${KEYS}`],
    ['==', `metrics.allowListMapping: Invalid value: {"":"="}: ${KEYS}`],
    ['m,=<a>', `metrics.allowListMapping: Invalid value: {"m,":"\\u003ca\\u003e"}: ${KEYS}`],
    ['"z=a","b=2"', `metrics.allowListMapping: Invalid value: {"b":"2","z":"a"}: ${KEYS}`],
  ])('refuses %j', (text, why) => {
    const isPflags = !why.startsWith('metrics.');
    const flag = '--allow-metric-labels';
    const begin = isPflags ? `invalid argument ${JSON.stringify(text)} for "${flag}" flag` : flag;
    expect(problem([`${flag}=${text}`])).toBe(`${begin}: ${why}`);
  });
});

describe('--allow-metric-labels-manifest', () => {
  const given = (text: string) =>
    parseServeOptions(['--allow-metric-labels-manifest=m.yaml'], () => text).metrics
      .allowMetricLabels;
  const refused = (read: () => string, ...more: string[]): string => {
    try {
      parseServeOptions(['--allow-metric-labels-manifest=m.yaml', ...more], read);
    } catch (error) {
      return String(error);
    }
    return 'it is taken';
  };

  it.each([
    ['', {}],
    ['null', {}],
    ['"m,l": "a,b"\nn,k: c\n', { 'm,l': 'a,b', 'n,k': 'c' }],
    [
      'm,l: 1.50\nm,k: yes\nm,j: ~\nm,i:\nm,h: "null"',
      {
        ...{ 'm,l': '1.50', 'm,k': 'yes', 'm,j': '', 'm,i': '', 'm,h': 'null' },
      },
    ],
    ['m,l: a\nm,l: b\n', { 'm,l': 'b' }],
    ['m,l: &x a\nm,k: *x\n', { 'm,l': 'a', 'm,k': 'a' }],
    ['m,l: a\n---\nm,k: b\n', { 'm,l': 'a' }],
  ])('is %j', (text, labels) => {
    expect(Object.fromEntries(given(text))).toEqual(labels);
  });

  const unmarshal = 'failed to parse allow list manifest: yaml: unmarshal errors:\n  ';
  it.each([
    ['m,l: [a]', `${unmarshal}line 1: cannot unmarshal !!seq into string`],
    [
      'm,l: {a: b}\nm,k: [a]',
      `${unmarshal}line 1: cannot unmarshal !!map into string\n` +
        '  line 2: cannot unmarshal !!seq into string',
    ],
    ['allowListMapping:\n  "m,l": a', `${unmarshal}line 2: cannot unmarshal !!map into string`],
    ['- a', `${unmarshal}line 1: cannot unmarshal !!seq into map[string]string`],
    ['text', `${unmarshal}line 1: cannot unmarshal !!str \`text\` into map[string]string`],
    ['12', `${unmarshal}line 1: cannot unmarshal !!int \`12\` into map[string]string`],
    [
      '1: a',
      'invalid allow list mapping in manifest: ' +
        `[metrics.allowListMappingManifest: Invalid value: {"1":"a"}: ${KEYS}]`,
    ],
  ])('refuses %j', (text, why) => {
    expect(refused(() => text)).toContain(
      `metrics.allowListMappingManifest: Invalid value: "m.yaml": ${why}`,
    );
  });

  it('refuses a file that cannot be read, and both flags at a time', () => {
    const absent = Object.assign(new Error(), { code: 'ENOENT' });
    expect(
      refused(() => {
        throw absent;
      }),
    ).toContain(
      'metrics.allowListMappingManifest: Invalid value: "m.yaml": failed to read allow list ' +
        'manifest: open m.yaml: no such file or directory',
    );
    expect(refused(() => 'm,l: a', '--allow-metric-labels=m,l=a')).toContain(
      'metrics: Invalid value: {"allowListMapping":{"m,l":"a"},' +
        '"allowListMappingManifest":"m.yaml"}: cannot specify both allowListMapping and ' +
        'allowListMappingManifest',
    );
  });

  it('says which values are shown', async () => {
    const { metrics: shown } = parseServeOptions(
      ['--allow-metric-labels-manifest=m.yaml'],
      () => 'kept_total,verb: GET',
    );
    const metrics = new Metrics({ clock: systemClock, isServed: () => true, shown });
    metrics.counter('kept_total', 'Kept.', () => [
      { labels: { verb: 'GET' }, value: 1 },
      { labels: { verb: 'PUT' }, value: 2 },
    ]);
    const text = await metrics.format();
    expect(text).toContain('\nkept_total{verb="GET"} 1\nkept_total{verb="unexpected"} 2\n');
    expect(text).toContain('\ncardinality_enforcement_unexpected_categorizations_total 2\n');
  });
});
