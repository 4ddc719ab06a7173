// A busy Fovea is killed with SIGKILL at seeded points, and its home opened again.
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../bench/inputs.mjs';
import { startChatEndpoint } from './chat-endpoint.mjs';
import { startChild } from './child-lines.mjs';
import { findAftermath } from './find-aftermath.mjs';
import { preparePlace } from './prepared-place.mjs';

const driver = fileURLToPath(new URL('driver.mjs', import.meta.url));
/** From the last of them on. */
const mostDelayMs = 20;
/** The kill of a home that is being upgraded comes within this time of the driver's first line. */
const mostUpgradeMs = 120;
/** Each so many-th home was left by an older build. */
const oldHomes = 6;
/** A driver that says nothing for so long hangs. */
const patienceMs = 60_000;

/**
 * @typedef {object} KillPoint
 * @property {number} number from 0; what happens there depends on seed and number alone
 * @property {readonly string[]} faults none where all is well
 * @property {Record<string, number>} said how often the driver said what
 * @property {string} [kept] the folder that is left for whoever looks into the faults
 */

/**
 * @param {{ seed: number, count: number, from?: number, lines?: number, atATime?: number, onPoint?: (point: KillPoint) => void }} options
 *   `lines`: after so many of the driver the latest kill comes
 * @returns {Promise<readonly KillPoint[]>} in the order of their ends
 */
export async function runKillPoints({ seed, count, from = 0, lines = 120, atATime = 3, onPoint = () => undefined }) {
  const points = [];
  let next = from;
  const work = async () => {
    while (next < from + count) {
      const number = next++;
      const point = await runKillPoint({ seed, number, lines });
      points.push(point);
      onPoint(point);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return points;
}

async function runKillPoint({ seed, number, lines }) {
  const random = seededRandom(seed * 1_000 + number);
  const isOld = number % oldHomes === oldHomes - 1;
  const endpoint = await startChatEndpoint({ pauseMs: 1 });
  const place = await preparePlace({ baseUrl: endpoint.baseUrl, isOld });
  const child = startChild(driver, [place.home, place.workspace, String(Math.floor(random() * 2 ** 31))]);
  const faults = [];
  try {
    const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    // Half of the old homes are killed while they are upgraded, the others in what follows.
    const isUpgrade = isOld && random() < 0.5;
    const isAlive = await child.untilLines(isUpgrade ? 1 : 1 + Math.floor(random() * lines));
    await wait(random() * (isUpgrade ? mostUpgradeMs : mostDelayMs));
    child.kill('SIGKILL');
    await child.ended;
    clearTimeout(patience);
    if (!isAlive) faults.push(`the driver ended by itself or hung: ${child.diagnostics()}`);
    faults.push(
      ...child.lines.filter(({ kind, line }) => kind === 'log' && line.includes('BUSY')).map(({ line }) => line),
    );
    faults.push(...(await findAftermath(place, child.lines)), ...endpoint.problems);
  } catch (error) {
    faults.push(error.stack);
  } finally {
    child.kill('SIGKILL');
    await endpoint.close();
  }
  const point = { number, faults, said: countKinds(child.lines) };
  if (faults.length > 0) return { ...point, kept: place.home };
  await place.remove();
  return point;
}

function countKinds(lines) {
  const counts = {};
  for (const { kind } of lines) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
