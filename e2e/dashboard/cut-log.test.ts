/** A log that retention shortens under a page and a socket that stand in its past: the real server, in Chromium. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LiveSocket } from '../live/live-socket.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { accessibilityProblems } from './accessibility.ts';
import { logIn, type OpenedPage, shows } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';
import { shopForThisFile } from './shop-for-this-file.ts';

const NODES = '/api/v1/nodes';
const MAPS = '/api/v1/namespaces/default/configmaps';
const KEPT = 30;
/** So many changes push everything of the cluster out of what is kept, but its state. */
const CHANGES = 40;
const GONE = 'The log does not reach back to this moment any more.';
const CUT = 'What was here at this moment was cut from the log.';
const MINUTE_MS = 61_000;

interface StatusBody {
  readonly log: { readonly oldest: number; readonly newest: number };
}

await describeWith('chromium', 'a log that is cut', (chromium) => {
  const server = serverForThisFile({ args: [...withUsers(), '--history-retention', String(KEPT)] });
  const { api, open } = shopForThisFile(chromium, server);
  let opened: OpenedPage | undefined;
  let socket: LiveSocket | undefined;
  /** All nodes are there, and soon it is cut. */
  let moment = '';

  beforeAll(async () => {
    const { body } = await api().get(`${NODES}/worker-3`);
    moment = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    for (let nth = 0; nth < CHANGES; nth += 1) {
      await api().post(MAPS, { metadata: { name: `m${String(nth)}` } });
    }
    socket = await LiveSocket.open(server());
    opened = await open();
    await opened.page.clock.install();
    await opened.page.reload();
    await logIn(opened, ALICE);
  });
  afterAll(() => {
    socket?.close();
  });

  function page(): Page {
    if (opened === undefined) throw new Error('there is no page');
    return opened.page;
  }

  async function oldest(): Promise<number> {
    const answer = await api().get('/everwatch/v1/status');
    return (answer.body as unknown as StatusBody).log.oldest; // docs/operations.md has its members.
  }

  const go = (at: string): Promise<unknown> =>
    page().evaluate(`location.hash = '#${at === '' ? '' : `/at/${at}`}/kinds/core/v1/nodes'`);
  const rows = (): Promise<number> =>
    page()
      .getByRole('link', { name: /^worker-/ })
      .count();

  it('is told on a page that stands where it was cut', async () => {
    await go(moment);
    await shows(page(), 'worker-3');
    const marked = async (): Promise<number> =>
      Number(/(\d+) changes/.exec(await page().locator('.ends').innerText())?.[1] ?? 0);
    await expect.poll(marked).toBeGreaterThan(3);
    const cut = async (): Promise<true | undefined> =>
      (await oldest()) > Number(moment) + 1 || undefined;
    await eventually('it is cut', cut);
    expect(await page().getByText(GONE).count()).toBe(0);
    await page().clock.fastForward(MINUTE_MS);
    await shows(page(), GONE);
    await expect.poll(marked).toBe(0);
    expect(await accessibilityProblems(page())).toEqual([]);
  });

  it('has nothing to show where a page moves to then, and the page leads to the oldest that there is, and to now', async () => {
    await go(String(Number(moment) - 1));
    await shows(page(), CUT);
    expect(await rows()).toBe(0);
    expect(await page().locator('.resources header').innerText()).not.toMatch(/\d/);
    await shows(page(), GONE);
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByRole('button', { name: 'Show the oldest' }).click();
    await expect.poll(rows).toBe(3);
    expect(await page().getByText(GONE).count()).toBe(0);
    await go(moment);
    await shows(page(), CUT);
    expect(await rows()).toBe(0);
    await page().getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(rows).toBe(3);
    expect(await page().getByText(CUT).count()).toBe(0);
    expect(opened?.complaints).toEqual([]);
  });

  it('ends what a socket subscribes to there, or moves there, with 410', async () => {
    if (socket === undefined) throw new Error('there is no socket');
    const window = { offset: 0, limit: 10 };
    socket.send({ type: 'subscribe', id: 'stays', path: MAPS });
    await socket.untilCaughtUp('stays');
    socket.send({ type: 'subscribe', id: 'window', path: NODES, window, at: moment });
    socket.send({ type: 'subscribe', id: 'at', path: NODES, at: moment });
    socket.send({ type: 'subscribe', id: 'from', path: NODES, from: moment });
    const code = (id: string): unknown => {
      const status = socket?.of(id, 'error')[0]?.['status'];
      return (status as { readonly code: number } | undefined)?.code;
    };
    await expect.poll(() => ['window', 'at', 'from'].map(code)).toEqual([410, 410, 410]);
    expect(code('stays')).toBeUndefined();
    socket.send({ type: 'subscribe', id: 'moves', path: NODES });
    await socket.untilCaughtUp('moves');
    socket.send({ type: 'seek', at: String((await oldest()) - 1) });
    await expect.poll(() => socket?.of('moves', 'caughtUp').length).toBe(2);
    socket.send({ type: 'seek', at: moment });
    await expect.poll(() => code('moves')).toBe(410);
  });
});
