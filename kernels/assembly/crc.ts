/** CRC-32C (Castagnoli), eight bytes at a time through eight tables ("slicing by 8"). */

/** 0x1EDC6F41 with its bits reversed. */
const POLYNOMIAL: u32 = 0x82f6_3b78;
const TABLE: usize = 1024;
const tables = memory.data(8 * 1024, 16);

export function crcInit(): void {
  for (let i: u32 = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    store<u32>(tables + ((<usize>i) << 2), crc);
  }
  // Each table moves the one before it eight bits on.
  for (let at = tables + TABLE; at < tables + 8 * TABLE; at += 4) {
    const before = load<u32>(at - TABLE);
    store<u32>(at, (before >> 8) ^ load<u32>(tables + ((<usize>(before & 255)) << 2)));
  }
}

function entry(table: usize, byte: u32): u32 {
  return load<u32>(tables + table * TABLE + ((<usize>(byte & 255)) << 2));
}

/** Continues `seed`, the crc of what came before (0 at the start). */
export function crc32c(at: usize, length: usize, seed: u32): u32 {
  let crc = ~seed;
  const end = at + length;
  while (at + 8 <= end) {
    const low = load<u32>(at) ^ crc;
    const high = load<u32>(at, 4);
    crc =
      entry(7, low) ^
      entry(6, low >> 8) ^
      entry(5, low >> 16) ^
      entry(4, low >> 24) ^
      entry(3, high) ^
      entry(2, high >> 8) ^
      entry(1, high >> 16) ^
      entry(0, high >> 24);
    at += 8;
  }
  while (at < end) crc = (crc >> 8) ^ entry(0, crc ^ load<u8>(at++));
  return ~crc;
}
