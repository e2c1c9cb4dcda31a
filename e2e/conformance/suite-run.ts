/** Runs a group of Kubernetes' end-to-end tests, and reads what became of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../support/command.ts';
import { anyOf, CONFORMANCE, NEVER, SERIAL, type TestGroup } from './chosen-tests.ts';

/** How the tests reach the cluster. */
export interface Access {
  readonly kubeconfig: string;
  /** The program that tests of kubectl start. */
  readonly kubectl: string;
  /** For reports, and for what kubectl keeps at home. */
  readonly folder: string;
}

/** What became of a test. */
export interface Outcome {
  /** The first line of the failure; undefined: it passed. */
  readonly why: string | undefined;
}

/** By the whole name of each test that ran. */
export type Outcomes = Map<string, Outcome>;

export interface Chosen {
  readonly group: TestGroup;
  /** A regular expression that names must match as well; '' for all. */
  readonly focus: string;
  /** Those that bear no others beside them, in place of all others. */
  readonly isSerial?: boolean;
  /** By this time the suite has ended; tests that have not are failures, and those that have not begun are not told. */
  readonly until: number;
}

/** What ginkgo's report says of a test, as far as it is read here. */
interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

/** In these the suite ends a test that takes too long, and writes its report. */
const ENDING_MS = 2 * 60_000;
/** Of a suite that begins when the time is over, so that it says so. */
const LEAST_MS = 1_000;
/** Of the framework: pods never get ready or unready here that do not do so at once. */
const FRAMEWORK = [
  '--provider=skeleton',
  '--allowed-not-ready-nodes=-1',
  '--minStartupPods=0',
  '--dump-logs-on-failure=false',
];

/** @throws where the suite writes no report, as when it did not reach the cluster. */
export async function outcomesOf(
  suite: string,
  { kubeconfig, kubectl, folder }: Access,
  { group, focus, isSerial = false, until }: Chosen,
): Promise<Outcomes> {
  const report = join(folder, `${group.name.replaceAll(/\W+/g, '-')}-${String(isSerial)}.json`);
  const isOther = group.isOther === true;
  const left = (group.without ?? []).flatMap(({ tests }) => tests);
  const skipped = [
    ...left,
    ...(isSerial ? [] : [SERIAL]),
    ...(isOther ? [CONFORMANCE, ...NEVER] : []),
  ];
  const named = isSerial ? `(${SERIAL}.*(${focus})|(${focus}).*${SERIAL})` : `(${focus})`;
  const focused = `${anyOf(group.tests)}.*${named}${isOther ? '' : `.*${CONFORMANCE}`}`;
  const timeoutMs = Math.max(until - Date.now(), LEAST_MS);
  const { stdout } = await run(
    suite,
    [
      `--ginkgo.focus=${focused}`,
      ...skipped.map((part) => `--ginkgo.skip=${part}`),
      `--ginkgo.json-report=${report}`,
      `--ginkgo.timeout=${String(timeoutMs)}ms`,
      ...FRAMEWORK,
      `--kubeconfig=${kubeconfig}`,
      `--kubectl-path=${kubectl}`,
    ],
    {
      env: { ...process.env, HOME: folder, KUBECONFIG: kubeconfig },
      timeoutMs: timeoutMs + ENDING_MS,
    },
  );
  const outcomes: Outcomes = new Map();
  for (const spec of specsOf(report, stdout)) {
    if (spec.LeafNodeType !== 'It' || spec.State === 'skipped') continue;
    const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');
    const [line = ''] = (spec.Failure?.Message ?? spec.State).split('\n');
    outcomes.set(name, { why: spec.State === 'passed' ? undefined : line });
  }
  return outcomes;
}

function specsOf(report: string, said: string): Spec[] {
  try {
    const suites = JSON.parse(readFileSync(report, 'utf8')) as { SpecReports: Spec[] }[];
    return suites.flatMap(({ SpecReports }) => SpecReports);
  } catch (error) {
    throw new Error(`the suite wrote no report:\n${said.slice(-2_000)}`, { cause: error });
  }
}
