import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { leavePlace, makePlacesIn, placeOfPlane } from './plane-directory.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-places-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('is one for each control plane, and goes with it', () => {
  const places = makePlacesIn(folder);
  const [one, other] = [placeOfPlane(places), placeOfPlane(places)];
  expect(one).not.toBe(other);
  leavePlace(one, undefined);
  expect(readdirSync(places)).toEqual([basename(other)]);
  // The process before this one was killed.
  expect(readdirSync(makePlacesIn(folder))).toEqual([]);
});

it('is kept where the suite says, and the oldest ones go for it', () => {
  const logs = join(folder, 'logs');
  for (let at = 10; at < 30; at += 1) {
    mkdirSync(join(logs, `old-20261126T1000${String(at)}000-1`), { recursive: true });
  }
  const place = placeOfPlane(makePlacesIn(folder));
  writeFileSync(join(place, 'version'), 'x');
  const kept = join(logs, 'controllers-20261127T100000000-2');
  leavePlace(place, kept);
  expect(existsSync(place)).toBe(false);
  expect(readdirSync(join(kept, 'everwatch', basename(place)))).toEqual(['version']);
  expect(readdirSync(logs)).toHaveLength(20);
  expect(readdirSync(logs)).not.toContain('old-20261126T100010000-1');
});
