/**
 * Headlamp's routes in Chromium, with a page of our own in the place of Headlamp's files: it asks as that does,
 * and the browser does with the cookies what it does. The unmodified page is looked at by hand (docs/headlamp.md).
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type JsonObject, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';
import { type OpenedPage, shows } from './browser.ts';
import { ALICE, BOB, withUsers } from './given-cluster.ts';
import { shopForThisFile } from './shop-for-this-file.ts';

const API = 'clusters/everwatch';
const PODS = '/api/v1/namespaces/shop/pods';
const MAPS = '/api/v1/namespaces/shop/configmaps';
const SECRETS = '/api/v1/namespaces/shop/secrets';
const ROLE = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles/reader';

/** As a build leaves them: one script in the page that sets the base, and another beside it. */
function givenFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-headlamp-'));
  mkdirSync(join(folder, 'assets'));
  const page = [
    '<!doctype html><title>A page</title><script>',
    "      __baseUrl__ = './<%= BASE_URL %>'.replace('<' + '%= BASE_URL %>', '');",
    '      headlampBaseUrl = __baseUrl__;',
    '    </script><script type="module" src="./assets/main-A.js"></script>',
  ];
  writeFileSync(join(folder, 'index.html'), page.join('\n'));
  writeFileSync(
    join(folder, 'assets/main-A.js'),
    `const url = location.origin + headlampBaseUrl + '/';
    window.ask = async (path, init = {}) => {
      const answer = await fetch(url + path, { credentials: 'include', ...init });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    };
    window.logIn = (token) => ask('${API}/set-token', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }),
    });
    window.heard = [];
    window.open1 = (path, ...protocols) => new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace('http', 'ws') + path, protocols);
      socket.onmessage = ({ data }) => heard.push(JSON.parse(data));
      socket.onopen = () => resolve(socket.protocol);
      socket.onerror = () => reject(new Error('refused'));
      window.socket = socket;
    });
    window.say = ({ path, clusterId = 'everwatch', ...message }) => socket.send(JSON.stringify({
      clusterId, userId: 'u', path: headlampBaseUrl + path, ...message,
    }));
    document.body.textContent = headlampBaseUrl;`,
  );
  return folder;
}

