/**
 * `everwatch verify` of a log that has no store of ours beside it: it is folded from its beginning,
 * and what the place itself says of events and of the state must be the same.
 */
import { foldedVerdicts, hashOfState } from '../../../projections/past/folded-log.ts';
import type { Tool } from '../tool/run-tool.ts';

const DIFFERENCES_SHOWN = 20;

/** Prints what it found. @returns 0 when everything agrees, else 1. */
export async function verifySource({ source, output, signal, notice }: Tool): Promise<number> {
  const { newest, cuts } = await source.bounds();
  const cut = Math.max(cuts?.everything ?? 0, ...(cuts?.resources.values() ?? []));
  if (cut > 0) notice(`up to version ${String(cut)} only what the log was cut to can be checked`);
  const found = await foldedVerdicts(source, { upTo: newest, cut, signal });
  const { hash, objects } = await hashOfState(source.stateAt(newest, signal));
  const differences = [
    ...found.differences,
    ...(found.hash === hash ? [] : [`the state is sha256:${hash} there`]),
  ];
  const lines = [
    `events in the log   ${String(found.events)} (${String(found.effective)} took effect)`,
    `objects             ${String(objects)}`,
    `state               sha256:${found.hash}`,
    differences.length === 0
      ? `${source.name} agrees with its log`
      : `${source.name} does NOT agree:`,
    ...differences.slice(0, DIFFERENCES_SHOWN),
  ];
  await output.write(`${lines.join('\n')}\n`);
  return differences.length === 0 ? 0 : 1;
}
