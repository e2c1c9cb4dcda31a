/**
 * Tests about the code itself, for what neither the compiler nor the linter can see. They read the
 * whole repository once and run with the unit tests, because they need no server.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oneAssembly } from './house-rules/assemblies.ts';
import { kubeObjectsAsked, unjustifiedAssertions } from './house-rules/assertions.ts';
import { boundedCaches, boundedPolls, patientWaits, strictTexts } from './house-rules/bounds.ts';
import { deadFiles } from './house-rules/dead-files.ts';
import { filtersTested, filterOrder, relativeLinks } from './house-rules/documents.ts';
import { doorkeeperRule, unusedPackages } from './house-rules/doorkeepers.ts';
import { folderCycles, importCycles } from './house-rules/cycles.ts';
import { featureRows } from './house-rules/feature-rows.ts';
import { flagsBySection } from './house-rules/flags.ts';
import { readHouse } from './house-rules/house.ts';
import { importRule } from './house-rules/import-rule.ts';
import { keyedReads } from './house-rules/keyed-reads.ts';
import { machinePlaces } from './house-rules/places.ts';
import { exportedSentences, memberSentences } from './house-rules/sentences.ts';
import { serverPlaces } from './house-rules/servers.ts';
import { sizeReport } from './house-rules/size-report.ts';
import {
  fileNames,
  forbiddenSyntax,
  namelessSubjects,
  openingComments,
  postponedWork,
} from './house-rules/spelling.ts';
import { trustRule } from './house-rules/trust.ts';

const house = readHouse(join(import.meta.dirname, '..'));

it.each([
  ['no file imports itself, through whatever other files', importCycles],
  ['no two folders need one another', folderCycles],
  ['every file is reached from an entry point', deadFiles],
  ['layers import only the layers before them', importRule],
  ['packages are imported by their doorkeepers only', doorkeeperRule],
  ['servers for HTTP are made where their limits are set', serverPlaces],
  ['a control plane is put together in one place, for tests too', oneAssembly],
  ['a function takes its sections of the flags, and not all of them', flagsBySection],
  ['which peer is believed over TLS is decided in one place', trustRule],
  ['every dependency is needed by some source', unusedPackages],
  ['every filter has its test beside it and its place in the chain', filtersTested],
  ['ARCHITECTURE.md tells the filters as they are built', filterOrder],
  ['every relative link in a document leads somewhere', relativeLinks],
  ['each feature of docs/features.md names a test that exists', featureRows],
  ['no file knows a machine or a registry', machinePlaces],
  ['no any, no !, no default export, no enum, no namespace', forbiddenSyntax],
  ['what is an object of the API is asked, not asserted', kubeObjectsAsked],
  ['as unknown as stands in justified places only', unjustifiedAssertions],
  ['kinds are read by their types', keyedReads],
  ['files are named after the thing inside', fileNames],
  ['files open with what they are for', openingComments],
  ['a name that other folders import has a sentence', exportedSentences],
  ['a member that other folders see has a sentence', memberSentences],
  ['the subject of a sentence has a name', namelessSubjects],
  ['no comment postpones work', postponedWork],
  ['caches are bounded in bytes', boundedCaches],
  ['no test waits without a limit', boundedPolls],
  ['no test gives up what a loaded machine has not had time for', patientWaits],
  ['no test of the page fails by a text that is there twice', strictTexts],
])('%s', (_, rule) => {
  expect(rule(house)).toEqual([]);
});

it('reports the sizes', () => {
  const report = sizeReport(house);
  process.stdout.write(`${report}\n`);
  expect(report).toContain('lines of a file');
});