/** Of the same host, on another port: of the same site, for a browser. */
async function aPageBesideIt(): Promise<{ readonly url: string; readonly close: () => void }> {
  const authority = await testAuthority('neighbour');
  const { certificate: cert, key } = await authority.issue('neighbour', ['127.0.0.1']);
  const server = createServer({ cert, key }, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end('<!doctype html><title>Another page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `https://127.0.0.1:${String(port)}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Asked {
  readonly status: number;
  readonly body: JsonObject;
}

await describeWith('chromium', 'the routes of Headlamp', (chromium) => {
  const clusters = ['--headlamp-clusters', 'then=/at/1/still,try=/forks/try'];
  const flags = ['--headlamp-dir', givenFiles(), '--authorization-mode=RBAC', ...clusters];
  const server = serverForThisFile({ args: [...withUsers(), ...flags] });
  const { api, open } = shopForThisFile(chromium, server);
  let bob: OpenedPage | undefined;

  beforeAll(async () => {
    bob = await open('/everwatch/headlamp/c/everwatch/pods');
  });

  function page(): Page {
    if (bob === undefined) throw new Error('there is no page');
    return bob.page;
  }
  const ask = (path: string): Promise<Asked> => page().evaluate(`ask(${JSON.stringify(path)})`);
  const logIn = (on: Page, token: string): Promise<Asked> =>
    on.evaluate(`logIn(${JSON.stringify(token)})`);
  const heard = (): Promise<{ type: string; clusterId: string; path: string; data?: string }[]> =>
    page().evaluate('heard');
  /** Waits for a message about this path that has the text in it. */
  const hears = (path: string, type: string, text = '') =>
    expect
      .poll(
        async () => {
          const about = (await heard()).filter(
            (one) => one.path.endsWith(path) && one.type === type,
          );
          return about.some(({ data = '' }) => data.includes(text));
        },
        { message: `${type} ${text} of ${path}` },
      )
      .toBe(true);

  it('the page is what it is at each of its addresses, and knows where its backend is', async () => {
    await shows(page(), '/everwatch/headlamp');
    expect(await page().title()).toBe('A page');
    expect(bob?.complaints).toEqual([]);
    expect((await ask('config')).body).toMatchObject({
      clusters: [{ name: 'everwatch' }, { name: 'then' }, { name: 'try' }],
    });
    expect((await ask('plugins')).body).toEqual([]);
  });

  it('a token is kept where no script sees it, and is the user of what the page asks', async () => {
    expect([401, 403]).toContain((await ask(`${API}/me`)).status);
    expect((await ask(`${API}${PODS}`)).status).not.toBe(200);
    expect((await logIn(page(), BOB)).status).toBe(200);
    expect(await page().evaluate('document.cookie')).toBe('');
    expect((await ask(`${API}/me`)).body).toMatchObject({ username: 'bob' });
    expect((await ask(`${API}${PODS}`)).body).toMatchObject({ kind: 'PodList' });
    expect((await ask(`${API}${SECRETS}`)).status).toBe(403);
    // An address that is typed, as a document: what a pod serves must not run here as a page.
    const typed = await page().context().newPage();
    const shown = await typed.goto(`${server().url}/everwatch/headlamp/${API}${PODS}`);
    expect([401, 403]).toContain(shown?.status());
    await typed.close();
  });

  it('the multiplexer carries watches, each by the right of the user, and each ends by itself', async () => {
    await page().evaluate(`open1('wsMultiplexer')`);
    const version = textAt((await ask(`${API}${PODS}`)).body, 'metadata', 'resourceVersion');
    for (const path of [PODS, MAPS, SECRETS]) {
      const query = `watch=1&resourceVersion=${version}`;
      await page().evaluate(`say(${JSON.stringify({ type: 'REQUEST', path, query })})`);
    }
    await hears(SECRETS, 'ERROR', 'is forbidden');
    await hears(PODS, 'COMPLETE');
    await hears(MAPS, 'COMPLETE');
    await api().patch(`${PODS}/migrate-x2x4k`, { metadata: { labels: { seen: 'one' } } });
    await hears(PODS, 'DATA', '"seen":"one"');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
    await api().patch(ROLE, { rules });
    await hears(PODS, 'ERROR');
    await api().patch(`${MAPS}/settings`, { data: { colour: 'red' } });
    await hears(MAPS, 'DATA', 'red');
    expect(JSON.stringify(await heard())).not.toContain('hunter2');
  });

  it('below a moment that stands still, lists and watches stay there', async () => {
    await page().evaluate(`heard.length = 0; open1('wsMultiplexer')`);
    const version = textAt((await ask(`${API}${MAPS}`)).body, 'metadata', 'resourceVersion');
    const then = `/at/${version}/still${MAPS}`;
    const query = `watch=1&resourceVersion=${version}`;
    for (const path of [then, MAPS]) {
      await page().evaluate(`say(${JSON.stringify({ type: 'REQUEST', path, query })})`);
    }
    await hears(then, 'COMPLETE');
    await api().patch(`${MAPS}/settings`, { data: { colour: 'blue' } });
    await hears(MAPS, 'DATA', 'blue');
    expect(JSON.stringify((await ask(`${API}${MAPS}`)).body)).toContain('blue');
    expect(JSON.stringify((await ask(`${API}${then}`)).body)).not.toContain('blue');
    const ofThen = (await heard()).filter(({ path }) => path.endsWith(then));
    expect(ofThen.map(({ type }) => type)).not.toContain('DATA');
  });

  it('a moment and a fork are clusters of their own, for the same user', async () => {
    const [group, kind] = ['dev.everwatch/v1alpha1', 'Fork'];
    const fork = { apiVersion: group, kind, metadata: { name: 'try' }, spec: {} };
    expect((await api().post(`/apis/${group}/forks`, fork)).status).toBe(201);
    expect((await ask('clusters/try/me')).body).toMatchObject({ username: 'bob' });
    expect((await ask(`clusters/then${MAPS}`)).body).toMatchObject({ items: [] });
    expect((await ask(`clusters/try${SECRETS}`)).status).toBe(403);
    await page().evaluate(`heard.length = 0; open1('wsMultiplexer')`);
    const all = ['everwatch', 'then', 'try'];
    for (const clusterId of all) {
      const { body } = await ask(`clusters/${clusterId}${MAPS}`);
      const query = `watch=1&resourceVersion=${textAt(body, 'metadata', 'resourceVersion')}`;
      const asked = { type: 'REQUEST', clusterId, path: MAPS, query };
      await page().evaluate(`say(${JSON.stringify(asked)})`);
    }
    // Sockets that were opened before hear of it too.
    const saying = async (text: string) => {
      const said = (await heard()).filter(({ data = '' }) => data.includes(text));
      return [...new Set(said.map(({ clusterId }) => clusterId))];
    };
    const complete = async () => (await heard()).filter(({ type }) => type === 'COMPLETE').length;
    await expect.poll(complete).toBe(all.length);
    expect(
      (await api().patch(`/forks/try${MAPS}/settings`, { data: { a: 'forked' } })).status,
    ).toBe(200);
    await expect.poll(() => saying('forked')).toEqual(['try']);
    expect((await api().patch(`${MAPS}/settings`, { data: { a: 'of-now' } })).status).toBe(200);
    await expect.poll(() => saying('of-now')).toEqual(['everwatch']);
  });

  it('a watch of its own has the same right', async () => {
    await page().evaluate('heard.length = 0');
    const opened = `open1('${API}${MAPS}?watch=1', 'base64.binary.k8s.io')`;
    expect(await page().evaluate(opened)).toBe('base64.binary.k8s.io');
    // Sockets that were opened before may tell something as well.
    await expect.poll(async () => (await heard()).map(({ type }) => type)).toContain('ADDED');
    await expect(page().evaluate(opened.replace(MAPS, SECRETS))).rejects.toThrow('refused');
  });

  // Of the same site: a browser sends the cookies.
  it('a page on another port of the same host can do nothing by them', async () => {
    const alice = await open('/everwatch/headlamp/');
    await logIn(alice.page, ALICE);
    const other = await alice.page.context().newPage();
    const neighbour = await aPageBesideIt();
    await other.goto(neighbour.url);
    const url = `${server().url}/everwatch/headlamp/`;
    // Without a type, which needs no preflight and is read as JSON.
    const init = `{ method: 'POST', mode: 'no-cors', credentials: 'include',
      body: new Blob(['{"metadata":{"name":"evil"}}']) }`;
    await other.evaluate(`fetch('${url}${API}${MAPS}', ${init}).catch(() => undefined)`);
    expect((await api().get(`${MAPS}/evil`)).status).toBe(404);
    const socket = `new Promise((resolve) => {
      const socket = new WebSocket('${url.replace('https', 'wss')}wsMultiplexer');
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    })`;
    expect(await other.evaluate(socket)).toBe('refused');
    // With the path of the cluster alone, as Headlamp's backend gives it, no cookie comes here.
    await alice.page.context().clearCookies({ path: '/everwatch/headlamp/wsMultiplexer' });
    await expect(alice.page.evaluate("open1('wsMultiplexer')")).rejects.toThrow('refused');
    expect((await logIn(alice.page, '')).status).toBe(200);
    const asked: Asked = await alice.page.evaluate(`ask('${API}/me')`);
    expect([401, 403]).toContain(asked.status);
    await alice.close();
    neighbour.close();
  });
});
