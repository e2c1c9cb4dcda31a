/** Logs of pods and terminals in them, on the page in Chromium, with KWOK's streaming server as the node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { kubeletTrust, nodeWithPod, type KubeletTrust } from '../streams/kubelets.ts';
import { startKwokStreams } from '../streams/matrix/stream-targets.ts';
import { accessibilityProblems } from './accessibility.ts';
import { launch, logIn, openPage, type OpenedPage, shows } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';

const kwok = await needs('kwok');

await describeWith('chromium', 'pods on the page', (chromium) => {
  let folder = '';
  let trust: KubeletTrust | undefined;
  let server: RunningServer | undefined;
  let node: Awaited<ReturnType<typeof startKwokStreams>> | undefined;
  let browser: Browser | undefined;
  let opened: OpenedPage | undefined;

  beforeAll(async () => {
    if (kwok === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'everwatch-pods-'));
    trust = await kubeletTrust();
    const address = '--kubelet-preferred-address-types=InternalIP';
    server = await startServer({ args: [...withUsers(), ...trust.serverFlags, address] });
    node = await startKwokStreams(kwok, folder, { server, ...trust.node, echo: 1 });
    const client = adminClient(server);
    await nodeWithPod(client, 'kwok', node);
    client.close();
    browser = await launch(chromium);
    opened = await openPage(browser, `${server.url}/everwatch/`);
    await logIn(opened, ALICE);
    await page().evaluate("location.hash = '#/objects/core/v1/pods/default/kwok'");
  });
  afterAll(async () => {
    await browser?.close();
    node?.stop();
    await server?.stop();
    trust?.remove();
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  function page(): Page {
    if (opened === undefined) throw new Error('there is no page');
    return opened.page;
  }
  const complaints = (): readonly string[] =>
    // The stream of a log ends with the view.
    (opened?.complaints ?? []).filter((one) => !one.includes('/log?'));

  it.skipIf(kwok === undefined)('a log is followed and searched', async () => {
    await page().getByRole('link', { name: 'Logs of main' }).click();
    const lines = page().getByRole('log');
    await shows(lines, 'first line');
    node?.goOn();
    await shows(lines, 'second line');
    await page().keyboard.press('/');
    await page().keyboard.type('SECOND');
    await shows(page(), '1 of 2 lines');
    expect(await lines.locator('mark').allInnerTexts()).toEqual(['second']);
    expect(await lines.innerText()).not.toContain('first line');
  });

  it.skipIf(kwok === undefined)('a terminal runs what is typed, and is left by key', async () => {
    await page().getByRole('tab', { name: 'Terminal' }).click();
    await page().getByLabel('Command').fill('sh');
    await page().keyboard.press('Enter');
    await page().locator('.terminal[data-ready] textarea').waitFor({ state: 'attached' });
    const screen = page().locator('.terminal .xterm-rows');
    await expect
      .poll(() => page().evaluate("document.activeElement?.className ?? ''"))
      .toContain('terminal');
    // What is typed before the shell asks for it stands above its prompt, which the output is behind then.
    await expect.poll(() => screen.innerText()).toMatch(/^[#$]/m);
    await page().keyboard.type("printf '\\033[38;2;1;2;3m%s\\033[0m\\n' $((6 * 7))x");
    await page().keyboard.press('Enter');
    await expect.poll(() => screen.innerText()).toMatch(/^42x/m);
    await page().keyboard.press('Shift+Escape');
    await expect.poll(() => page().evaluate('document.activeElement?.id')).toBe('terminal-connect');
    await page().locator('.terminal textarea').focus();
    await page().keyboard.type('exit 3');
    await page().keyboard.press('Enter');
    await shows(page(), /The command has ended|exit/);
    expect(complaints()).toEqual([]);
  });

  it.skipIf(kwok === undefined)('reads well', async () => {
    for (const tab of ['Summary', 'Logs', 'Terminal']) {
      await page().getByRole('tab', { name: tab }).click();
      await page().getByRole('tabpanel').waitFor();
      expect(await accessibilityProblems(page())).toEqual([]);
    }
  });
});
