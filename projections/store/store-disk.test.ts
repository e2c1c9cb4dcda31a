/** The object store on a disk that refuses the last step of a commit, behind which LMDB takes no write. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { newPaths } from '../new-paths.fixture.ts';

const newPath = newPaths('everwatch-store-disk-');
const STUCK_MS = 60_000;

const SCRIPT = `
  const [path, here] = process.argv.slice(1);
  const load = (file) => import(new URL(file, here).href);
  const { readdirSync } = await import('node:fs');
  const { failMetaWrites } = await load('../../streams/embedded/failing-file.fixture.ts');
  const { NO_CUTS } = await load('../../streams/log-cuts.ts');
  const { added, record, StillClock } = await load('./given-store.fixture.ts');
  const { LmdbObjectStore } = await load('./object-store.ts');
  const outcome = (work) => work.then(() => 'done', (error) => error.name);
  const store = new LmdbObjectStore(path, new StillClock());
  record(store, [added('a/x', 1)]);
  const said = [await outcome(store.settled())];
  for (const name of readdirSync(path)) failMetaWrites(path + '/' + name);
  record(store, [added('a/x', 2, 'modified')]);
  said.push(...await Promise.all([outcome(store.settled()), outcome(store.forget([], NO_CUTS))]));
  said.push(await outcome(store.settled()), store.appliedVersion);
  await store.close();
  console.log(JSON.stringify(said));`;

it.runIf(process.platform === 'linux')(
  'writes on in a file that it opens anew, and so does a write that waited meanwhile',
  () => {
    const node = ['--import', 'tsx', '--input-type=module', '-e', SCRIPT];
    const { stdout } = spawnSync(process.execPath, [...node, newPath(), import.meta.url], {
      encoding: 'utf8',
      timeout: STUCK_MS,
    });
    expect(JSON.parse(stdout)).toEqual(['done', 'HistoryBehindError', 'done', 'done', 2]);
  },
);
