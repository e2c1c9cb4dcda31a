import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { loggedAt } from '../event-codec.ts';
import { proposedEvent, proposedMarker } from '../proposed-event.fixture.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';
import {
  DamagedArchiveError,
  END_LENGTH,
  GZIP_HEADER,
  headerValue,
  type ArchiveHeader,
} from './archive-format.ts';
import { checkArchive, looksLikeArchive, openArchive } from './archive-reader.ts';
import { archiveBytes } from './archive-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-archive-'));
let files = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Given {
  readonly state?: readonly LoggedEvent[];
  readonly records?: readonly LoggedEvent[];
  readonly header?: Partial<ArchiveHeader>;
}

function headerFor({ records = [], header = {} }: Given): ArchiveHeader {
  return {
    kind: 'log',
    from: resourceVersion(1),
    to: records.at(-1)?.resourceVersion ?? resourceVersion(0),
    source: './data',
    created: '2026-11-20T10:00:00Z',
    ...header,
  };
}

async function bytesOf(given: Given): Promise<Buffer> {
  const { state = [], records = [] } = given;
  const contents = { header: headerFor(given), state: [state], records: [records] };
  const chunks: Buffer[] = [];
  for await (const chunk of archiveBytes(contents)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function fileOf(bytes: Uint8Array): string {
  files += 1;
  const path = join(folder, `${String(files)}.ewa`);
  writeFileSync(path, bytes);
  return path;
}

async function contentsOf(path: string): Promise<{ state: LoggedEvent[]; records: LoggedEvent[] }> {
  const archive = await openArchive(path);
  const contents = { state: [] as LoggedEvent[], records: [] as LoggedEvent[] };
  for await (const { part, events } of archive.batches()) contents[part].push(...events);
  await archive.close();
  return contents;
}

async function refusalOf(bytes: Uint8Array): Promise<string> {
  const error: unknown = await checkArchive(fileOf(bytes)).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(DamagedArchiveError);
  return error instanceof Error ? error.message : '';
}

function logOf(count: number): LoggedEvent[] {
  return Array.from({ length: count }, (_, index) =>
    loggedAt(proposedEvent(index + 1), resourceVersion(index + 1)),
  );
}

function plain(event: LoggedEvent): unknown {
  return { ...event, json: Buffer.from(event.json).toString('latin1') };
}

const anyText = fc.string({ unit: 'binary', maxLength: 20 });
const anyVersion = fc.maxSafeNat().map((position) => resourceVersion(position));
const anyJson = fc.oneof(
  fc.jsonValue().map((value) => new Uint8Array(Buffer.from(JSON.stringify(value)))),
  fc.uint8Array({ maxLength: 60 }),
);
const anyChange: fc.Arbitrary<ProposedEvent> = fc.record({
  writer: anyText,
  sequence: fc.maxSafeNat(),
  type: fc.constantFrom('added', 'modified', 'deleted'),
  resource: fc.constantFrom('core/pods', 'rbac.authorization.k8s.io/clusterroles'),
  path: fc.tuple(anyText, anyText).map(([namespace, name]) => `${namespace}/${name}`),
  previousResourceVersion: anyVersion,
  requires: fc.array(fc.record({ resource: anyText, path: anyText, resourceVersion: anyVersion }), {
    maxLength: 2,
  }),
  json: anyJson,
  time: fc.nat({ max: 4_000_000_000_000 }),
  uid: anyText,
  user: anyText,
  verb: anyText,
  auditID: anyText,
  fieldManager: anyText,
});
const anyRecord = fc.oneof(
  { arbitrary: anyChange, weight: 5 },
  { arbitrary: fc.nat({ max: 1_000 }).map((sequence) => proposedMarker(sequence)), weight: 1 },
);
/** With gaps, as a log of many writers may have them. */
const anyLog = fc
  .array(fc.tuple(anyRecord, fc.integer({ min: 1, max: 3 })), { maxLength: 20 })
  .map((steps) => {
    let position = 0;
    return steps.map(([event, step]) => loggedAt(event, resourceVersion((position += step))));
  });

describe('an archive', () => {
  it('gives back every record as it was, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (records) => {
        const path = fileOf(await bytesOf({ records }));
        const found = await contentsOf(path);
        expect(found.records.map(plain)).toEqual(records.map(plain));
        expect(found.state).toEqual([]);
        expect(await checkArchive(path)).toMatchObject({ state: 0, records: records.length });
      }),
      { numRuns: 60 },
    );
  });

  it('gives back a state in the order it was given, and the range behind it', async () => {
    const all = logOf(30);
    const state = [all[7], all[2], all[5]].filter((event) => event !== undefined);
    const records = all.slice(10);
    const header = { from: resourceVersion(11) };
    const found = await contentsOf(fileOf(await bytesOf({ state, records, header })));

    expect(found.state.map(plain)).toEqual(state.map(plain));
    expect(found.records.map(plain)).toEqual(records.map(plain));
  });

  it('gives back a moment', async () => {
    const state = logOf(5);
    const header = { kind: 'moment', from: resourceVersion(9), to: resourceVersion(8) } as const;
    const path = fileOf(await bytesOf({ state, header }));

    expect(await checkArchive(path)).toMatchObject({ state: 5, records: 0, header });
    expect((await contentsOf(path)).state).toHaveLength(5);
  });

  it('is what any gzip reads, line by line', async () => {
    const records = logOf(3);
    const lines = gunzipSync(await bytesOf({ records }))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject(headerValue(headerFor({ records })));
    expect(lines[2]).toMatchObject({
      version: 2,
      value: Buffer.from(records[1]?.json ?? []).toString(),
    });
    expect(lines[4]).toMatchObject({ everwatch: 'archive-end', state: 0, records: 3 });
  });

  it('is the same bytes each time', async () => {
    expect(await bytesOf({ records: logOf(20) })).toEqual(await bytesOf({ records: logOf(20) }));
  });

  it('holds more than one batch and more than one piece', async () => {
    const records = logOf(3_000);
    const found = await contentsOf(fileOf(await bytesOf({ records })));

    expect(found.records.map(plain)).toEqual(records.map(plain));
  });

  it('passes on what the source of its records throws', async () => {
    async function* broken(): AsyncGenerator<LoggedEvent[]> {
      yield logOf(2);
      await Promise.resolve();
      throw new Error('the disk is gone');
    }
    const contents = { header: headerFor({}), state: [], records: broken() };
    const reading = async () => {
      for await (const chunk of archiveBytes(contents)) expect(chunk).toBeDefined();
    };

    await expect(reading()).rejects.toThrow('the disk is gone');
  });

  it('is told by its first bytes from other files', async () => {
    expect(await looksLikeArchive(fileOf(await bytesOf({})))).toBe(true);
    expect(await looksLikeArchive(fileOf(Buffer.from('apiVersion: v1\n')))).toBe(false);
    expect(await looksLikeArchive(fileOf(Buffer.alloc(0)))).toBe(false);
  });
});

