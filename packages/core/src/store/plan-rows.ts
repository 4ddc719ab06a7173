import type { RequestPlan } from '../content/request-plan.ts';
import type { Reader, Writer } from './database.ts';
import { parsePlan } from './records.ts';

/** Below every database's limit of parameters in one statement. */
const ROWS_A_STATEMENT = 500;

type PlanImage = RequestPlan['images'][number];

export async function readPlan(
  reader: Reader,
  { sessionId, endpointId, owner }: { readonly sessionId: string; readonly endpointId: string; readonly owner: string },
): Promise<RequestPlan | undefined> {
  const plan = await reader
    .selectFrom('plans')
    .select(['session_id', 'endpoint_id'])
    .where('session_id', '=', sessionId)
    .where('endpoint_id', '=', endpointId)
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (plan === undefined) return undefined;
  const images = await reader
    .selectFrom('plan_images')
    .select(['original_digest', 'digest'])
    .where('session_id', '=', sessionId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('position')
    .execute();
  return parsePlan(plan, images);
}

/**
 * Makes the stored plan this one: what stays at its place is not written again. Gives the pictures
 * that the plan did not name before.
 */
export async function writePlan(
  writer: Writer,
  { plan, owner }: { readonly plan: RequestPlan; readonly owner: string },
): Promise<readonly PlanImage[]> {
  const { sessionId, endpointId, images } = plan;
  const before = await readPlan(writer, { sessionId, endpointId, owner });
  const key = { session_id: sessionId, endpoint_id: endpointId };
  if (before === undefined) {
    await writer
      .insertInto('plans')
      .values({ ...key, owner })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const stored = before?.images ?? [];
  const same = countSame(stored, images);
  if (same < stored.length) {
    await writer
      .deleteFrom('plan_images')
      .where('session_id', '=', sessionId)
      .where('endpoint_id', '=', endpointId)
      .where('position', '>=', same)
      .execute();
  }
  const rows = images.slice(same).map((image, index) => ({
    ...key,
    position: same + index,
    owner,
    original_digest: image.originalDigest,
    digest: image.digest,
  }));
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    await writer
      .insertInto('plan_images')
      .values(rows.slice(start, start + ROWS_A_STATEMENT))
      .execute();
  }
  const known = new Set(stored.map(nameOf));
  return images.filter((image) => !known.has(nameOf(image)));
}

/** How many pictures stand where they stood, from the first on. */
function countSame(stored: readonly PlanImage[], images: readonly PlanImage[]): number {
  const end = images.findIndex((image, position) => {
    const other = stored[position];
    return other?.digest !== image.digest || other.originalDigest !== image.originalDigest;
  });
  return end === -1 ? images.length : end;
}

function nameOf({ originalDigest, digest }: PlanImage): string {
  return `${originalDigest} ${digest}`;
}
