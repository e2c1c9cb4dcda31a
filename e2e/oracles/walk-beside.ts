/**
 * One random history told to this server and to kube-apiserver, step by step: their answers have to be alike. Where they are not,
 * both forget what the step was about, so that a difference does not beget others.
 */

/** A history, and how a step of it is told and compared. */
export interface BesideWalk<Side, Step, Answer extends Answered> {
  readonly ours: Side;
  readonly theirs: Side;
  readonly steps: number;
  /** The same for the same number. */
  stepAt(nth: number): Step;
  tell(side: Side, step: Step): Promise<Answer>;
  /** The answer without what no two servers have in common. */
  shown(answer: Answer): string;
  /** What is done, as answers are counted. */
  verbOf(step: Step): string;
  /** What kube-apiserver itself does wrong in its answer, by a name under which it is counted; undefined: nothing that is known. */
  faultOf(step: Step, ours: Answer, theirs: Answer): Promise<string | undefined> | undefined;
  /** Takes away from one side whatever the step may have changed. */
  forget(side: Side, step: Step): Promise<unknown>;
}

/** What each answer has. */
export interface Answered {
  /** 0: the connection was broken off, as a kube-apiserver that panics does. */
  readonly status: number;
}

/** What a walk came to. */
export interface Walked<Step> {
  readonly steps: number;
  /** How often kube-apiserver answered with a code, by verb, and how often it was at fault. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly WalkDifference<Step>[];
}

/** Answers that differ in one way. */
export interface WalkDifference<Step> {
  /** Of the first step that showed it. */
  readonly nth: number;
  readonly step: Step;
  readonly ours: string;
  readonly theirs: string;
  readonly times: number;
}

/** Walks both through the history. */
export async function walkBeside<Side, Step, Answer extends Answered>(
  walk: BesideWalk<Side, Step, Answer>,
): Promise<Walked<Step>> {
  const { ours, theirs, steps } = walk;
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const differences = new Map<string, WalkDifference<Step>>();
  for (let nth = 0; nth < steps; nth += 1) {
    const step = walk.stepAt(nth);
    const [own, other] = await Promise.all([walk.tell(ours, step), walk.tell(theirs, step)]);
    count(`${walk.verbOf(step)} ${String(other.status)}`);
    const [mine, hers] = [walk.shown(own), walk.shown(other)];
    if (mine === hers) continue;
    const fault = other.status === 0 ? 'broken off' : await walk.faultOf(step, own, other);
    if (fault === undefined) {
      const what = kindOfDifference(mine, hers);
      const known = differences.get(what) ?? { nth, step, ours: mine, theirs: hers, times: 0 };
      differences.set(what, { ...known, times: known.times + 1 });
    } else count(`kube-apiserver: ${fault}`);
    await Promise.all([ours, theirs].map((side) => walk.forget(side, step)));
  }
  return { steps, counts, differences: [...differences.values()] };
}

/** Prints each kind of difference once. @returns how many steps were answered otherwise. */
export function tellWalk(name: string, { steps, counts, differences }: Walked<unknown>): number {
  for (const { nth, step, ours, theirs, times } of differences) {
    const place = `${String(nth)} (${String(times)} times) ${JSON.stringify(step)}`;
    console.log(`${place}\n  ours   ${ours}\n  theirs ${theirs}`);
  }
  console.log(JSON.stringify(counts));
  const sum = differences.reduce((total, { times }) => total + times, 0);
  console.log(`${name}: ${String(steps)} steps, ${String(sum)} differences`);
  return sum;
}

/** What stays of both answers without numbers and names, so that each difference is shown once. */
function kindOfDifference(ours: string, theirs: string): string {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const piece = (text: string): string => text.slice(Math.max(0, at - 30), at + 60);
  return `${ours.slice(0, 3)} ${theirs.slice(0, 3)} ${piece(ours)} | ${piece(theirs)}`;
}
