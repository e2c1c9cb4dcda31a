import { describe, expect, it } from 'vitest';
import { placeOf, prefixOf } from './request-place.ts';

describe('the place of a request', () => {
  it.each([
    ['/api/v1/pods', '', '', '/api/v1/pods'],
    ['/at/17/api/v1/pods', '', '17', '/api/v1/pods'],
    ['/at/2026-11-20T10:00:00Z/apis', '', '2026-11-20T10:00:00Z', '/apis'],
    ['/at/17', '', '17', '/'],
    ['/at/17/', '', '17', '/'],
    ['/forks/try/api/v1/pods', 'try', '', '/api/v1/pods'],
    ['/forks/try', 'try', '', '/'],
    ['/forks/try/at/17/version', 'try', '17', '/version'],
    // One of each, and in this order: all else is a path like any other.
    ['/at/17/forks/try/api', '', '17', '/forks/try/api'],
    ['/at/17/at/18/api', '', '17', '/at/18/api'],
    ['/at/', '', '', '/at/'],
    ['/at', '', '', '/at'],
    ['/forks//api', '', '', '/forks//api'],
    ['/attach', '', '', '/attach'],
  ])('of %s is fork %j at %j, path %s', (path, fork, at, rest) => {
    expect(placeOf(path)).toEqual({ fork, at, path: rest });
  });

  it('can be put in front again', () => {
    for (const path of ['/api', '/at/17/api', '/forks/try/api', '/forks/try/at/17/api']) {
      const place = placeOf(path);
      expect(prefixOf(place) + place.path).toBe(path);
    }
  });
});
