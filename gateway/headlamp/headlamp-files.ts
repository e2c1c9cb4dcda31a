/**
 * The files of Headlamp's page as its build left them in a folder, which are not changed. Of `index.html` the
 * browser is given what Headlamp's own backend makes of it where it has a path in front: with that path in it.
 *
 * Which files there are is found out at the start. Each is read once, when it is first asked for, and then shared
 * by all clients, since they may be asked for by clients that are not known.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { HEADLAMP_PATH } from '../../actors/request/page-paths.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

/** One file, as it leaves. */
export interface HeadlampFile {
  readonly bytes: Buffer;
  /** Of its content, with quotes. */
  readonly tag: string;
  /** Whether the bytes are compressed by brotli. */
  readonly isBrotli: boolean;
}

const INDEX = 'index.html';
const BASE = HEADLAMP_PATH.slice(0, -1);

export class HeadlampFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, Promise<HeadlampFile>>();
  readonly #index: HeadlampFile;
  /** Of each script that stands in the page itself, as a policy names it. */
  readonly inlineScripts: readonly string[];

  private constructor(folder: string, names: ReadonlySet<string>, index: string) {
    this.#folder = folder;
    this.#names = names;
    this.#index = fileOf(Buffer.from(index));
    const scripts = index.split('<script>').slice(1);
    this.inlineScripts = scripts.map((rest) => {
      const [text = ''] = rest.split('</script>', 1);
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    });
  }

  /** @throws StartupError when there is no such page. */
  static async in(folder: string): Promise<HeadlampFiles> {
    try {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const names = found
        .filter((one) => one.isFile())
        .map((one) => relative(folder, join(one.parentPath, one.name)).split(sep).join('/'));
      const index = await readFile(join(folder, INDEX), 'utf8');
      return new HeadlampFiles(folder, new Set(names), withBase(index));
    } catch (error) {
      const problem = systemProblem(error);
      const what = `cannot read ${INDEX} of Headlamp in ${folder}: ${problem}`;
      throw new StartupError(`--headlamp-dir: ${what}`, { cause: error });
    }
  }

  /** The file of this name below the folder, compressed where the build left that too; undefined: there is none. */
  file(name: string, takesBrotli: boolean): Promise<HeadlampFile> | undefined {
    if (!this.#names.has(name) || name === INDEX) return undefined;
    const isBrotli = takesBrotli && this.#names.has(`${name}.br`);
    const path = isBrotli ? `${name}.br` : name;
    let read = this.#read.get(path);
    if (read === undefined) {
      read = readFile(join(this.#folder, path)).then((bytes) => fileOf(bytes, isBrotli));
      this.#read.set(path, read);
      // What cannot be read now may be read later.
      read.catch(() => this.#read.delete(path));
    }
    return read;
  }

  /** The page itself, whatever place in it is asked for. */
  get index(): HeadlampFile {
    return this.#index;
  }
}

function fileOf(bytes: Buffer, isBrotli = false): HeadlampFile {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, tag: `"${digest}"`, isBrotli };
}

/** The build leaves a line for it, and names all files relative to the page, whose address has parts of its own. */
function withBase(index: string): string {
  return index
    .replace('headlampBaseUrl = __baseUrl__', `headlampBaseUrl = '${BASE}'`)
    .replaceAll('./', HEADLAMP_PATH);
}
