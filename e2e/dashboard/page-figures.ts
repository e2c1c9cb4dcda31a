/** What a page costs its browser: heap behind a collection, frames while it scrolls, and when something is painted. */
import type { CDPSession, Page } from 'playwright-core';

const MIB = 1024 * 1024;

/** In MiB, of what is held. */
export async function heapMib(page: Page): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / MIB;
  } finally {
    await session.detach();
  }
}

/** Goes to a place. @returns milliseconds until rows are painted. */
export function msUntilRows(page: Page, fragment: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const from = performance.now();
    location.hash = ${JSON.stringify(fragment)};
    const look = () => requestAnimationFrame(() => {
      if (document.querySelector('.grid tbody a') === null) look();
      else requestAnimationFrame(() => resolve(performance.now() - from));
    });
    look();
  })`);
}

export interface Scrolled {
  /** Frames in each second. */
  readonly fps: number;
  /** Of a frame, in milliseconds. */
  readonly longestMs: number;
  /** Of the frames in which rows were on the screen, not a gap that is yet to be filled. */
  readonly filled: number;
}

/** Scrolls the table steadily for so long. */
export function scrolled(page: Page, forMs: number, pxEachFrame: number): Promise<Scrolled> {
  return page.evaluate<Scrolled>(`new Promise((resolve) => {
    const grid = document.querySelector('.grid');
    const times = [];
    let filled = 0;
    const step = (time) => {
      times.push(time);
      grid.scrollTop += ${String(pxEachFrame)};
      const { top, bottom } = grid.getBoundingClientRect();
      const middle = document.elementFromPoint(innerWidth / 2, (top + bottom) / 2);
      if (middle?.closest('td') != null) filled += 1;
      if (time - times[0] < ${String(forMs)}) { requestAnimationFrame(step); return; }
      const each = times.slice(1).map((at, index) => at - times[index]);
      resolve({
        fps: (1000 * each.length) / (times.at(-1) - times[0]),
        longestMs: Math.max(...each),
        filled: filled / times.length,
      });
    };
    requestAnimationFrame(step);
  })`);
}

/** Drags the slider to a place of a thousand. @returns milliseconds until the table of that moment is painted. */
export function msUntilMoved(page: Page, step: number): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const slider = document.querySelector('#time');
    const version = document.querySelector('.moment .dim');
    const before = version.textContent;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const from = performance.now();
    set.call(slider, ${String(step)});
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const look = () => requestAnimationFrame(() => {
      const text = version.textContent;
      if (text === before || text.includes('…')) look();
      else resolve(performance.now() - from);
    });
    look();
  })`);
}
