/** Removes what a crash left behind: files of a region that its manifest does not name, and regions that the catalog does not know. */
import type { Logger } from "../base/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { RegionImpl } from "./region.ts";

/** data/<catalog>/<database>/<table id>/<table id>_<region number>/ */
const regionFolder = /^data\/greptime\/[^/]+\/\d+\/\d+_\d{10}\//;

/** Only files of these shapes are ours to remove. */
const ours = /\.(parquet|series)$/;

export async function sweepOrphans(
  store: ObjectStore,
  regions: readonly RegionImpl[],
  log: Logger,
): Promise<number> {
  const named = new Set<string>();
  for (const region of regions) {
    for (const file of Object.values(region.manifest.state.files)) named.add(file.name);
    for (const file of region.manifest.state.series) named.add(file.name);
  }
  const folders = new Set(regions.map((r) => r.folder));
  let removed = 0;
  const gone = new Set<string>();
  for (const object of await store.list("data/")) {
    const folder = regionFolder.exec(object.name)?.[0];
    if (folder === undefined) continue;
    if (!folders.has(folder)) {
      gone.add(folder);
    } else if (ours.test(object.name) && !named.has(object.name)) {
      await store.delete(object.name);
      log.info({ file: object.name, bytes: object.bytes }, "removed a file that no manifest names");
      removed++;
    }
  }
  for (const folder of gone) {
    await store.deletePrefix(folder);
    log.info({ folder }, "removed the rest of a dropped region");
    removed++;
  }
  return removed;
}
