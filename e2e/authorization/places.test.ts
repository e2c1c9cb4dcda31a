/**
 * The law of places: a user without the right to know of a fork or a moment hears the same of one that is
 * there and of one that is not, and no fork is opened on his behalf.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeFork } from '../forks/fork-client.ts';
import { type AdminClient, adminClient } from '../support/admin-client.ts';
import { textAt, parseJson } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { as } from '../security/real-and-broken.ts';
import { type Asked, type Asker, askerOf, type Heard } from './asker.ts';
import { grant } from './grants.ts';

const server = serverForThisFile({
  args: ['--authorization-mode=RBAC', '--enable-priority-and-fairness=false'],
});

let asker: Asker;
let client: AdminClient;

beforeAll(async () => {
  client = adminClient(server());
  asker = await askerOf(server());
  await makeFork(client, 'idle');
  const everyPath = [{ nonResourceURLs: ['*'], verbs: ['*'] }];
  await grant(client, 'paths', everyPath);
  const own = { apiGroups: ['dev.everwatch'], verbs: ['get'] };
  await grant(client, 'knows', [...everyPath, { ...own, resources: ['forks', 'logs'] }]);
});
afterAll(() => {
  asker.close();
  client.close();
});

const STRANGERS = [
  as('system:anonymous', 'system:unauthenticated'),
  as('nobody', 'system:authenticated'),
  as('paths', 'system:authenticated'),
];

/** One of each kind that is there, and such as are not. */
const FORKS = ['/forks/idle', '/forks/none', '/forks/-'];
const MOMENTS = ['/at/1', '/at/999999', '/at/2999-01-01T00:00:00Z', '/at/yesterday', '/at/0'];
const STILL = ['/at/1/still', '/at/999999/still'];
const IN_FORKS = ['/forks/idle/at/1', '/forks/idle/at/999999', '/forks/none/at/1/still'];

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const QUESTIONS: Omit<Asked, 'as'>[] = [
  ...['/version', '/healthz', '/livez', '/readyz', '/api', '/apis', '/api/v1', '/apis/apps/v1'],
  ...['/apis/dev.everwatch/v1alpha1', '/openapi/v3', '/openapi/v3/api/v1', '/', ''],
  ...['/nonesuch', '/api/v1/secrets', '/api/v1/namespaces/default/pods/a', '/api/v1/nonesuch'],
  ...['/everwatch/v1/log', '/everwatch/v1/log/state', '/everwatch/v1/status', '/statusz'],
].map((path) => ({ method: 'GET', path }));
QUESTIONS.push(
  { method: 'POST', path: REVIEW, body: '{"spec":{"nonResourceAttributes":{"path":"/x"}}}' },
  { method: 'POST', path: '/version', body: '{}' },
  { method: 'POST', path: '/everwatch/v1/shred?resource=core/secrets&path=default/a', body: '{}' },
);

describe('a user without the right to know of places', () => {
  it.each([
    ['forks', FORKS],
    ['moments', [...MOMENTS, ...STILL]],
    ['moments of forks', IN_FORKS],
  ])('hears the same of %s that are there and that are not', async (_, places) => {
    const asked = STRANGERS.flatMap((user) =>
      QUESTIONS.flatMap(({ path, ...rest }) =>
        places.map((place) => ({ ...rest, path: place + path, as: user })),
      ),
    );
    const answers = await asker.askAll(asked);
    for (let first = 0; first < asked.length; first += places.length) {
      const said = places.map((_place, index) => whatIsTold(answers[first + index]));
      expect(new Set(said), told(asked[first])).toEqual(new Set([said[0]]));
    }
    expect(await openForks()).toBe(0);
  });

  it('is told neither the newest version nor what is served then', async () => {
    for (const user of STRANGERS) {
      const { status, text } = await asker.ask({
        method: 'GET',
        path: '/at/999999/version',
        as: user,
      });
      expect([status, textAt(parseJson(text), 'major')]).toEqual([200, '1']);
    }
  });
});

describe('a user with that right', () => {
  it('reaches what is there, and is told what is not', async () => {
    const status = async (path: string): Promise<number> =>
      (await asker.ask({ method: 'GET', path, as: as('knows') })).status;
    expect(await status('/forks/none/version')).toBe(404);
    expect(await status('/at/yesterday/version')).toBe(400);
    expect(await status('/at/999999/version')).toBe(400);
    expect(await openForks()).toBe(0);
    expect(await status('/forks/idle/apis/dev.everwatch/v1alpha1')).toBe(404);
    expect(await openForks()).toBe(1);
  });
});

async function openForks(): Promise<number> {
  const { body } = await client.get('/metrics');
  return Number(/^everwatch_open_forks (\d+)$/m.exec(typeof body === 'string' ? body : '')?.[1]);
}

/** All of the answer but what belongs to the request alone; a review says no name of its own. */
function whatIsTold(heard: Heard | undefined): string {
  if (heard === undefined) throw new Error('there was no answer');
  // Of the body, which is compared itself; and when a document was made, which is any second.
  const { 'audit-id': _, date: _date, 'content-length': _length, ...others } = heard.headers;
  const { 'last-modified': _modified, ...headers } = others;
  // When it was asked, which some pages say, and the moment in the words of the client.
  const own = /^(Up|Start) .*$|"(creationTimestamp|time)":[^,}]*|as of \S+ is read-only/gm;
  const text = heard.text.replaceAll(own, '');
  return JSON.stringify([heard.status, headers, text]);
}

function told(asked: Asked | undefined): string {
  return `${asked?.method ?? ''} ${asked?.path ?? ''} as ${JSON.stringify(asked?.as)}`;
}
