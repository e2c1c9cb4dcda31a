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

test('does not grow however often keys are sealed anew, and finds all of them again', async () => {
  let file = await KeyFile.open(path);
  const uids = ['a', 'b', 'c'];
  const sizes: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    await file.put(uids.map((uid) => entry(uid, `sealed for the ${String(round)}th time`)));
    sizes.push((await readFile(path)).length);
    if (round % 3 === 2) file = await reopened(file);
  }
  expect(sizes.slice(2)).toEqual(new Array<number>(6).fill(sizes[1] ?? 0));
  await file.destroy(['b']);
  await file.put([entry('longer', 'than what was overwritten, so it has to stand behind the end')]);
  const again = await reopened(file);
  expect([...again.all()].map(({ uid }) => uid).sort()).toEqual(['a', 'c', 'longer']);
  expect(again.get('c')?.sealed.toString()).toBe('sealed for the 7th time');
  await again.close();
});

test('a crash while a place is used again leaves the key that stood elsewhere, and nothing there', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a', 'one'), entry('b', 'two')]);
  const before = await readFile(path);
  await file.destroy(['a']);
  const overwritten = await readFile(path);
  await file.put([entry('a', 'six')]);
  const used = await readFile(path);
  await file.close();
  expect(used.length).toBe(before.length);
  const length = before.length / 2;
  for (let torn = 5; torn <= length; torn += 1) {
    const crashed = Buffer.concat([
      overwritten.subarray(0, 5),
      used.subarray(5, torn),
      overwritten.subarray(torn),
    ]);
    await writeFile(path, crashed);
    const again = await KeyFile.open(path);
    expect([...again.all()].map(({ uid }) => uid)).toEqual(['b']);
    await again.close();
    expect(await readFile(path)).toEqual(overwritten);
  }
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
