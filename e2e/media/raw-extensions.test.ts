/**
 * Numbers of RawExtensions on every way in and out, against what kube-apiserver answered to the same requests.
 * `npm run media` asks it again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { rawAnswers, type RawAnswers } from './raw-extensions.ts';

const server = serverForThisFile();

it('JSON that Go keeps as it was sent is given back as kube-apiserver gives it back', async () => {
  const recorded = readFileSync(join(import.meta.dirname, 'raw-extensions.json'), 'utf8');
  const theirs = JSON.parse(recorded) as RawAnswers;
  expect(await rawAnswers(readKubeconfig(server().kubeconfig))).toEqual(theirs);
});
