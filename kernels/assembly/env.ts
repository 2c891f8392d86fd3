/** What the kernel asks of its host. Nothing else is imported. */

/** The double nearest to the decimal text at `at`: the host's Number(), for the rare text that float.ts cannot decide. */
export declare function slowFloat(at: usize, length: u32): f64;
