import { spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataDirectoryVersionError, openDataDirectory } from './data-directory.ts';
import { DataDirectoryInUseError } from './directory-lock.ts';

let folder = '';
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-directory-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Another process that opens the directory, says how that went, and stays. */
async function openElsewhere(path: string): Promise<{ said: string; child: ChildProcess }> {
  const program = new URL('data-directory.ts', import.meta.url).href;
  const script = `
    import { openDataDirectory } from ${JSON.stringify(program)};
    try {
      await openDataDirectory(${JSON.stringify(path)});
      console.log('opened');
    } catch (error) {
      console.log(error.name);
    }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const said = await new Promise<string>((resolve) => {
    child.stdout.once('data', (text: Buffer) => {
      resolve(text.toString().trim());
    });
  });
  return { said, child };
}

/** Where a link leads; nowhere when it is gone by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

describe('openDataDirectory', () => {
  it('makes the directory, for its owner alone', async () => {
    const path = join(folder, 'a', 'b');

    const directory = await openDataDirectory(path);

    expect(directory).toMatchObject({
      path,
      logPath: join(path, 'log'),
      storePath: join(path, 'store'),
    });
    for (const made of [path, directory.logPath, directory.storePath]) {
      expect(statSync(made).mode & 0o777).toBe(0o700);
    }
    expect(statSync(join(path, 'version')).mode & 0o777).toBe(0o600);
    expect(readdirSync(path).sort()).toEqual(['lock.1', 'log', 'store', 'version']);
    await directory.release();
  });

  it('can be opened again after it was released', async () => {
    for (let round = 0; round < 10; round += 1) {
      const directory = await openDataDirectory(folder);
      await Promise.all([directory.release(), directory.release()]);
    }
    // A process that lists the directory just now may miss the newest names, but not all of these.
    const locks = readdirSync(folder).filter((name) => name.startsWith('lock'));
    expect(locks.sort()).toEqual(['lock.10', 'lock.6', 'lock.7', 'lock.8', 'lock.9']);
  });

  it('refuses a second holder, whatever the path is called, and says what to do', async () => {
    const directory = await openDataDirectory(folder);
    const otherName = join(tmpdir(), `everwatch-link-${String(process.pid)}`);
    symlinkSync(folder, otherName);
    try {
      await expect(openDataDirectory(folder)).rejects.toThrow(DataDirectoryInUseError);
      await expect(openDataDirectory(otherName)).rejects.toThrow(/in use .* stop that one first/);
    } finally {
      rmSync(otherName);
      await directory.release();
    }
    await (await openDataDirectory(folder)).release();
  });

  it('lets exactly one of many in that come at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => openDataDirectory(folder)),
      );
      const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(opened).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toBeInstanceOf(DataDirectoryInUseError);
        }
      }
      for (const outcome of opened) await outcome.value.release();
      expect(readdirSync(folder).filter((name) => name.startsWith('lock.new'))).toEqual([]);
    }
  });

  it('refuses another process, and takes over from one that was killed', async () => {
    const { said, child } = await openElsewhere(folder);
    expect(said).toBe('opened');
    await expect(openDataDirectory(folder)).rejects.toThrow(DataDirectoryInUseError);
    expect((await openElsewhere(folder)).said).toBe('DataDirectoryInUseError');

    await killed(child);
    const directory = await openDataDirectory(folder);
    expect((await openElsewhere(folder)).said).toBe('DataDirectoryInUseError');
    await directory.release();
  });

  it('works where the path is too long for a socket', async () => {
    if (process.platform !== 'linux') return;
    const path = join(folder, 'x'.repeat(120), 'y'.repeat(120));
    const directory = await openDataDirectory(path);

    await expect(openDataDirectory(path)).rejects.toThrow(DataDirectoryInUseError);
    await directory.release();
    await (await openDataDirectory(path)).release();
  });

  it.each([79, 80, 95, 110])('works where the path has %i bytes', async (length) => {
    if (process.platform !== 'linux') return;
    const path = join(folder, 'x'.repeat(length - folder.length - 1));
    const directory = await openDataDirectory(path);

    await expect(openDataDirectory(path)).rejects.toThrow(DataDirectoryInUseError);
    await directory.release();
  });

  it('leaves nothing open in it', async () => {
    if (process.platform !== 'linux') return;
    const path = join(folder, 'x'.repeat(120));
    await (await openDataDirectory(path)).release();

    const open = readdirSync('/proc/self/fd').map((entry) => linkOf(`/proc/self/fd/${entry}`));
    expect(open.filter((target) => target.startsWith(folder))).toEqual([]);
  });

  it('refuses a directory in another format, and changes nothing in it', async () => {
    writeFileSync(join(folder, 'version'), 'everwatch-2\n');

    const opening = openDataDirectory(folder);

    await expect(opening).rejects.toThrow(DataDirectoryVersionError);
    await expect(opening).rejects.toThrow(/"everwatch-2".*everwatch-1 only/);
    expect(existsSync(join(folder, 'log'))).toBe(false);
    rmSync(join(folder, 'version'));
    await (await openDataDirectory(folder)).release();
  });

  it.each(['log', 'store'])('refuses a %s without a version', async (made) => {
    mkdirSync(join(folder, made));

    await expect(openDataDirectory(folder)).rejects.toThrow(/has a log or a store, but no file/);
    expect(existsSync(join(folder, 'version'))).toBe(false);
  });

  it('knows which log it was made for', async () => {
    const directory = await openDataDirectory(folder);
    expect(directory.engine()).toBeUndefined();

    writeFileSync(join(directory.logPath, 'data.mdb'), '');
    expect(directory.engine()).toBe('embedded');
    mkdirSync(directory.topicPath);
    expect(directory.engine()).toBe('kafka');
    await directory.release();
  });

  it('does not mind what a file system puts into an empty directory', async () => {
    mkdirSync(join(folder, 'lost+found'));

    await (await openDataDirectory(folder)).release();
  });
});