/** So many files are looked through at a time: most of a check is waiting for the disk. */
const AT_ONCE = 16;

/** @param damaged what is no archive any more, for each number below `count`. */
async function expectEachRefused(
  count: number,
  damaged: (at: number) => readonly Buffer[],
): Promise<void> {
  const paths = Array.from({ length: AT_ONCE }, () => fileOf(Buffer.alloc(0)));
  let next = 0;
  const checkOn = async (path: string): Promise<void> => {
    while (next < count) {
      const at = next;
      next += 1;
      for (const bytes of damaged(at)) {
        writeFileSync(path, bytes);
        const where = `${String(at)} of ${String(count)}`;
        await expect(checkArchive(path), where).rejects.toThrow(DamagedArchiveError);
      }
    }
  };
  await Promise.all(paths.map(checkOn));
}

describe('a damaged archive', () => {
  it('is refused whichever byte was changed, and however', async () => {
    const bytes = await bytesOf({ records: logOf(4) });
    await expectEachRefused(bytes.length, (at) =>
      [0x01, 0xff].map((flip) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        return damaged;
      }),
    );
  });

  it('is refused wherever it was cut off', async () => {
    const bytes = await bytesOf({ records: logOf(4) });
    await expectEachRefused(bytes.length, (length) => [bytes.subarray(0, length)]);
  });

  it('is refused when something was put behind it or into it', async () => {
    const bytes = await bytesOf({ records: logOf(4) });
    const markAt = bytes.length - END_LENGTH;
    const more = Buffer.concat([bytes, Buffer.from('\n')]);
    const inside = [bytes.subarray(0, markAt), gzipSync('more\n'), bytes.subarray(markAt)];

    expect(await refusalOf(more)).toContain('it is the end mark, which was changed');
    expect(await refusalOf(Buffer.concat(inside))).toContain('line 6');
  });

  it('says at which line, when it was packed again after a change', async () => {
    const bytes = await bytesOf({ records: logOf(6) });
    const lines = gunzipSync(bytes).toString().split('\n');
    const packed = (changed: readonly string[]) => {
      const again = gzipSync(changed.join('\n'));
      GZIP_HEADER.copy(again);
      return again;
    };

    const edited = lines.map((line, index) =>
      index === 3 ? line.replace('"user"', '"usxr"') : line,
    );
    expect(await refusalOf(packed(edited))).toContain('line 4 of the archive');
    const reordered = [...lines.slice(0, 2), lines[3] ?? '', lines[2] ?? '', ...lines.slice(4)];
    expect(await refusalOf(packed(reordered))).toContain('line 3 of the archive');
    const shortened = [...lines.slice(0, 4), ...lines.slice(5)];
    expect(await refusalOf(packed(shortened))).toContain('line 5 of the archive');
    expect(await refusalOf(gzipSync(lines.join('\n')))).toContain('packed it again');
  });

  it('says after which line it breaks off', async () => {
    const bytes = await bytesOf({ records: logOf(3_000) });

    expect(await refusalOf(bytes.subarray(0, bytes.length / 2))).toMatch(
      /behind line 1\d\d\d \(version 1\d\d\d\)/,
    );
    expect(await refusalOf(bytes.subarray(0, bytes.length - END_LENGTH))).toContain(
      'cut off behind line 3001 (version 3000)',
    );
  });

  it('is refused when its records are not those of its header', async () => {
    const all = logOf(8);
    const late = { header: { to: resourceVersion(5) }, records: all };
    expect(await refusalOf(await bytesOf(late))).toContain('behind the end of the range');
    const twice = [...all, ...all.slice(3)];
    expect(await refusalOf(await bytesOf({ records: twice }))).toContain('comes behind version 8');
    const range = { from: resourceVersion(6) };
    const mixed = { header: range, records: [...all.slice(5), ...all.slice(0, 2)] };
    expect(
      await refusalOf(await bytesOf({ ...mixed, header: { ...range, to: resourceVersion(8) } })),
    ).toContain('is older');
    const marker = loggedAt(proposedMarker(1), resourceVersion(1));
    expect(
      await refusalOf(await bytesOf({ state: [marker], records: all, header: range })),
    ).toContain('is no object');
  });

  it('is told from one of a newer program, and from no archive at all', async () => {
    const header = { kind: 'backup' as 'log' };
    expect(await refusalOf(await bytesOf({ header }))).toContain('line 1');
    expect(await refusalOf(Buffer.from('{}'))).toBe('this is not an archive');
    expect(await refusalOf(gzipSync('hello\n'))).toContain('packed it again');
  });
});
