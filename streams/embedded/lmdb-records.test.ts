import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppendOutcomeUnknownError } from '../event-log.ts';
import { NO_CUTS } from '../log-cuts.ts';
import { resourceVersion } from '../resource-version.ts';
import { LmdbRecords } from './lmdb-records.ts';

const STUCK_MS = 60_000;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-records-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function versions(records: LmdbRecords, from: number): number[] {
  return [...records.framesFrom(resourceVersion(from))].map(({ version }) => version);
}

/** What a process says that runs `body` on records in `folder`, whose files may not grow beyond 1 MiB. */
function saidOnAFullDisk(body: string): unknown {
  return saidBy(body, `trap '' XFSZ; ulimit -f 1024; exec "$@"`);
}

/** @param limited how the shell begins it. */
function saidBy(body: string, limited: string): unknown {
  const program = new URL('lmdb-records.ts', import.meta.url).href;
  const script = `
    import { failMetaWrites } from ${JSON.stringify(new URL('failing-file.fixture.ts', import.meta.url).href)};
    import { LmdbRecords } from ${JSON.stringify(program)};
    const records = new LmdbRecords(${JSON.stringify(folder)});
    const outcome = (work) => work.then(() => 'done', (error) => [error.name, error.cause instanceof Error]);
    const cuts = (settled) => ({ ...records.cuts, settled });
    const large = Buffer.alloc(4_000_000);
    const said = await (async () => { ${body} })();
    await records.close();
    console.log(JSON.stringify(said));`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  const { stdout } = spawnSync('bash', ['-c', limited, 'limited', ...node], {
    encoding: 'utf8',
    timeout: STUCK_MS,
  });
  return JSON.parse(stdout);
}

describe('LmdbRecords', () => {
  it('is a file for its owner alone', async () => {
    const records = new LmdbRecords(folder);
    expect(statSync(join(folder, 'data.mdb')).mode & 0o777).toBe(0o600);
    expect(records.diskUsage()).toEqual({ bytes: 2 * 16_384, freeBytes: 0 });
    await records.close();
  });

  it('finds its ends, and counts no cut among its records', async () => {
    const records = new LmdbRecords(folder);
    expect([records.first(), records.last()]).toEqual([undefined, undefined]);
    await records.trim({ gone: [], cuts: { ...NO_CUTS, settled: resourceVersion(4) } });
    expect([records.first(), records.last()]).toEqual([undefined, undefined]);

    const frames = ['a', 'b', 'c'].map((text) => Buffer.from(text));
    await records.write(resourceVersion(5), frames);
    expect([records.first(), records.last()]).toEqual([5, 7]);
    expect([versions(records, 0), versions(records, 6)]).toEqual([
      [5, 6, 7],
      [6, 7],
    ]);
    await records.close();

    const again = new LmdbRecords(folder);
    expect([again.first(), again.last(), again.cuts.settled]).toEqual([5, 7, 4]);
    expect(again.cuts.writers).toEqual(new Map());
    await again.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'takes no write behind one whose last step failed, and says that its outcome is unknown',
    () => {
      const said = saidBy(
        `const one = Buffer.from('one');
        const before = await outcome(records.write(1, [one]));
        failMetaWrites(${JSON.stringify(folder)});
        return [before, await outcome(records.write(2, [one]))];`,
        'exec "$@"',
      );
      expect(said).toEqual(['done', ['AppendOutcomeUnknownError', true]]);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'answers a cut that waits behind such a write, and the writes behind it',
    () => {
      const said = saidBy(
        `const one = Buffer.from('one');
        await records.write(1, [one]);
        failMetaWrites(${JSON.stringify(folder)});
        const waiting = [outcome(records.write(2, [one])), outcome(records.trim({ gone: [1], cuts: cuts(1) }))];
        return [...await Promise.all(waiting), await outcome(records.write(2, [one]))];`,
        'exec "$@"',
      );
      expect(said).toEqual(Array(3).fill(['AppendOutcomeUnknownError', true]));
    },
  );

  it('keeps a frame in the file as it is', async () => {
    const records = new LmdbRecords(folder);
    const frame = Buffer.alloc(6_000, 'frame');
    await records.write(resourceVersion(1), [frame]);

    expect(readFileSync(join(folder, 'data.mdb')).includes(frame)).toBe(true);
    expect(records.frame(resourceVersion(1))?.equals(frame)).toBe(true);
    expect(records.frame(resourceVersion(2))).toBeUndefined();
    await records.close();
  });

  it('remembers writers and times of a cut, also through a cut that leaves the writers', async () => {
    const records = new LmdbRecords(folder);
    const writers = new Map([['writer-a', 7]]);
    const early = { version: resourceVersion(1), time: 1_234 };
    const first = { ...NO_CUTS, settled: resourceVersion(2), writers, everything: early };
    const resources = new Map([['core/pods', { version: resourceVersion(3), time: 2_345 }]]);
    const second = { ...first, settled: resourceVersion(3), resources };
    await records.trim({ gone: [], cuts: first });
    await records.trim({ gone: [], cuts: second });
    expect(records.cuts).toEqual(second);
    await records.close();

    const again = new LmdbRecords(folder);
    expect(again.cuts).toEqual(second);
    await again.close();
  });

  it('tells when it cannot know what was written', async () => {
    const records = new LmdbRecords(folder);
    await records.close();

    const write = records.write(resourceVersion(1), [Buffer.from('a')]);
    const failure = await write.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppendOutcomeUnknownError);
    expect(failure).toHaveProperty('cause', expect.any(Error));
    const trim = records.trim({ gone: [], cuts: { ...NO_CUTS, settled: resourceVersion(1) } });
    await expect(trim).rejects.toThrow(AppendOutcomeUnknownError);
    expect(records.cuts).toBe(NO_CUTS);
  });

  it('writes nothing on a full disk, says so, and goes on when there is room', () => {
    const said = saidOnAFullDisk(`
      await records.write(1, [Buffer.from('a')]);
      const failed = await outcome(records.write(2, [Buffer.from('b'), large]));
      const last = records.last();
      return [failed, last, await outcome(records.write(2, [Buffer.from('c')])), records.last()];`);

    expect(said).toEqual([['LogUnavailableError', true], 1, 'done', 2]);
  });

  it('cuts nothing on a full disk', () => {
    const said = saidOnAFullDisk(`
      await records.write(1, [Buffer.from('a'), Buffer.from('b')]);
      const writers = new Map([[large.toString(), 1]]);
      const failed = await outcome(records.trim({ gone: [1], cuts: { ...cuts(1), writers } }));
      const kept = [records.first(), records.cuts.settled];
      const done = await outcome(records.trim({ gone: [1], cuts: cuts(1) }));
      return [failed, kept, done, records.first(), records.cuts.settled];`);

    expect(said).toEqual([['LogUnavailableError', true], [1, 0], 'done', 2, 1]);
  });
});
