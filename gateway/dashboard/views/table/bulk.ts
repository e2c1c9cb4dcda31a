/** One action on several objects: as many as are allowed are done, and each refusal is told. */

/** What came of it. */
export interface BulkResult {
  /** How many were done. */
  readonly done: number;
  /** Each that was not, and why. */
  readonly refused: readonly { readonly key: string; readonly why: string }[];
}

const AT_ONCE = 4;

/** Does it for each key, some at the same time. @param told after each, with how many are through. */
export async function runOn(
  keys: readonly string[],
  act: (key: string) => Promise<unknown>,
  told: (through: number) => void = () => undefined,
): Promise<BulkResult> {
  const left = [...keys];
  const refused = new Map<string, string>();
  let through = 0;
  const work = async (): Promise<void> => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) {
      try {
        await act(key);
      } catch (error) {
        refused.set(key, error instanceof Error ? error.message : String(error));
      }
      through += 1;
      told(through);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const inOrder = keys.flatMap((key) => {
    const why = refused.get(key);
    return why === undefined ? [] : [{ key, why }];
  });
  return { done: keys.length - inOrder.length, refused: inOrder };
}

/** `a=b` sets a label, `a-` takes it away; undefined for any other text. */
export function parseLabel(text: string): Readonly<Record<string, string | null>> | undefined {
  const [, name = '', value, minus] = /^([\w./-]*\w)(?:=([\w.-]*)|(-))$/.exec(text.trim()) ?? [];
  if (name === '') return undefined;
  return { [name]: minus === undefined ? (value ?? '') : null };
}

/** `3 Pods deleted, 2 refused.` */
export function summaryOf(what: string, { done, refused }: BulkResult): string {
  const rest = refused.length === 0 ? '' : `, ${String(refused.length)} refused`;
  return `${String(done)} ${what}${rest}.`;
}
