/** The page in Chromium on a server of a copy: a cluster that was recorded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RecordPlace } from '../../gateway/recorder/record-place.ts';
import { describeWith } from '../support/requirements.ts';
import { startServer } from '../support/server.ts';
import { accessibilityProblems } from './accessibility.ts';
import { launch, openPage, shows, TOKEN_FIELD } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';

await describeWith('chromium', 'the page on a copy', (chromium) => {
  it('says what it is a copy of and where something may be missing', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-copy-'));
    await (await startServer({ dataDir })).stop();
    // As the recorder leaves it.
    const place = new RecordPlace(dataDir);
    place.setCluster({ server: 'https://prod.example:6443', uid: '', since: 0 });
    await place.save();
    place.addGap({
      ...{ time: new Date().toISOString(), resource: 'core/pods', reason: 'forgotten (410)' },
      ...{ knownTo: '1', knownFrom: '9', version: 5, added: 2, modified: 1, deleted: 0 },
    });
    const server = await startServer({ dataDir, args: ['--read-only', ...withUsers()] });
    const browser = await launch(chromium);
    try {
      const { page, complaints } = await openPage(browser, `${server.url}/everwatch/`);
      await page.getByLabel(TOKEN_FIELD).fill(ALICE);
      await page.keyboard.press('Enter');
      await shows(page, 'Recording of https://prod.example:6443. Nothing here can be changed.');
      await expect.poll(() => page.locator('.strip .gap').count()).toBe(1);
      await shows(page, 'as far as it reaches');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('button', { name: '1 gap…' }).click();
      await shows(page, 'forgotten (410); found 2 added, 1 modified, 0 deleted');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
      // Nothing of a copy can be changed, so nothing offers it.
      const offers = () => page.getByRole('button', { name: /^(Delete|New)…$/ }).allInnerTexts();
      await page.goto(`${server.url}/everwatch/#/objects/core/v1/namespaces/_/kube-system`);
      await shows(page, 'kubernetes.io/metadata.name');
      expect(await offers()).toEqual([]);
      await page.goto(`${server.url}/everwatch/#/kinds/core/v1/namespaces`);
      await page.getByRole('link', { name: 'kube-system' }).first().waitFor();
      // The gap is one of pods.
      expect(await page.locator('.strip .gap').count()).toBe(0);
      expect(await offers()).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
