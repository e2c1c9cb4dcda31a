import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { startActor } from '../request/actor.ts';
import { ForksClosedError } from '../forks/open-forks.ts';
import type { ForkPlane } from '../forks/held-fork.ts';
import { givenAuthenticated, testFaults } from '../request/given.fixture.ts';
import { planes } from './planes.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Fork } from '../served-resources/fork-bases.ts';

function given() {
  const arrived: string[] = [];
  const dispatchOf = (name: string) => ({
    send: (request: AuthenticatedRequest) => void arrived.push(`${name} ${request.info.path}`),
  });
  const known = new Map<string, Fork>();
  const heard: (() => void)[] = [];
  let entering: ForkPlane | Promise<ForkPlane> = planeOf('fork');
  function planeOf(name: string): ForkPlane {
    return {
      dispatch: dispatchOf(name),
      uidOf: () => Promise.resolve(undefined),
      endWatches: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const way = startActor(
    planes({
      main: dispatchOf('main'),
      bases: { find: (name) => known.get(name) },
      forks: { enter: () => entering },
      moment: {
        newest: () =>
          new Promise((tell) => {
            heard.push(() => {
              tell(resourceVersion(1));
            });
          }),
      },
      faults: testFaults(),
    }),
  );
  const send = (url: string) => {
    const { request, answers } = givenAuthenticated({ url });
    way.send(request);
    return { request, answers };
  };
  return {
    arrived,
    heard,
    send,
    planeOf,
    make: (name: string, uid = name) => known.set(name, { name, uid, base: resourceVersion(1) }),
    remove: (name: string) => known.delete(name),
    opening(plane: Promise<ForkPlane>) {
      entering = plane;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('planes', () => {
  it('passes on to the main control plane what names no fork', () => {
    const { send, arrived } = given();
    send('/api/v1/pods');
    send('/at/7/api/v1/pods');
    expect(arrived).toEqual(['main /api/v1/pods', 'main /api/v1/pods']);
  });

  it('passes on to the fork at once when it is open', () => {
    const { send, make, arrived } = given();
    make('a');
    send('/forks/a/api/v1/pods');
    send('/forks/a');
    expect(arrived).toEqual(['fork /api/v1/pods', 'fork /']);
  });

  it('asks what was written before it says that there is no such fork', async () => {
    const { send, make, heard, arrived } = given();
    const [late, never] = [send('/forks/late/api'), send('/forks/never/api')];
    expect(late.answers).toEqual([]);
    make('late');
    for (const tell of heard) tell();
    await turn();
    expect(arrived).toEqual(['fork /api']);
    expect(never.answers).toMatchObject([
      {
        status: {
          code: 404,
          message: 'forks.dev.everwatch "never" not found',
          details: { group: 'dev.everwatch', kind: 'forks', name: 'never' },
        },
      },
    ]);
  });

  it('forgets requests whose client went while they waited', async () => {
    const { send, make, heard, arrived } = given();
    const { request } = send('/forks/a/api');
    request.finish({ code: 0, sizeBytes: 0 });
    make('a');
    for (const tell of heard) tell();
    await turn();
    expect(arrived).toEqual([]);
  });

  it('lets a request wait while the fork is opened', async () => {
    const { send, make, opening, planeOf, arrived } = given();
    make('a');
    opening(Promise.resolve(planeOf('opened')));
    send('/forks/a/api');
    expect(arrived).toEqual([]);
    await turn();
    expect(arrived).toEqual(['opened /api']);
  });

  it('answers 503 when the fork cannot be opened', async () => {
    const { send, make, opening } = given();
    make('a');
    opening(Promise.reject(new Error('no room on disk')));
    const { answers } = send('/forks/a/api');
    await turn();
    expect(answers).toMatchObject([
      { status: { code: 503, message: 'the fork a cannot be opened at the moment' } },
    ]);
  });

  it('answers as a server that ends once forks are opened no more', async () => {
    const { send, make, opening } = given();
    make('a');
    opening(Promise.reject(new ForksClosedError()));
    const { request, answers } = send('/forks/a/api');
    await turn();
    expect(answers).toMatchObject([
      { status: { code: 503, message: 'apiserver is shutting down' } },
    ]);
    expect(request.responseHeaders['Retry-After']).toBe('1');
  });

  it('answers 404 when the fork is another one by the time it is open', async () => {
    const { send, make, opening, planeOf, arrived } = given();
    make('a', 'old');
    opening(Promise.resolve(planeOf('opened')));
    const { answers } = send('/forks/a/api');
    make('a', 'new');
    await turn();
    expect(arrived).toEqual([]);
    expect(answers).toMatchObject([{ status: { code: 404 } }]);
  });
});
