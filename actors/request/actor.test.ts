import { describe, expect, it } from 'vitest';

import { ActorMeter, type Behavior, passOn, type Ref, startActor } from './actor.ts';

interface Work {
  readonly type: 'work';
  /** Milliseconds, by actor. */
  readonly costs: Readonly<Record<string, number>>;
}

/** Actors one behind the other, each of which works before and after the next one. */
function given(names: readonly string[]) {
  let ms = 1_000;
  const meter = new ActorMeter(() => ms);
  let next: Ref<Work> = { send: () => undefined };
  for (const name of [...names].reverse()) {
    const behind = next;
    const behavior: Behavior<Work> = {
      name,
      receive(message) {
        ms += message.costs[name] ?? 0;
        passOn(behind, message);
        ms += 0.5;
        if (message.costs[name] === 13) throw new Error('thrown');
      },
      fault: (message) => {
        passOn({ send: () => undefined }, message);
      },
    };
    next = startActor(behavior, meter);
  }
  return { meter, first: next };
}

describe('an actor', () => {
  interface Told {
    readonly type: 'told';
    readonly text: string;
    readonly tells?: readonly string[];
  }

  function givenActor() {
    const log: string[] = [];
    const actor = startActor<Told>({
      name: 'told',
      receive({ text, tells = [] }, self) {
        log.push(`${text} begins`);
        for (const one of tells) self.send({ type: 'told', text: one });
        if (text === 'bad') throw new Error('thrown');
        log.push(`${text} ends`);
      },
      fault({ text }, error) {
        log.push(`${text}: ${String(error)}`);
      },
    });
    return { actor, log };
  }

  it('deals with a message on the stack of its sender', () => {
    const { actor, log } = givenActor();
    actor.send({ type: 'told', text: 'a' });
    expect(log).toEqual(['a begins', 'a ends']);
  });

  it('lets a message wait that comes while it deals with another one', () => {
    const { actor, log } = givenActor();
    actor.send({ type: 'told', text: 'a', tells: ['b', 'c'] });
    actor.send({ type: 'told', text: 'd' });
    expect(log.filter((line) => line.endsWith('begins'))).toEqual([
      'a begins',
      'b begins',
      'c begins',
      'd begins',
    ]);
    expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('b begins'));
  });

  it('answers for a message that throws, and goes on with the next one', () => {
    const { actor, log } = givenActor();
    actor.send({ type: 'told', text: 'bad', tells: ['b'] });
    actor.send({ type: 'told', text: 'c' });
    expect(log).toEqual([
      'bad begins',
      'bad: Error: thrown',
      'b begins',
      'b ends',
      'c begins',
      'c ends',
    ]);
  });
});

describe('an actor meter', () => {
  it('charges each actor with its own work, and not with that of the next one', () => {
    const { meter, first } = given(['outer', 'middle', 'inner']);
    first.send({ type: 'work', costs: { outer: 1, middle: 2, inner: 4 } });
    first.send({ type: 'work', costs: { outer: 1, middle: 2, inner: 4 } });
    expect(Object.fromEntries(meter.figures)).toEqual({
      inner: { messages: 2, ms: 9 },
      middle: { messages: 2, ms: 5 },
      outer: { messages: 2, ms: 3 },
    });
  });

  it('charges also what threw', () => {
    const { meter, first } = given(['outer', 'inner']);
    first.send({ type: 'work', costs: { outer: 1, inner: 13 } });
    expect(meter.of('inner')).toEqual({ messages: 1, ms: 13.5 });
    expect(meter.of('outer')).toEqual({ messages: 1, ms: 1.5 });
  });
});
