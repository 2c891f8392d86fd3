/** How a region follows a change of its table's schema, and how batches of the former schema fit the new one. */
import { DbError } from "../base/mod.ts";
import {
  columnById,
  fieldColumns,
  isAppendMode,
  type RegionBatch,
  sameType,
  type TableSchema,
  typeName,
} from "../types/mod.ts";
import { onDisk } from "./disk_trouble.ts";
import { flushRegion } from "./flush.ts";
import type { RegionImpl } from "./region.ts";

/** How often turning on append mode tries to find no late part. */
const triesMax = 5;

export async function changeSchema(
  region: RegionImpl,
  schema: TableSchema,
  commit: () => Promise<void> = async () => undefined,
): Promise<void> {
  const typesChanged = fieldColumns(region.schema).some((c) => {
    const next = columnById(schema, c.id);
    return next !== undefined && !sameType(next.type, c.type);
  });
  const appendTurnedOn = isAppendMode(schema) && !isAppendMode(region.schema);
  if (typesChanged || appendTurnedOn) await changeFlushed(region, schema, appendTurnedOn, commit);
  else {
    await commit();
    await region.gate.exclusive(async () => region.swapSchema(schema));
  }
}

/**
 * What the log holds is read back by the schema of now, and what late parts hold is merged by its rule: a changed type must find nothing
 * in the log, append mode no late part. Writers wait for the last of the flush, which finds little after the first.
 */
async function changeFlushed(
  region: RegionImpl,
  schema: TableSchema,
  foldLate: boolean,
  commit: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    await region.flush("Alter");
    if (foldLate) await region.compact();
    const done = await region.maintenance.run(() =>
      region.gate.exclusive(async () => {
        await onDisk("flush", () => flushRegion(region, region.freezeNow()));
        if (foldLate && region.version.files.some((f) => f.late)) return false;
        await commit();
        region.swapSchema(schema);
        return true;
      }),
    );
    if (done) return;
  }
  throw new DbError(
    "region_busy",
    `region ${region.id} is too busy with late rows to turn on append_mode`,
    { retryAfterSec: 5 },
  );
}

/** A batch in the present schema: columns dropped meanwhile are left out. Throws region_busy when a column's type was changed. */
export function adaptBatch(schema: TableSchema, batch: RegionBatch): RegionBatch {
  const fields = batch.fields.filter(({ id, column }) => {
    const known = columnById(schema, id);
    if (known !== undefined && !sameType(known.type, column.type))
      throw new DbError(
        "region_busy",
        `column ${known.name} became ${typeName(known.type)} meanwhile`,
        { retryAfterSec: 1 },
      );
    return known !== undefined;
  });
  return fields.length === batch.fields.length ? batch : { ...batch, fields };
}

/** Deletes need versions, and append mode keeps none. */
export function refuseInAppendMode(schema: TableSchema): void {
  if (isAppendMode(schema))
    throw new DbError(
      "invalid_arguments",
      "Invalid request to region, reason: DELETE is not allowed under append mode",
    );
}
