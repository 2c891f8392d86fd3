/**
 * Memory: who owns which byte of the linear memory.
 *
 * Blocks of up to 32 KiB come in size classes (two per doubling) carved from pages; larger ones are runs of whole
 * 64 KiB pages. A run that is given back joins its free neighbours at once and serves any later size. A small block
 * serves its own size again; when pages run out, those whose blocks are all free become runs. A block has no header:
 * who gives one back says how large it was. Memory grows to the limit and is never returned to the host.
 *
 * Invariants: every block is 16-byte aligned; the last page of the memory is never given out, so a 16-byte read that
 * starts inside a block cannot leave the memory; a refusal (0) changes nothing.
 */

const PAGE: usize = 65536;
/** Free runs are listed by the logarithm of their pages. */
const BINS: i32 = 16;
/** Half a page: larger blocks waste less as whole pages. */
const SMALL_MAX: usize = 32768;
const CLASSES: i32 = 21;
/**
 * Classes from 512 bytes on are carved from pages of their own: they are mostly the columns of one call, and one name or series
 * between them, which stays, would keep the page from becoming a run again.
 */
const LARGE: i32 = 8;
/** 1 MiB: each growth makes the host renew its views, so small ones are taken together. */
const GROW_PAGES: i32 = 16;

/** Two bytes per page: the pages of a free run at its first and its last page, else 0. */
const runs = memory.data(65537 * 2, 8);
/** First free run of each bin; a run's first words are the next and the previous run. */
const runHeads = memory.data(BINS * 4, 4);
const classHeads = memory.data(CLASSES * 4, 4);

/** Bytes of each page that were too few for a block when it was carved. */
const lost = memory.data(65537 * 2, 2);
/** Bytes of each page in free small blocks; valid during a reclaim only. */
const free = memory.data(65537 * 4, 4);

/** End of the pages handed out so far. */
let top: usize = 0;
let limit: usize = 0;
/** Where the pages go on that small and large classes are carved from, and where they end. */
let smallAt: usize = 0;
let smallEnd: usize = 0;
let largeAt: usize = 0;
let largeEnd: usize = 0;
let live: usize = 0;
/** Bytes of classes given back since the last reclaim. */
let given: usize = 0;

/** Call once. `bytesMax` caps the linear memory. */
export function heapInit(bytesMax: usize): void {
  top = (__heap_base + PAGE - 1) & ~(PAGE - 1);
  // 65535 pages, so that the size in bytes fits a 32-bit number.
  limit = min(bytesMax, 0xffff_0000) & ~(PAGE - 1);
}

/** Bytes in blocks that somebody holds. */
export function heapLive(): usize {
  return live;
}

/** A block of at least `bytes` bytes, contents undefined; 0 when the limit is reached. */
export function take(bytes: usize): usize {
  if (bytes > SMALL_MAX) {
    const pages = (bytes + PAGE - 1) / PAGE;
    const at = bytes < 0xfff0_0000 ? takePages(<u32>pages) : 0;
    if (at !== 0) live += pages * PAGE;
    return at;
  }
  const kind = classOf(<u32>bytes);
  const head = classHeads + ((<usize>kind) << 2);
  let at = load<usize>(head);
  if (at !== 0) store<usize>(head, load<usize>(at));
  else at = carve(kind);
  if (at !== 0) live += classBytes(kind);
  return at;
}

/** Returns a block of take(bytes). A null block is fine. */
export function give(at: usize, bytes: usize): void {
  if (at === 0) return;
  if (bytes > SMALL_MAX) {
    const pages = (bytes + PAGE - 1) / PAGE;
    live -= pages * PAGE;
    givePages(<u32>(at / PAGE), <u32>pages);
    return;
  }
  const kind = classOf(<u32>bytes);
  live -= classBytes(kind);
  given += classBytes(kind);
  push(at, kind);
}

/** What take(bytes) really occupies: growing buffers use it all. */
export function blockBytes(bytes: usize): usize {
  return bytes > SMALL_MAX ? (bytes + PAGE - 1) & ~(PAGE - 1) : classBytes(classOf(<u32>bytes));
}

/** Sizes are 32, 48, 64, 96, 128, ... 32768. */
function classOf(bytes: u32): i32 {
  if (bytes <= 32) return 0;
  const log = 31 - <i32>clz(bytes - 1);
  return 2 * (log - 5) + (bytes <= (<u32>3) << (log - 1) ? 1 : 2);
}

function classBytes(kind: i32): usize {
  return (<usize>(kind & 1 ? 48 : 32)) << (kind >> 1);
}

function push(at: usize, kind: i32): void {
  const head = classHeads + ((<usize>kind) << 2);
  store<usize>(at, load<usize>(head));
  store<usize>(head, at);
}

function carve(kind: i32): usize {
  const bytes = classBytes(kind);
  if (kind < LARGE) {
    if (smallEnd - smallAt < bytes) {
      const page = takePages(1);
      if (page === 0) return 0;
      carveRest(smallAt, smallEnd, LARGE - 1, 0);
      smallAt = page;
      smallEnd = page + PAGE;
    }
    smallAt += bytes;
    return smallAt - bytes;
  }
  if (largeEnd - largeAt < bytes) {
    const page = takePages(1);
    if (page === 0) return 0;
    carveRest(largeAt, largeEnd, CLASSES - 1, LARGE);
    largeAt = page;
    largeEnd = page + PAGE;
  }
  largeAt += bytes;
  return largeAt - bytes;
}

