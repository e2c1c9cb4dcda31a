/** Made-up requests, admitted or refused as kube-apiserver's plug-ins did when they were asked. */
import { describe, expect, it } from 'vitest';

import { answersHere, CASES, recordedPlugins, recordedWorlds } from './compared-plugins.fixture.ts';

describe.each(CASES.map((one, at) => ({ ...one, one, at })))('$plugin of $url', ({ one, at }) => {
  it('admits, changes and refuses as in kube-apiserver', async () => {
    const worlds = recordedWorlds(one);
    const ours = (await Promise.all(worlds.map((world) => answersHere(one, world)))).flat();
    const asked = worlds.flatMap(({ there, requests }) => requests.map((one) => ({ there, one })));
    const differing = recordedPlugins.differing(at, ours);
    const shown = differing.map((which) => ({ ...asked[which], ours: ours[which] }));
    expect(shown.slice(0, 2)).toEqual([]);
  });
});
