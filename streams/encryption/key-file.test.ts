import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DamagedKeyFileError, KeyFile } from './key-file.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  path = join(folder, 'keys');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function entry(uid: string, sealed = `sealed key of ${uid}`) {
  return {
    id: uid,
    uid,
    resource: 'core/secrets',
    path: `shop/${uid}`,
    sealed: Buffer.from(sealed),
  };
}

async function reopened(file?: KeyFile): Promise<KeyFile> {
  await file?.close();
  return KeyFile.open(path);
}

test('keeps keys over a restart, the newest of each object', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a'), entry('b')]);
  await file.put([entry('a', 'another')]);
  const again = await reopened(file);
  expect(again.get('a')?.sealed.toString()).toBe('another');
  expect([...again.all()].map(({ uid }) => uid).sort()).toEqual(['a', 'b']);
  await again.close();
});

test('what is destroyed or replaced is not in the file any more', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a', 'first-first'), entry('b', 'second-second')]);
  await file.put([entry('b', 'third-third')]);
  await file.destroy(['a']);
  const bytes = (await readFile(path)).toString('latin1');
  for (const gone of ['first-first', 'second-second']) {
    expect(bytes).not.toContain(Buffer.from(gone).toString('base64'));
  }
  expect(bytes).toContain(Buffer.from('third-third').toString('base64'));
  const again = await reopened(file);
  expect(again.get('a')).toBeUndefined();
  expect(again.get('b')?.sealed.toString()).toBe('third-third');
  await again.close();
});

test('a torn end is cut off wherever it was torn, and what stands before it is kept', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a')]);
  const { length: whole } = await readFile(path);
  await file.put([entry('b')]);
  await file.close();
  const bytes = await readFile(path);
  for (let size = whole; size < bytes.length; size += 1) {
    await writeFile(path, bytes);
    await truncate(path, size);
    const torn = await KeyFile.open(path);
    expect([...torn.all()].map(({ uid }) => uid)).toEqual(['a']);
    await torn.put([entry('c')]);
    const again = await reopened(torn);
    expect([...again.all()].map(({ uid }) => uid)).toEqual(['a', 'c']);
    await again.close();
  }
});

test('a crash in the middle of overwriting is finished at the next start', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a'), entry('b')]);
  await file.close();
  const bytes = await readFile(path);
  bytes[0] = 2; // About to be overwritten, and some of it is already.
  bytes.fill(0, 9, 20);
  await writeFile(path, bytes);
  const again = await KeyFile.open(path);
  expect([...again.all()].map(({ uid }) => uid)).toEqual(['b']);
  await again.close();
  expect((await readFile(path))[0]).toBe(3);
});

test('damage in the middle is not taken for a key that was destroyed', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a'), entry('b')]);
  await file.close();
  const bytes = await readFile(path);
  bytes[12] = (bytes[12] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await expect(KeyFile.open(path)).rejects.toThrow(DamagedKeyFileError);
});
