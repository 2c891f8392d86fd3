/** Removes what a crash left behind: files of a region that its manifest does not name, and regions that the catalog does not know. */
import type { Logger } from "../base/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { RegionImpl } from "./region.ts";

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
  const folders = regions.map((r) => r.folder);
  let removed = 0;
  const gone = new Set<string>();
  for (const object of await store.list("data/")) {
    const folder = folders.find((f) => object.name.startsWith(f));
    if (folder === undefined) {
      const match = /^data\/greptime\/[^/]+\/\d+\/\d+_\d{10}\//.exec(object.name);
      if (match !== null) gone.add(match[0]);
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
