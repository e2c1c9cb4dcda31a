/** Every thing that can happen, in every state of a fork. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { testFaults } from '../request/given.fixture.ts';
import { FORK_LIFE, type ForkState } from './held-fork.machine.ts';
import { HeldFork, type ForkPlane } from './held-fork.ts';

const FORK = { name: 'a', uid: 'uid-a', base: resourceVersion(1) };

/** A fork whose opening and closing go on when the test says so. */
function given() {
  const clock = new ManualClock();
  const story: string[] = [];
  const on = { opened: nothing, openFailed: nothing, unreadable: nothing, closed: nothing };
  const plane: ForkPlane = {
    uidOf: () => Promise.resolve(undefined),
    dispatch: { send: nothing },
    endWatches: () => void story.push('end'),
    close() {
      story.push('close');
      return new Promise((resolve) => (on.closed = resolve));
    },
  };
  const opener = {
    open(_: unknown, failed: (error: unknown) => void) {
      on.unreadable = () => {
        failed(new Error('no such disk'));
      };
      return new Promise<ForkPlane>((resolve, reject) => {
        on.opened = () => {
          resolve(plane);
        };
        on.openFailed = () => {
          reject(new Error('no'));
        };
      });
    },
    remove: () => Promise.resolve(),
  };
  const fork = new HeldFork(FORK, { opener, clock, faults: testFaults() }, undefined);
  const entered = fork.opening.then(
    () => `opened, ${fork.state}`,
    () => `refused, ${fork.state}`,
  );
  return { fork, on, clock, story, entered };
}

function nothing(): void {
  // Nothing of the kind is under way.
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

type Given = ReturnType<typeof given>;

/** How a fork comes into each state, a request being inside all the time. */
const INTO: Readonly<Record<ForkState, (it: Given) => unknown>> = {
  opening: nothing,
  openingToClose: ({ fork }) => {
    fork.tell('close');
  },
  openingToRemove: ({ fork }) => {
    fork.tell('removed');
  },
  open: ({ on }) => {
    on.opened();
  },
  async leaving(it) {
    it.on.opened();
    await settled();
    it.fork.tell('removed');
  },
  async closing(it) {
    it.on.opened();
    await settled();
    it.fork.tell('close');
  },
  gone: ({ on }) => {
    on.openFailed();
  },
};

async function into(state: ForkState): Promise<Given> {
  const it = given();
  it.fork.entered();
  await settled();
  await INTO[state](it);
  await settled();
  return it;
}

/** All that can happen to a fork from outside. */
const HAPPENINGS: Readonly<Record<string, (it: Given) => unknown>> = {
  'its opening': ({ on }) => {
    on.opened();
  },
  'an opening that fails': ({ on }) => {
    on.openFailed();
  },
  'a log that cannot be read': ({ on }) => {
    on.unreadable();
  },
  'a request that comes and goes': ({ fork }) => {
    fork.entered();
    fork.left();
  },
  'the last request that leaves': ({ fork }) => {
    fork.left();
    fork.entered();
  },
  'much time': ({ clock }) => {
    clock.advance(120_000);
  },
  'the end of its object': ({ fork }) => {
    fork.tell('removed');
  },
  'the end of the server': ({ fork }) => {
    fork.tell('close');
  },
  'its closing': ({ on }) => {
    on.closed();
  },
};

const STATES = Object.keys(FORK_LIFE) as ForkState[]; // The keys of a table by state.
const ALL = STATES.flatMap((state) =>
  Object.keys(HAPPENINGS).map((happening) => [state, happening] as const),
);

describe('a fork', () => {
  it.each(STATES)('comes into the state %s', async (state) => {
    expect((await into(state)).fork.state).toBe(state);
  });

  it.each(ALL)('that is %s can be closed and removed behind %s', async (state, happening) => {
    for (const signal of ['close', 'removed'] as const) {
      const it = await into(state);
      await HAPPENINGS[happening]?.(it);
      await settled();
      it.fork.tell(signal);
      it.on.opened();
      await settled();
      it.clock.advance(120_000);
      await settled();
      it.on.closed();
      await it.fork.gone;
      expect(it.fork.state).toBe('gone');
      // It was closed once if it was ever open, and no request is left without an answer.
      const wasOpen = it.story.length > 0;
      expect(it.story.filter((line) => line === 'close')).toHaveLength(wasOpen ? 1 : 0);
      expect(await it.entered).toMatch(wasOpen ? /^(opened|refused)/ : /^refused/);
    }
  });

  it('whose log fails while it is opened is closed at once, and its requests are refused', async () => {
    const it = await into('opening');
    it.on.unreadable();
    it.on.opened();
    expect(await it.entered).toBe('refused, closing');
    expect(it.story).toEqual(['end', 'close']);
    expect(it.fork.takesRequests).toBe(false);
  });

  it('ends the watches that came in while the others left', async () => {
    const it = await into('leaving');
    expect(it.story).toEqual(['end']);
    it.fork.left();
    expect(it.story).toEqual(['end', 'end', 'close']);
  });
});
