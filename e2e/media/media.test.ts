/**
 * In which media type each verb of each sort of resource answers, and what it refuses: against what
 * kube-apiserver answered to the same requests. `npm run media` asks it again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { converse, headersOf, type Facts } from './conversation.ts';

/**
 * Where kube-apiserver panics, an answer is better than none; and so are events where it ends a watch
 * because it cannot write the first one in the form of a list.
 */
const isNoExample = (answer: string | undefined): boolean =>
  answer === undefined || answer.startsWith('no answer') || answer.endsWith(': nothing');

const server = serverForThisFile({ args: ['--authorization-mode=RBAC'] });

describe('media types', () => {
  it('are answered as kube-apiserver does', async () => {
    const theirs = JSON.parse(
      readFileSync(join(import.meta.dirname, 'answers.json'), 'utf8'),
    ) as Facts;
    const ours = await converse(readKubeconfig(server().kubeconfig));
    expect(Object.keys(ours)).toEqual(Object.keys(theirs));
    expect(differences(ours, theirs)).toEqual([]);
  });
});

function differences(ours: Facts, theirs: Facts): string[] {
  return Object.entries(theirs).flatMap(([question, answers]) => {
    const told = ours[question] ?? {};
    return headersOf(question).flatMap((header, index) => {
      const [our, their] = [told, answers].map((all) => answerTo(all, index));
      if (our === their || isNoExample(their)) return [];
      return [`${question} [${header}]\n  ours:   ${our ?? ''}\n  theirs: ${String(their)}`];
    });
  });
}

function answerTo(answers: Facts[string], header: number): string | undefined {
  return Object.keys(answers).find((answer) => answers[answer]?.includes(header));
}
