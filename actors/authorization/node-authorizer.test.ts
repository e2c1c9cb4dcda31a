/** Nodes that ask about random pods and volumes, answered as kube-apiserver answered when it was asked. */
import { describe, expect, it } from 'vitest';
import {
  decisionsHere,
  RECORDED_GRAPHS,
  RECORDED_QUESTIONS,
  recordedDecisions,
} from './given-node-graph.fixture.ts';

describe('what a node may do', () => {
  const graphs = RECORDED_GRAPHS.map((graph, at) => ({ graph, at }));

  it.each(graphs)('is what kube-apiserver lets it, in graph $at', ({ graph, at }) => {
    const ours = decisionsHere(graph, RECORDED_QUESTIONS);
    const differing = recordedDecisions.differing(at, ours);
    const shown = differing.map((which) => ({ ...RECORDED_QUESTIONS[which], ours: ours[which] }));
    expect(shown.slice(0, 3)).toEqual([]);
  });
});