/** What is left of an old page serves smaller blocks, from one class down to another. */
function carveRest(at: usize, end: usize, from: i32, to: i32): void {
  if (end === 0) return;
  for (let k = from; k >= to; k--)
    while (end - at >= classBytes(k)) {
      push(at, k);
      at += classBytes(k);
    }
  store<u16>(lost + ((end / PAGE - 1) << 1), <u16>(end - at));
}

function takePages(pages: u32): usize {
  const at = pagesNow(pages);
  if (at !== 0 || !reclaim()) return at;
  return pagesNow(pages);
}

/**
 * Turns pages whose blocks are all free into runs. Looks at every free block, so it does so only when enough was given back since the
 * last time to be worth it: refusals that follow each other stay cheap.
 */
function reclaim(): bool {
  if (given < limit / 64) return false;
  given = 0;
  const pages = <u32>(top / PAGE);
  for (let page: u32 = 0; page < pages; page++)
    store<u32>(free + ((<usize>page) << 2), load<u16>(lost + ((<usize>page) << 1)));
  for (let kind = 0; kind < CLASSES; kind++) {
    const bytes = <u32>classBytes(kind);
    for (let at = load<usize>(classHeads + ((<usize>kind) << 2)); at !== 0; at = load<usize>(at)) {
      const counter = free + ((at / PAGE) << 2);
      store<u32>(counter, load<u32>(counter) + bytes);
    }
  }
  for (let kind = 0; kind < CLASSES; kind++) {
    const head = classHeads + ((<usize>kind) << 2);
    let at = load<usize>(head);
    store<usize>(head, 0);
    while (at !== 0) {
      const next = load<usize>(at);
      if (!isAllFree(<u32>(at / PAGE))) push(at, kind);
      at = next;
    }
  }
  let found = false;
  for (let page: u32 = 0; page < pages; page++)
    if (isAllFree(page)) {
      store<u16>(lost + ((<usize>page) << 1), 0);
      givePages(page, 1);
      found = true;
    }
  return found;
}

/** Never true of a page that is still carved from: its rest is not counted. */
function isAllFree(page: u32): bool {
  return <usize>load<u32>(free + ((<usize>page) << 2)) === PAGE;
}

function pagesNow(pages: u32): usize {
  if (pages > 0xffff) return 0;
  const page = findRun(pages);
  if (page !== 0) {
    const have = runAt(page);
    unlink(page, have);
    if (have > pages) link(page + pages, have - pages);
    return <usize>page * PAGE;
  }
  const end = top + <usize>pages * PAGE;
  if (end < top || end + PAGE > limit || end + PAGE < end) return 0;
  const have = <usize>memory.size() * PAGE;
  if (end + PAGE > have) {
    const need = <i32>((end + PAGE - have) / PAGE);
    const step = <i32>min((limit - have) / PAGE, max(need, GROW_PAGES));
    if (memory.grow(step) < 0) return 0;
  }
  const at = top;
  top = end;
  return at;
}

/** A free run of at least `pages`, 0 when there is none: the first that fits in its own bin, any from a higher one. */
function findRun(pages: u32): u32 {
  let bin = binOf(pages);
  for (let at = load<usize>(headOf(bin)); at !== 0; at = load<usize>(at)) {
    const page = <u32>(at / PAGE);
    if (runAt(page) >= pages) return page;
  }
  while (++bin < BINS) {
    const at = load<usize>(headOf(bin));
    if (at !== 0) return <u32>(at / PAGE);
  }
  return 0;
}

/** Frees a run and joins it with what is free around it; at the top it makes room there. */
function givePages(page: u32, pages: u32): void {
  const before = runAt(page - 1);
  if (before !== 0) {
    page -= before;
    unlink(page, before);
    pages += before;
  }
  const behind = runAt(page + pages);
  if (behind !== 0) {
    unlink(page + pages, behind);
    pages += behind;
  }
  if (<usize>(page + pages) * PAGE === top) top = <usize>page * PAGE;
  else link(page, pages);
}

function binOf(pages: u32): i32 {
  return 31 - <i32>clz(pages);
}

function headOf(bin: i32): usize {
  return runHeads + ((<usize>bin) << 2);
}

/** Pages of the free run that starts or ends at this page, 0 when none does. */
function runAt(page: u32): u32 {
  return load<u16>(runs + ((<usize>page) << 1));
}

function mark(page: u32, pages: u32, value: u32): void {
  store<u16>(runs + ((<usize>page) << 1), <u16>value);
  store<u16>(runs + ((<usize>(page + pages - 1)) << 1), <u16>value);
}

function link(page: u32, pages: u32): void {
  const head = headOf(binOf(pages));
  const at = <usize>page * PAGE;
  const next = load<usize>(head);
  store<usize>(at, next);
  store<usize>(at, 0, 4);
  if (next !== 0) store<usize>(next, at, 4);
  store<usize>(head, at);
  mark(page, pages, pages);
}

function unlink(page: u32, pages: u32): void {
  const at = <usize>page * PAGE;
  const next = load<usize>(at);
  const previous = load<usize>(at, 4);
  if (next !== 0) store<usize>(next, previous, 4);
  if (previous !== 0) store<usize>(previous, next);
  else store<usize>(headOf(binOf(pages)), next);
  mark(page, pages, 0);
}
