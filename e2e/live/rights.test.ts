/**
 * The law of reading holds on a live connection: with random rights and random subscriptions, what is shown is
 * what the same user is shown by the watch that the subscription stands for, below `/at/` and `/forks/` too.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { LIVE_LIMITS } from '../../api/live/live-limits.ts';
import { configMap, created } from '../api/objects.ts';
import { grant } from '../authorization/grants.ts';
import { makeFork } from '../forks/fork-client.ts';
import { Chance } from '../robustness/chance.ts';
import { adminClient } from '../support/admin-client.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { LiveSocket } from './live-socket.ts';

const USERS = ['u0', 'u1', 'u2'];
const NAMESPACES = ['default', 'one', 'two'];
const RESOURCES = ['configmaps', 'secrets', 'serviceaccounts'];
const PLACES = ['', '/at/40', '/at/40/still', '/forks/f', '/forks/none'];
const SCOPES = ['', ...NAMESPACES.map((one) => `/namespaces/${one}`)];
const VERBS = ['get', 'list', 'watch'];
const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261127');

const folder = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, USERS.map((user) => `${user}-token,${user},${user}\n`).join(''));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const server = serverForThisFile({
  args: ['--token-auth-file', tokens, '--authorization-mode', 'RBAC'],
});

it('shows what the watch shows, and refuses what it refuses', async () => {
  const client = adminClient(server());
  const chance = new Chance(SEED);
  for (const name of NAMESPACES.slice(1)) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await created(client, '/api/v1/namespaces', namespace);
  }
  for (const name of NAMESPACES) {
    await created(client, `/api/v1/namespaces/${name}/configmaps`, configMap(`in-${name}`));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `in-${name}` } };
    await created(client, `/api/v1/namespaces/${name}/secrets`, secret);
  }
  await makeFork(client, 'f');
  for (const [index, user] of USERS.entries()) {
    // By chance none of them might be allowed to see anything.
    const verbs = index === 0 ? VERBS : some(chance, VERBS);
    const rules = [{ apiGroups: [''], resources: some(chance, RESOURCES), verbs }];
    await grant(client, user, rules, index === 0 ? 'one' : chance.oneOf(['', ...NAMESPACES]));
  }
  let shown = 0;
  let refused = 0;
  for (const user of USERS) {
    const live = await LiveSocket.open(server(), { token: `${user}-token` });
    const paths = PLACES.flatMap((place) =>
      SCOPES.flatMap((scope) => RESOURCES.map((one) => `${place}/api/v1${scope}/${one}`)),
    );
    let windows = 0;
    for (const path of paths) {
      const isWindow = windows < LIVE_LIMITS.windowsMax && chance.happens(0.5);
      if (isWindow) windows += 1;
      const shape = isWindow ? { window: { offset: 0, limit: 100 } } : {};
      live.send({ type: 'subscribe', id: path, path, ...shape });
    }
    for (const path of paths) {
      const first = await live.until(path, ({ id, type }) => id === path && ENDS.has(type));
      const alone = await client.open(`${path}?watch=1&timeoutSeconds=1`, {
        'impersonate-user': user,
      });
      alone.destroy();
      if (alone.statusCode === 200) {
        shown += 1;
        expect(first.type, path).not.toBe('error');
      } else {
        refused += 1;
        expect(first['status'], path).toMatchObject({ code: alone.statusCode });
        expect(live.of(path), path).toHaveLength(1);
      }
    }
    live.close();
  }
  expect(shown).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  client.close();
});

const ENDS: ReadonlySet<string> = new Set(['caughtUp', 'rows', 'error']);

function some(chance: Chance, all: readonly string[]): string[] {
  const chosen = all.filter(() => chance.below(2) === 1);
  return chosen.length === 0 ? all.slice(0, 1) : chosen;
}
