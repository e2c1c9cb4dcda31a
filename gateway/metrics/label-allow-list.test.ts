import { describe, expect, it } from 'vitest';
import { formatFamily, formatLabels } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { LabelAllowList } from './label-allow-list.ts';
import { LabelledCounts, LabelledHistograms } from './named-figures.ts';

function allowing(labels: Readonly<Record<string, string>>) {
  const list = new LabelAllowList(new Map(Object.entries(labels)));
  const samples = (text: string): string[] =>
    list
      .constrain(text)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  return { list, samples };
}

const NAMES = { name: 'c', help: 'Counted.' } as const;

function family(
  type: 'counter' | 'gauge',
  samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[],
  name = 'c',
): string {
  const lines = samples.map(([labels, value]) => ({ labels: formatLabels(labels), value }));
  return formatFamily({ ...NAMES, type, name }, lines);
}

describe('samples with values that are not allowed', () => {
  it('become one', () => {
    const { list, samples } = allowing({ 'c,l': 'a,b' });
    const text = family('counter', [
      [{ l: 'a', k: '1' }, 1],
      [{ l: 'x', k: '1' }, 1],
      [{ l: 'y', k: '1' }, 3],
      [{ l: 'unexpected', k: '1' }, 1],
      [{ l: 'y', k: '2' }, 1],
    ]);
    const shown = ['c{k="1",l="a"} 1', 'c{k="1",l="unexpected"} 5', 'c{k="2",l="unexpected"} 1'];
    expect(samples(text)).toEqual(shown);
    expect(list.unexpectedCount).toBe(6);
    expect(samples(text)).toEqual(shown);
    expect(list.unexpectedCount).toBe(6); // Nothing was counted since.
  });

  it('count for each label that has one', () => {
    const { list, samples } = allowing({ 'c,l': 'a', 'c,k': 'z', 'd,l': 'a' });
    expect(samples(family('counter', [[{ l: 'x', k: 'y' }, 2]]))).toEqual([
      'c{k="unexpected",l="unexpected"} 2',
    ]);
    expect(list.unexpectedCount).toBe(4);
  });

  it('leave other families and labels alone', () => {
    const { list, samples } = allowing({ 'd,l': 'a', 'c,other': 'a' });
    const text = family('counter', [[{ l: 'x' }, 2]]) + family('gauge', [[{ l: 'x' }, 1]], 'd');
    expect(samples(text)).toEqual(['c{l="x"} 2', 'd{l="unexpected"} 1']);
    expect(list.unexpectedCount).toBe(1);
  });

  it('are compared as they were before they were written out', () => {
    const { samples } = allowing({ 'c,l': 'a"b,c\\d' });
    const text = family('counter', [
      [{ l: 'a"b' }, 1],
      [{ l: 'c\\d' }, 1],
      [{ l: '} 1,l="a' }, 1],
    ]);
    expect(samples(text)).toEqual(['c{l="a\\"b"} 1', 'c{l="c\\\\d"} 1', 'c{l="unexpected"} 1']);
  });

  it('may be any but the empty one', () => {
    const { samples } = allowing({ 'c,l': '' });
    const text = family('counter', [
      [{ l: '' }, 1],
      [{ l: 'x' }, 1],
    ]);
    expect(samples(text)).toEqual(['c{l=""} 1', 'c{l="unexpected"} 1']);
  });
});

it('a counter tells how often it was raised since the last scrape', () => {
  const { list, samples } = allowing({ 'c,l': 'a' });
  const counts = new LabelledCounts();
  counts.add('l="x"', 3);
  samples(counts.format('c', 'counter', ''));
  counts.add('l="x"', 2);
  counts.add('l="a"', 9);
  samples(counts.format('c', 'counter', ''));
  samples(family('gauge', [[{ l: 'x' }, 1]], 'another'));
  samples(counts.format('c', 'counter', ''));
  expect(list.unexpectedCount).toBe(5);
});

it('a gauge is told at each scrape; of times the latest is shown', () => {
  const name = 'last_timestamp_seconds';
  const { list, samples } = allowing({ 'c,l': 'a', [`${name},l`]: 'a' });
  const text = family('gauge', [
    [{ l: 'x' }, 7],
    [{ l: 'y' }, 9],
  ]);
  expect(samples(text)).toEqual(['c{l="unexpected"} 16']);
  expect(samples(text.replaceAll(/\bc\b/g, name))).toEqual([`${name}{l="unexpected"} 9`]);
  expect(list.unexpectedCount).toBe(4);
});

it('the parts of histograms are added, and have no label of their own', () => {
  const { list, samples } = allowing({ 'h,l': 'a', 'h,le': '1' });
  const histograms = new LabelledHistograms(bucketBounds([1, 2]));
  histograms.observe('l="x"', 1);
  histograms.observe('l="y"', 3);
  expect(samples(histograms.format('h', 'Observed.'))).toEqual([
    'h_bucket{l="unexpected",le="1"} 1',
    'h_bucket{l="unexpected",le="2"} 1',
    'h_bucket{l="unexpected",le="+Inf"} 2',
    'h_sum{l="unexpected"} 4',
    'h_count{l="unexpected"} 2',
  ]);
  expect(list.unexpectedCount).toBe(2);
});

it('of quantiles the highest is shown', () => {
  const { list, samples } = allowing({ 's,l': 'a' });
  const sample = (label: string, [half, count]: readonly [string, string]): string =>
    `s{l="${label}",quantile="0.5"} ${half}\ns_sum{l="${label}"} ${count}\ns_count{l="${label}"} ${count}\n`;
  const head = '# HELP s Summed up.\n# TYPE s summary\n';
  const three = sample('x', ['NaN', '1']) + sample('y', ['4', '2']) + sample('z', ['NaN', '3']);
  expect(samples(head + three)).toEqual([
    's{l="unexpected",quantile="0.5"} 4',
    's_sum{l="unexpected"} 6',
    's_count{l="unexpected"} 6',
  ]);
  expect(list.unexpectedCount).toBe(6);
});
