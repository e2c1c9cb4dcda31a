/** Random pods and volumes, and what nodes may do about them, here and by kube-apiserver's own code. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import {
  anyGraph,
  decisionsHere,
  decisionThere,
  questionsTo,
  RECORDED,
  recordedDecisions,
  someQuestions,
  type Graphed,
  type NodeAnswer,
  type NodeQuestion,
} from './given-node-graph.fixture.ts';

const oracle = await goOracle('rbac');

describe.skipIf(oracle === undefined)('what nodes may do', () => {
  it('is what kube-apiserver lets them, for its reasons', () => {
    const graphs = fc.sample(anyGraph, { numRuns: 80, seed: 3 });
    const asked = someQuestions(4, 120);
    const said = decisionsThere(graphs, asked);
    const differing = graphs.flatMap((graph, which) =>
      decisionsHere(graph, asked).flatMap((ours, at) => {
        const expected = said[which]?.[at];
        const isSame = JSON.stringify(ours) === JSON.stringify(expected);
        return isSame ? [] : [{ request: asked[at]?.request, ours, expected }];
      }),
    );
    expect(differing).toEqual([]);
    const allowed = said.flat().filter(({ verdict }) => verdict === 'allow');
    expect(allowed.length).toBeGreaterThan(1_000);
  });

  it('is as it is recorded', () => {
    const theirs = RECORDED.flatMap(({ graph, asked }) => decisionsThere([graph], asked));
    expect(recordedDecisions.confirm(theirs)).toEqual([]);
  });
});

function decisionsThere(graphs: readonly Graphed[], asked: readonly NodeQuestion[]) {
  const questions = graphs.flatMap((graph) => questionsTo(graph, asked));
  const answers = oracle?.<NodeAnswer>(questions) ?? [];
  const size = asked.length + 1;
  return graphs.map((_graph, at) =>
    answers.slice(at * size + 1, (at + 1) * size).map(decisionThere),
  );
}
