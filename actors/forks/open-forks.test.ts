import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { givenAuthenticated, testFaults } from '../request/given.fixture.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Fork } from '../served-resources/fork-bases.ts';
import type { ForkPlane } from './held-fork.ts';
import { ForksClosedError, IDLE_FORKS_MAX, IDLE_MS, OpenForks } from './open-forks.ts';

function fork(name: string): Fork {
  return { name, uid: `uid-${name}`, base: resourceVersion(1) };
}

/** An opener that only writes down what it is asked for; opening goes on when the test says so. */
function given({ opensByItself = true } = {}) {
  const clock = new ManualClock();
  const story: string[] = [];
  const waiting: { open: () => void; fail: () => void }[] = [];
  const failures = new Map<string, (error: unknown) => void>();
  const plane = (uid: string): ForkPlane => ({
    uidOf: () => Promise.resolve(undefined),
    dispatch: {
      send: (request: AuthenticatedRequest) => void story.push(`${uid} ${request.path}`),
    },
    endWatches: () => void story.push(`end ${uid}`),
    close() {
      story.push(`close ${uid}`);
      return Promise.resolve();
    },
  });
  const forks = new OpenForks({
    clock,
    faults: testFaults(),
    opener: {
      open({ uid }, failed) {
        story.push(`open ${uid}`);
        failures.set(uid, failed);
        if (opensByItself) return Promise.resolve(plane(uid));
        return new Promise((resolve, reject) => {
          waiting.push({
            open: () => {
              resolve(plane(uid));
            },
            fail: () => {
              reject(new Error('no'));
            },
          });
        });
      },
      remove(uid) {
        story.push(`remove ${uid}`);
        return Promise.resolve();
      },
    },
  });
  const visit = (name: string) => {
    const { request } = givenAuthenticated({ url: `/forks/${name}/api` });
    const entered = forks.enter(fork(name), request);
    const leave = (): void => {
      request.finish({ code: 200, sizeBytes: 0 });
    };
    return { entered, leave };
  };
  return { clock, story, forks, visit, waiting, failures };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('forks', () => {
  it('are opened once, by the request that comes first', async () => {
    const { visit, story } = given();
    const [first, second] = [visit('a'), visit('a')];
    expect(first.entered).toBeInstanceOf(Promise);
    expect(await first.entered).toBe(await second.entered);
    expect(visit('a').entered).toBe(await first.entered);
    expect(story).toEqual(['open uid-a']);
  });

  it('are tried again when they could not be opened', async () => {
    const { visit, waiting, forks } = given({ opensByItself: false });
    const one = visit('a');
    await settled();
    waiting[0]?.fail();
    await expect(one.entered).rejects.toThrow('no');
    one.leave();
    expect(forks.count).toBe(0);
    const two = visit('a');
    await settled();
    waiting[1]?.open();
    expect(await two.entered).toBeDefined();
  });

  it('are closed when no request has come for long, and not while one is inside', async () => {
    const { visit, story, clock, forks } = given();
    const [a, b] = [visit('a'), visit('b')];
    await settled();
    a.leave();
    clock.advance(IDLE_MS / 2);
    expect(story).not.toContain('close uid-a');
    clock.advance(IDLE_MS);
    expect(story).toContain('close uid-a');
    expect(story).not.toContain('close uid-b');
    await settled();
    expect(forks.count).toBe(1);
    b.leave();
    clock.advance(2 * IDLE_MS);
    await settled();
    expect(forks.count).toBe(0);
    // It comes back as it was.
    expect(await visit('a').entered).toBeDefined();
  });

  it('make room for each other, the one that was used last staying', async () => {
    const { visit, story, clock, forks } = given();
    for (let index = 0; index < IDLE_FORKS_MAX + 3; index += 1) {
      const one = visit(String(index));
      await one.entered;
      one.leave();
      clock.advance(1);
    }
    visit('0').leave();
    await settled();
    const closed = story.filter((line) => line.startsWith('close'));
    expect(closed.slice(0, 2)).toEqual(['close uid-0', 'close uid-1']);
    expect(forks.count).toBeLessThanOrEqual(IDLE_FORKS_MAX + 1);
  });

  it('are opened anew behind their closing', async () => {
    const { visit, story, clock } = given();
    const one = visit('a');
    await one.entered;
    one.leave();
    clock.advance(2 * IDLE_MS);
    const two = visit('a');
    await two.entered;
    expect(story).toEqual(['open uid-a', 'end uid-a', 'close uid-a', 'open uid-a']);
  });

  it('are removed when the requests inside have left, and their watches have ended', async () => {
    const { visit, story, forks } = given();
    const one = visit('a');
    await one.entered;
    forks.removed('uid-a');
    await settled();
    expect(story).toEqual(['open uid-a', 'end uid-a']);
    one.leave();
    await settled();
    expect(story.slice(2)).toEqual(['end uid-a', 'close uid-a', 'remove uid-a']);
    expect(forks.count).toBe(0);
  });

  it('are removed in the end even if a request never leaves', async () => {
    const { visit, story, forks, clock } = given();
    await visit('a').entered;
    forks.removed('uid-a');
    await settled();
    clock.advance(120_000);
    await settled();
    expect(story).toContain('remove uid-a');
  });

  it('are removed without being opened', async () => {
    const { story, forks } = given();
    forks.removed('uid-a');
    await settled();
    expect(story).toEqual(['remove uid-a']);
  });

  it('are removed behind their opening', async () => {
    const { visit, waiting, story, forks } = given({ opensByItself: false });
    const one = visit('a');
    await settled();
    forks.removed('uid-a');
    await settled();
    expect(story).toEqual(['open uid-a']);
    waiting[0]?.open();
    await settled();
    one.leave();
    await settled();
    expect(story.at(-1)).toBe('remove uid-a');
  });

  it('are opened anew when their log could not be read any more', async () => {
    const { visit, story, failures } = given();
    const one = visit('a');
    await one.entered;
    failures.get('uid-a')?.(new Error('gone'));
    await visit('a').entered;
    expect(story).toEqual(['open uid-a', 'end uid-a', 'close uid-a', 'open uid-a']);
  });

  it('are all closed in the end', async () => {
    const { visit, story, forks } = given();
    visit('a');
    await visit('b').entered;
    await forks.close();
    expect(story.filter((line) => line.startsWith('close')).sort()).toEqual([
      'close uid-a',
      'close uid-b',
    ]);
  });

  it('are not opened for a request that comes while all are closed, or later', async () => {
    const { visit, story, forks } = given();
    await visit('a').entered;
    const closed = forks.close();
    await expect(visit('a').entered).rejects.toBeInstanceOf(ForksClosedError);
    await expect(visit('b').entered).rejects.toBeInstanceOf(ForksClosedError);
    await closed;
    await expect(visit('a').entered).rejects.toBeInstanceOf(ForksClosedError);
    expect(story).toEqual(['open uid-a', 'end uid-a', 'close uid-a']);
    expect(forks.count).toBe(0);
  });

  it('are closed as soon as they are open, and a request that waited for one is told why', async () => {
    const { visit, story, forks, waiting } = given({ opensByItself: false });
    const one = visit('a');
    const refused = expect(one.entered).rejects.toBeInstanceOf(ForksClosedError);
    await settled();
    const closed = forks.close();
    waiting[0]?.open();
    await closed;
    await refused;
    expect(story).toEqual(['open uid-a', 'end uid-a', 'close uid-a']);
  });
});
