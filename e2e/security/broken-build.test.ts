/** That no attack is made on a build in which nothing was taken out. */
import { expect, it } from 'vitest';

import { brokenBuild } from './broken-build.ts';

it.each([
  [
    'actors/pipeline/dispatch.ts',
    'a check that was never there',
    /stands 0 times in actors\/pipeline\/dispatch\.ts/,
  ],
  [
    'actors/pipeline/dispatch.ts',
    'return',
    /stands \d+ times in actors\/pipeline\/dispatch\.ts, not once: return/,
  ],
  [
    'actors/pipeline/dispatch.test.ts',
    'import',
    /actors\/pipeline\/dispatch\.test\.ts is no part of the server/,
  ],
])('%s: nothing is built where "%s" cannot be taken out', async (file, text, why) => {
  await expect(brokenBuild([{ file, text, instead: '' }])).rejects.toThrow(why);
});
