import { mkdtempSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceVersion } from '../resource-version.ts';
import { SharedEnd } from './shared-end.ts';

let folder = '';
let owners: SharedEnd;
let workers: SharedEnd;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-end-'));
  owners = SharedEnd.made(folder);
  workers = new SharedEnd(owners.descriptor);
});

afterEach(() => {
  owners.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('SharedEnd', () => {
  it('gives what was written last, from the beginning of the file each time', () => {
    expect(workers.read()).toBe(0);
    for (const version of [1, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      owners.write(resourceVersion(version));
      expect(workers.read()).toBe(version);
      expect(workers.read()).toBe(version);
    }
  });

  it('gives no version while one is being written', () => {
    owners.write(resourceVersion(255));
    const half = new Uint8Array(new Float64Array([256]).buffer);
    writeSync(owners.descriptor, half, 0, half.length, 0);
    expect(workers.read()).toBeUndefined();
  });

  it('leaves no file behind', () => {
    expect(readdirSync(folder)).toEqual([]);
  });
});
