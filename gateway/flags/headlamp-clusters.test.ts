import { describe, expect, it } from 'vitest';

import { parseHeadlampClusters } from './headlamp-clusters.ts';

describe('--headlamp-clusters', () => {
  it('names places beside the server of now', () => {
    const time = '/at/2026-11-20T10:00:00+01:00';
    const texts = [
      `then=${time}/still`,
      `replay=${time}`,
      'try=/forks/try',
      'old-try=/forks/try/at/12',
    ];
    expect([...parseHeadlampClusters(texts)]).toEqual([
      ['everwatch', ''],
      ['then', `${time}/still`],
      ['replay', time],
      ['try', '/forks/try'],
      ['old-try', '/forks/try/at/12'],
    ]);
  });

  it.each([
    ['/at/12', /NAME=PLACE/],
    ['Then=/at/12', /NAME=PLACE/],
    ['a/b=/at/12', /NAME=PLACE/],
    ['everwatch=/at/12', /twice/],
    ['then=', /name a place/],
    ['then=/api', /name a place/],
    ['then=/at/12/api', /name a place/],
    ['then=/at/12/', /name a place/],
    ['then=/at/12%2f..', /name a place/],
    ['then=https://other/at/12', /name a place/],
  ])('refuses %s', (text, why) => {
    expect(() => parseHeadlampClusters([text])).toThrow(why);
  });
});
