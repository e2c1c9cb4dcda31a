/** A priority level beside upstream's own, step by step: which request is let in, which is not, and every queue. */
import { describe, expect, it } from 'vitest';
import { goOracle, oneOf, seededDice, type Dice } from '../../api/patch/go-oracle.fixture.ts';
import { testClock } from '../request/given.fixture.ts';
import { dealHand, dealingProblem, flowHash, Ticket } from './fair-queue.ts';
import { FairQueues, type QueuingConfig } from './fair-queues.ts';
import { FlowFigures } from './flow-figures.ts';
import { formatWork, SeatDemand } from './seats.ts';

const oracle = await goOracle('fair-queue');

interface Config extends QueuingConfig {
  readonly seats: number;
}

interface State {
  readonly executing: readonly string[];
  readonly rejected: readonly string[];
  readonly waiting: number;
  readonly seatsInUse: number;
  readonly queues: readonly string[];
}

/** One level, the script of what happens to it, and what it looks like after each step. */
class Played {
  readonly steps: object[] = [];
  readonly states: State[] = [];
  readonly #dice: Dice;
  readonly #clock = testClock();
  readonly #level: FairQueues;
  readonly #executing = new Map<string, Ticket>();
  readonly #waiting = new Map<string, Ticket>();
  readonly #rejected: string[] = [];
  readonly #figures = new FlowFigures('level', 'schema');
  readonly #flows: readonly bigint[];
  #config: Config;
  #arrivals = 0;

  constructor(seed: number, config: Config) {
    this.#dice = seededDice(seed);
    this.#config = config;
    this.#level = new FairQueues(this.#clock, new SeatDemand(this.#clock.now()));
    this.#level.configure(config, config.seats);
    this.#flows = Array.from({ length: 1 + this.#dice(12) }, (_none, at) =>
      flowHash(`schema-${String(seed)}`, `user-${String(at)}`),
    );
  }

  play(count: number): void {
    for (let step = 0; step < count; step += 1) {
      this.#step();
      this.#look();
    }
  }

  #step(): void {
    const roll = this.#dice(100);
    if (roll < 45) this.#start();
    else if (roll < 68) this.#finish();
    else if (roll < 74) this.#cancel();
    else if (roll < 77) this.#configure();
    else this.#advance(this.#dice(3) === 0 ? this.#dice(2_000) : this.#dice(12));
  }

  #start(): void {
    const dice = this.#dice;
    const lingers = dice(6) === 0;
    const id = `request-${String(this.#arrivals)}`;
    this.#arrivals += 1;
    const initialSeats = dice(4) === 0 ? 1 + dice(10) : 1;
    const finalSeats = lingers ? 1 + dice(10) : 0;
    const lingerMs = lingers ? 1 + dice(40) : 0;
    const hash = oneOf(dice, this.#flows as [bigint, ...bigint[]]);
    const start = { id, hash: String(hash), initialSeats, finalSeats, lingerMs };
    this.steps.push({ start });
    const ticket = new Ticket({
      flow: { schema: 'schema', distinguisher: '', figures: this.#figures },
      work: { initialSeats, finalSeats, lingerMs },
      letIn: () => {
        this.#waiting.delete(id);
        this.#executing.set(id, ticket);
      },
    });
    const { queues, handSize } = this.#config;
    this.#level.start(ticket, queues < 1 ? [] : dealHand(hash, queues, handSize));
    if (ticket.state === 'rejected') this.#rejected.push(id);
    else if (ticket.state === 'executing') this.#executing.set(id, ticket);
    else this.#waiting.set(id, ticket);
  }

  #finish(): void {
    const id = this.#oneOf(this.#executing);
    if (id === undefined) return this.#advance(1);
    this.steps.push({ finish: id });
    const ticket = this.#executing.get(id);
    this.#executing.delete(id);
    if (ticket !== undefined) this.#level.finish(ticket);
  }

  #cancel(): void {
    const id = this.#oneOf(this.#waiting);
    if (id === undefined) return this.#advance(2);
    this.steps.push({ cancel: id });
    const ticket = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#rejected.push(id);
    if (ticket !== undefined) this.#level.cancel(ticket, 'time-out');
  }

  #configure(): void {
    // More queues and other seats: those that are too many go when lingerers are gone as well.
    const { queues, queueLength, handSize } = this.#config;
    const more = queues > 0 ? queues + this.#dice(3) : queues;
    this.#config = { queues: more, queueLength, handSize, seats: 1 + this.#dice(16) };
    this.steps.push({ configure: this.#config });
    this.#level.configure(this.#config, this.#config.seats);
  }

  #advance(advanceMs: number): void {
    this.steps.push({ advanceMs });
    this.#clock.advance(advanceMs);
  }

  #oneOf(tickets: ReadonlyMap<string, Ticket>): string | undefined {
    return [...tickets.keys()][tickets.size === 0 ? 0 : this.#dice(tickets.size)];
  }

  #look(): void {
    const { waiting, seatsInUse, queues } = this.#level;
    this.states.push({
      executing: [...this.#executing.keys()].sort(),
      rejected: [...this.#rejected],
      waiting,
      seatsInUse,
      queues: queues.map((queue) => {
        const numbers = [queue.waiting, queue.executing, queue.seatsInUse];
        return [formatWork(queue.nextDispatchR), ...numbers].join(' ');
      }),
    });
  }
}

