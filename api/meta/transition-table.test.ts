import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { transitionTable } from './transition-table.ts';

const chart = setup({
  types: { events: {} as { type: 'push' } | { type: 'knock' } },
  actions: { creak: () => undefined },
}).createMachine({
  initial: 'shut',
  states: {
    shut: { on: { push: 'open', knock: { actions: 'creak' } } },
    open: { initial: 'ajar', states: { ajar: { on: { push: 'wide' } }, wide: {} } },
  },
});

const signals = ['push', 'knock'] as const;
const effects = ['creak'] as const;

describe('the table of a chart', () => {
  it('has each step, with nested states and effects by name, and nothing for what changes nothing', () => {
    const states = ['shut', 'open.ajar', 'open.wide'] as const;
    expect(transitionTable(chart, { states, signals, effects })).toEqual({
      shut: {
        push: { target: 'open.ajar', effects: [] },
        knock: { target: 'shut', effects: ['creak'] },
      },
      'open.ajar': { push: { target: 'open.wide', effects: [] } },
      'open.wide': {},
    });
  });

  it.each([
    [['shut', 'open.ajar'], effects, 'the chart has open.wide, which is not named'],
    [['shut', 'open.ajar', 'open.wide'], [], 'the chart has creak, which is not named'],
    [['shut', 'open.ajar', 'open.wide', 'gone'], effects, 'no way leads to gone'],
  ])('is refused where the names are not those of the chart: %j %j', (states, named, problem) => {
    const names = { states, signals, effects: named };
    expect(() => transitionTable(chart, names)).toThrow(problem);
  });
});
