import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';

const START = Date.parse('2026-11-22T09:30:00.000Z');

let folder = '';
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-audit-'));
  clock = testClock(START);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(options: Partial<RotatingFileOptions> = {}): RotatingFile {
  const path = join(folder, 'new', 'audit.log');
  return new RotatingFile(
    { path, bytesMax: 10, backupsMax: 0, ageMaxMs: 0, compresses: false, ...options },
    clock,
  );
}

function names(): string[] {
  return readdirSync(join(folder, 'new')).sort();
}

function textOf(name: string): string {
  return readFileSync(join(folder, 'new', name), 'utf8');
}

describe('a rotating file', () => {
  it('is made with its folder, for its owner alone', async () => {
    const log = file();
    log.write('a\n');
    await log.close();
    expect(textOf('audit.log')).toBe('a\n');
    expect(statSync(join(folder, 'new', 'audit.log')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
  });

  it('goes on where it was, after a restart', async () => {
    const before = file();
    before.write('12345\n');
    await before.close();
    const after = file();
    after.write('678\n');
    expect(names()).toEqual(['audit.log']);
    after.write('9\n');
    await after.close();
    expect(textOf('audit-2026-11-22T09-30-00.000.log')).toBe('12345\n678\n');
    expect(textOf('audit.log')).toBe('9\n');
  });

  it('grows without end where there is no largest size', async () => {
    const log = file({ bytesMax: 0 });
    for (let line = 0; line < 100; line += 1) log.write('0123456789\n');
    await log.close();
    expect(names()).toEqual(['audit.log']);
    expect(textOf('audit.log')).toHaveLength(1_100);
  });

  it('refuses a line that is larger than a file may be', async () => {
    const log = file();
    expect(() => {
      log.write('0123456789\n');
    }).toThrow('write length 11 exceeds maximum file size 10');
    await log.close();
  });

  it('keeps as many as it may', async () => {
    const log = file({ backupsMax: 2 });
    for (let line = 0; line < 5; line += 1) {
      log.write(`line ${String(line)}\n`);
      clock.advance(1_000);
    }
    await log.close();
    expect(names()).toEqual([
      'audit-2026-11-22T09-30-03.000.log',
      'audit-2026-11-22T09-30-04.000.log',
      'audit.log',
    ]);
  });

  it('removes what is too old, and nothing that is not its own', async () => {
    await file().close();
    const own = 'audit-2026-11-20T09-30-00.000.log';
    const others = ['audit-2026.log', 'audit-x.log', 'other-2026-11-20T09-30-00.000.log'];
    for (const name of [own, `${own}.gz`, ...others]) {
      writeFileSync(join(folder, 'new', name), 'x');
    }
    await file({ ageMaxMs: 24 * 3_600_000 }).close();
    expect(names()).toEqual([...others, 'audit.log'].sort());
  });

  it('compresses what was put aside', async () => {
    const log = file({ compresses: true });
    log.write('0123456\n');
    log.write('789\n');
    await log.close();
    expect(names()).toEqual(['audit-2026-11-22T09-30-00.000.log.gz', 'audit.log']);
    const bytes = readFileSync(join(folder, 'new', 'audit-2026-11-22T09-30-00.000.log.gz'));
    expect(gunzipSync(bytes).toString()).toBe('0123456\n');
  });
});