/** Everything that is counted. */
function withoutR(state: State | undefined): unknown {
  return { ...state, queues: state?.queues.map((queue) => queue.slice(queue.indexOf(' '))) };
}

/** How far the virtual clocks are apart, in seat-seconds: the last digit is one of rounding. */
function apartInR(ours: State, theirs: State | undefined): number {
  const apart = ours.queues.map((queue, at) =>
    Math.abs(Number.parseFloat(queue) - Number.parseFloat(theirs?.queues[at] ?? '')),
  );
  return Math.max(0, ...apart);
}

const SHAPES: readonly Omit<Config, 'seats'>[] = [
  { queues: 8, queueLength: 3, handSize: 2 },
  { queues: 64, queueLength: 5, handSize: 6 },
  { queues: 3, queueLength: 50, handSize: 1 },
  { queues: 1, queueLength: 2, handSize: 1 },
  { queues: 0, queueLength: 0, handSize: 0 },
  { queues: -1, queueLength: 0, handSize: 0 },
];
const SCHEDULES = 120;
const STEPS = 150;

describe.skipIf(oracle === undefined)('priority levels, beside upstream', () => {
  it('let in, reject and keep their virtual clock alike, step by step', () => {
    const played = Array.from({ length: SCHEDULES }, (_none, seed) => {
      const shape = SHAPES[seed % SHAPES.length] ?? { queues: 1, queueLength: 1, handSize: 1 };
      const config = { ...shape, seats: 1 + (seed % 12) };
      const one = new Played(seed, config);
      one.play(STEPS);
      return { config, one };
    });
    const answers = oracle?.<{ states: State[]; error?: string }>(
      played.map(({ config, one }) => ({ do: 'schedule', config, steps: one.steps })),
    );
    let rejected = 0;
    for (const [seed, { one }] of played.entries()) {
      const theirs = answers?.[seed]?.states ?? [];
      for (const [step, state] of one.states.entries()) {
        const said = JSON.stringify(one.steps[step]);
        const where = `seed ${String(seed)}, step ${String(step)}: ${said}`;
        expect(withoutR(state), where).toEqual(withoutR(theirs[step]));
        expect(apartInR(state, theirs[step]), where).toBeLessThan(1e-7);
      }
      rejected += one.states.at(-1)?.rejected.length ?? 0;
    }
    expect(rejected).toBeGreaterThan(500);
  });

  it('deal the same hands', () => {
    const dice = seededDice(7);
    const deals = Array.from({ length: 2_000 }, (_none, at) => ({
      deckSize: 1 + dice(oneOf(dice, [8, 64, 128, 1_000, 100_000])),
      handSize: 1 + dice(9),
      hash: flowHash('deal', String(at)),
    }));
    const answers = oracle?.<{ cards?: number[]; error?: string }>(
      deals.map(({ hash, ...rest }) => ({ do: 'deal', hash: String(hash), ...rest })),
    );
    for (const [at, { hash, deckSize, handSize }] of deals.entries()) {
      const error = dealingProblem(deckSize, handSize);
      const ours = error === undefined ? { cards: dealHand(hash, deckSize, handSize) } : { error };
      expect(ours).toEqual(answers?.[at]);
    }
  });

  it('hash flows alike', () => {
    const flows = ['', 'jane', 'system:node:n1', 'ä€😀'].map((name) => ['service-accounts', name]);
    const answers = oracle?.<{ hash: string }>(
      flows.map(([schema, distinguisher]) => ({ do: 'hash', schema, distinguisher })),
    );
    const ours = flows.map(([schema = '', name = '']) => String(flowHash(schema, name)));
    expect(ours).toEqual(answers?.map(({ hash }) => hash));
  });
});
